package mask

import (
	"slices"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/simweb"
)

// The pages of the simulated web that carry noise, with the truth of that web:
// what the masks were not written against.
func TestSimulatedWeb(t *testing.T) {
	t.Parallel()
	epoch := time.Date(2025, 7, 1, 0, 0, 7, 0, time.UTC)
	w, err := simweb.New(func() time.Time { return epoch }, simweb.Options{Seed: 5, Hosts: 12, PagesPerHost: 60, Size: 6 << 10})
	if err != nil {
		t.Fatal(err)
	}
	var x extract.Extractor
	requests := 0
	get := func(url string, at time.Time) *extract.Page {
		requests++
		r := w.Body(url, at, requests)
		if r.Status != 200 {
			return nil
		}
		return x.Extract(extract.Input{Body: r.Body, ContentType: r.Header.Get("Content-Type"), URL: url})
	}
	pages, raw, left, trueChanges, lost := 0, 0, 0, 0, 0
	for p := range w.Pages(epoch, epoch.Add(time.Hour)) {
		// What changes by the day or the five minutes never differs within a pair.
		slow := slices.Contains(p.Noise, "quote") || slices.Contains(p.Noise, "ticker")
		if len(p.Noise) == 0 || slow || !p.Died.IsZero() || p.Redirect != "" || pages == 30 {
			continue
		}
		pages++
		var m Mask
		now := epoch
		for range 8 {
			if a, b := get(p.URL, now), get(p.URL, now); a != nil && b != nil {
				m.Learn(a, b, now, Options{})
			}
			now = now.Add(4*time.Hour + 97*time.Second)
		}
		f := m.Filter(now, Options{})
		before, last := get(p.URL, now), now
		for range 10 {
			now = now.Add(time.Hour + 31*time.Second)
			after := get(p.URL, now)
			if before == nil || after == nil {
				before, last = after, now
				continue
			}
			switch verdict := f.Compare(before, after); {
			case len(w.Changes(p.URL, last, now)) > 0:
				trueChanges++
				if verdict != Changed {
					lost++
					t.Logf("%s %v: a true change is %v", p.URL, p.Noise, verdict)
				}
			case verdict == Changed:
				left++
				raw++
				t.Logf("%s %v: false change", p.URL, p.Noise)
			case verdict == Masked:
				raw++
			}
			before, last = after, now
		}
	}
	t.Logf("%d pages: false changes %d -> %d; %d true changes, %d lost", pages, raw, left, trueChanges, lost)
	if raw < 100 || float64(left) > 0.05*float64(raw) {
		t.Errorf("of %d false changes %d are left", raw, left)
	}
	if trueChanges < 20 || lost > 0 {
		t.Errorf("of %d true changes %d are lost", trueChanges, lost)
	}
}
