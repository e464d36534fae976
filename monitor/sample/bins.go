package sample

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Bins holds the thresholds between bins, each list ascending. A value that
// equals a threshold belongs above it.
type Bins struct {
	// Visitors has the least number of visitors of each bin. Pages with fewer than
	// the first are in no bin: they could not be told from private ones.
	Visitors []int
	// Revisits are thresholds on the mean number of times that a visitor returns.
	Revisits []float64
	// Gaps are thresholds on the mean time after which a visitor returns. A page
	// to which nobody returned is in the last bin.
	Gaps []time.Duration
}

// PaperBins are 4 by 5 by 6 bins (SCIENCE A1). The paper does not print its
// thresholds of the revisits but calls them pseudo-exponential.
func PaperBins() Bins {
	return Bins{
		Visitors: []int{2, 3, 7, 39},
		Revisits: []float64{1, 2, 4, 8},
		Gaps:     []time.Duration{10 * time.Second, time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour},
	}
}

// Check says what is wrong with the thresholds, nil if nothing is.
func (b Bins) Check() error {
	if len(b.Visitors) == 0 || b.Visitors[0] < 1 {
		return fmt.Errorf("bins need at least one threshold of visitors, from 1 up")
	}
	if !ascending(b.Visitors) || !ascending(b.Revisits) || !ascending(b.Gaps) {
		return fmt.Errorf("thresholds of bins must ascend")
	}
	return nil
}

func ascending[T cmp.Ordered](list []T) bool {
	for i := 1; i < len(list); i++ {
		if !(list[i-1] < list[i]) {
			return false
		}
	}
	return true
}

// Len is the number of bins.
func (b Bins) Len() int { return len(b.Visitors) * (len(b.Revisits) + 1) * (len(b.Gaps) + 1) }

// Of gives the bin of a page. ok is false if it has too few visitors for any.
func (b Bins) Of(s Stats) (bin int, ok bool) {
	v := above(b.Visitors, s.Visitors) - 1
	if v < 0 {
		return 0, false
	}
	g := len(b.Gaps)
	if gap, ok := s.Gap(); ok {
		g = above(b.Gaps, gap)
	}
	return (v*(len(b.Revisits)+1)+above(b.Revisits, s.Revisits()))*(len(b.Gaps)+1) + g, true
}

// above counts the thresholds that x reaches.
func above[T cmp.Ordered](thresholds []T, x T) int {
	i, equal := slices.BinarySearch(thresholds, x)
	if equal {
		i++
	}
	return i
}

// Name gives the ranges of a bin, such as "3-6", "1-2" and "1m0s-1h0m0s"; the
// upper edges of revisits and gaps are not included.
func (b Bins) Name(bin int) (visitors, revisits, gap string) {
	g := bin % (len(b.Gaps) + 1)
	bin /= len(b.Gaps) + 1
	r, v := bin%(len(b.Revisits)+1), bin/(len(b.Revisits)+1)
	low := b.Visitors[v]
	switch {
	case v+1 == len(b.Visitors):
		visitors = strconv.Itoa(low) + "+"
	case b.Visitors[v+1]-1 == low:
		visitors = strconv.Itoa(low)
	default:
		visitors = fmt.Sprintf("%d-%d", low, b.Visitors[v+1]-1)
	}
	return visitors, span(b.Revisits, r), span(b.Gaps, g)
}

// span writes the range between the thresholds before and at i.
func span[T any](thresholds []T, i int) string {
	switch {
	case len(thresholds) == 0:
		return "all"
	case i == 0:
		return fmt.Sprintf("<%v", thresholds[0])
	case i == len(thresholds):
		return fmt.Sprintf("%v+", thresholds[i-1])
	}
	return fmt.Sprintf("%v-%v", thresholds[i-1], thresholds[i])
}
