package eval

import "github.com/strandlinehq/strandline/monitor/novelty"

// Bins is the number of bins of a distribution.
const Bins = 11

// Distribution counts pages by score (SCIENCE T5): bin 0 those of score 0 exactly,
// bin i those in ((i-1)/10, i/10].
type Distribution [Bins]uint64

// Distribute counts scores from 0 to 1.
func Distribute[F novelty.Float](scores []F) Distribution {
	var d Distribution
	for _, n := range scores {
		d.Add(float64(n))
	}
	return d
}

// Add counts one score. Bounds are compared as float32, so that a score of 0.9
// falls into one bin in either precision.
func (d *Distribution) Add(score float64) {
	bin := 0
	if score > 0 {
		bin = Bins - 1
		for bin > 1 && float32(score) <= float32(bin-1)/10 {
			bin--
		}
	}
	d[bin]++
}

// Total is the number of pages.
func (d Distribution) Total() uint64 {
	var n uint64
	for _, c := range d {
		n += c
	}
	return n
}

// Cumulative gives the share of pages in each bin and those below it; ok is false
// without pages.
func (d Distribution) Cumulative() (share [Bins]float64, ok bool) {
	total := d.Total()
	if total == 0 {
		return share, false
	}
	var n uint64
	for bin, c := range d {
		n += c
		share[bin] = float64(n) / float64(total)
	}
	return share, true
}
