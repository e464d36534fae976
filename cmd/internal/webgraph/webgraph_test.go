package webgraph

import (
	"math"
	"slices"
	"testing"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	const pages, mean = 200_000, 20
	g := New(Options{Pages: pages, LinksPerPage: mean, Unidentified: 0.31, L2: 0.7, Seed: 1})
	in := make([]int, pages)
	var links, near, next int
	for i := range g.Parts() {
		err := g.Part(i, func(source uint32, targets []uint32) error {
			if int(source) != next {
				t.Fatalf("page %d comes after page %d", source, next-1)
			}
			next++
			sorted := slices.Sorted(slices.Values(targets))
			if len(slices.Compact(sorted)) != len(targets) {
				t.Fatalf("page %d links to %v: not distinct", source, targets)
			}
			for _, p := range targets {
				in[p]++
				links++
				if math.Abs(float64(p)-float64(source)) < 1000 {
					near++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if next != pages {
		t.Errorf("%d pages came, want %d", next, pages)
	}
	if got := float64(links) / pages; math.Abs(got-mean) > 0.1*mean {
		t.Errorf("%.2f links a page, want %d", got, mean)
	}
	if share := float64(near) / float64(links); share < 0.5 {
		t.Errorf("%.2f of the links are near: not local", share)
	}
	slices.Sort(in)
	top := 0
	for _, n := range in[pages-pages/1000:] {
		top += n
	}
	if share := float64(top) / float64(links); share < 0.05 {
		t.Errorf("the top thousandth of pages has %.3f of the links: no power law", share)
	}
	counts := novelty.Count(g.Classes())
	if share := float64(counts.Unidentified) / pages; math.Abs(share-0.31) > 0.06 {
		t.Errorf("%.3f of the pages are in U, want 0.31", share)
	}
	if share := float64(counts.L2) / float64(counts.L2+counts.Old); math.Abs(share-0.7) > 0.02 {
		t.Errorf("%.3f of the old pages are in L2, want 0.7", share)
	}
}

func BenchmarkPart(b *testing.B) {
	g := New(Options{Pages: 1 << 20, LinksPerPage: 47, Unidentified: 0.31, L2: 0.7})
	links := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_ = g.Part(i%parts, func(_ uint32, targets []uint32) error {
			links += len(targets)
			return nil
		})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(links), "ns/link")
}
