package chart

import "testing"

func BenchmarkFigures(b *testing.B) {
	all := samples()
	for _, name := range []string{"sparkline", "changecurve", "changescatter_100k", "termlifespans", "calendar_years"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(len(all[name].SVG(Options{}))))
			}
		})
	}
}
