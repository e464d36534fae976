package novelty

import (
	"context"
	"testing"
)

// benchmarkWeb is a web of 200,000 pages with 4 M links, most of them near.
func benchmarkWeb() ([]Class, Lists) {
	const pages = 200_000
	classes, lists := make([]Class, pages), make(Lists, pages)
	random := uint64(1)
	for p := range classes {
		classes[p] = []Class{Unidentified, L2, L2, Old}[p>>4&3]
		for k := range 20 {
			random = random*6364136223846793005 + 1442695040888963407
			span := uint64(1000)
			if k%5 == 0 {
				span = pages
			}
			lists[p] = append(lists[p], uint32((uint64(p)+random>>33%span)%pages))
		}
	}
	return classes, lists
}

func BenchmarkBuild(b *testing.B) {
	classes, lists := benchmarkWeb()
	for _, bench := range []struct {
		name string
		opt  BuildOptions
	}{{"distinct", BuildOptions{Distinct: true}}, {"any", BuildOptions{}}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Build(context.Background(), classes, lists, bench.opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkScore(b *testing.B) {
	classes, lists := benchmarkWeb()
	g, err := Build(context.Background(), classes, lists, BuildOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Score[float32](context.Background(), g, ScoreOptions{Delta: DefaultDelta, Iterations: DefaultIterations}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/DefaultIterations/float64(g.Stats().Links), "ns/link")
}
