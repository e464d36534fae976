package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/daemon"
)

// TestBurstsOfConfigurations holds the bounds of rounds in configurations against those of the
// rounds themselves: what is a valid file is what the daemon takes.
func TestBurstsOfConfigurations(t *testing.T) {
	t.Parallel()
	valid := 0
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 9_999, 10_000, 11_000, 120_000, 900_000}), 1, 17).Draw(t, "gaps")
		at, last := 0, 0
		offsets := []string{"0s"}
		for _, gap := range gaps {
			last = gap
			at += gap
			offsets = append(offsets, fmt.Sprintf("%dms", at))
		}
		rounds := rapid.SampledFrom([]int{0, 1, 8, 100, 101, 10_000}).Draw(t, "rounds")
		least := at + 60_000 + min(60_000, last/8)
		every := least + rapid.SampledFrom([]int{-60_001, -1, 0, 1, 3_600_000}).Draw(t, "every")
		text := fmt.Sprintf("watches: [{name: w, urls: ['https://a.test/'], bursts: {when: %v, offsets: [%s], rounds: %d, every: %dms}}]\n",
			rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "when"), strings.Join(offsets, ", "), rounds, every)
		c, err := configs.Parse("a.yaml", []byte(text))
		if err != nil {
			w := configs.Watch{Name: "w", Bursts: &configs.Bursts{When: 0.5, Rounds: rounds, Every: configs.Duration(time.Duration(every) * time.Millisecond)}}
			for _, o := range offsets {
				d, err := configs.ParseDuration(o)
				if err != nil {
					t.Fatal(err)
				}
				w.Bursts.Offsets = append(w.Bursts.Offsets, d)
			}
			// Zero rounds are the default to the daemon, and no rounds to a reader of the file.
			if rounds > 0 && askBursts(&daemon.Watch{}, &w) == nil {
				t.Fatalf("refused, but the daemon would take it:\n%s%v", text, err)
			}
			return
		}
		valid++
		if err := askBursts(&daemon.Watch{}, &c.Watches[0]); err != nil {
			t.Fatalf("valid, but the daemon refuses it: %v\n%s", err, text)
		}
	})
	if valid == 0 {
		t.Error("no valid configuration was drawn")
	}
}
