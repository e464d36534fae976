package configs

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse loads 1,000 watches of ten pages each, with a schedule in a zone that changes its clocks.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("watches:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "  - name: watch-%d\n    schedule: \"CRON_TZ=Europe/Paris %d 6 * * *\"\n    ignore: [nav, \".ticker\"]\n    urls:\n", i, i%60)
		for j := range 10 {
			fmt.Fprintf(&text, "      - https://host-%d.example.org/page/%d\n", i, j)
		}
	}
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("bench.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}
