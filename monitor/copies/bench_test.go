package copies

import (
	"fmt"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// BenchmarkBody reads the record of a page of some 3,000 words and makes its sketches.
func BenchmarkBody(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<html lang="en"><nav><a href=x>Home</a></nav><main>`)
	for i := range 150 {
		fmt.Fprintf(&s, "<p>Paragraph %d tells that %d boats came to the harbour and %d left it again before the evening of that long day.</p>", i, i*7, i*i)
	}
	var x extract.Extractor
	record := x.Extract(extract.Input{Body: []byte(s.String()), ContentType: "text/html; charset=utf-8", URL: "http://a.test/"}).AppendRecord(nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := bodyOf(record); !ok {
			b.Fatal("no body")
		}
	}
}
