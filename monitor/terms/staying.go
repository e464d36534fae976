package terms

// Grid is the set of slots that a page has versions in, prepared for computing
// the staying power of many terms.
type Grid struct {
	pairs []float64 // pairs[a] counts the pairs of versions a slots apart
	gaps  int       // that have a pair of versions
}

// NewGrid prepares the staying powers of a page with versions in the given slots.
func NewGrid(observed Bits) *Grid {
	from, to := observed.extent()
	g := &Grid{pairs: make([]float64, max(to-from, 1))}
	if slots := observed.sparse(); slots != nil {
		for i, s := range slots {
			for _, t := range slots[i+1:] {
				g.pairs[t-s]++
			}
		}
	} else {
		for a := 1; a < to-from; a++ {
			g.pairs[a] = float64(observed.overlap(a))
		}
	}
	for _, n := range g.pairs {
		if n > 0 {
			g.gaps++
		}
	}
	return g
}

// StayingPower returns the staying power of a term that is in the versions of
// the slots present, a subset of the observed ones. It is the probability that
// the term is in both of two versions whose distance is drawn first, evenly
// among the gaps a that occur, and then the pair evenly among those with that
// gap (paper A section 4.3; SCIENCE A22 resolves the printed weights):
//
//	σ = 1/gaps Σ_a |{t : w in D_t and D_t+a}| / pairs(a)
//
// where pairs(a) counts the pairs of versions a slots apart: n-a if none of
// n slots is missing, so that the weight of a pair is 1/((n-1)(n-a)). σ is 1 for
// a term that is in all versions and 0 for one that is in at most one. ok is
// false if there are fewer than two versions.
//
// The time is that of one pass over the bits from the first to the last
// occurrence for each gap up to their distance, or that of going through the pairs
// if the versions are few in a long time.
func (g *Grid) StayingPower(present Bits) (sigma float64, ok bool) {
	if g.gaps == 0 {
		return 0, false
	}
	if slots := present.sparse(); slots != nil {
		for i, s := range slots {
			for _, t := range slots[i+1:] {
				if n := g.pair(t - s); n > 0 {
					sigma += 1 / n
				}
			}
		}
		return sigma / float64(g.gaps), true
	}
	from, to := present.extent()
	present = present[from/64 : (to+63)/64]
	for a := 1; a < min(to-from, len(g.pairs)); a++ {
		if n := g.pairs[a]; n > 0 {
			sigma += float64(present.overlap(a)) / n
		}
	}
	return sigma / float64(g.gaps), true
}

func (g *Grid) pair(gap int) float64 {
	if gap < len(g.pairs) {
		return g.pairs[gap]
	}
	return 0
}

// StayingPower is Grid.StayingPower for a single term.
func StayingPower(present, observed Bits) (sigma float64, ok bool) {
	return NewGrid(observed).StayingPower(present)
}

// Bounds of what counts as fleeting and lasting (paper A section 4.3, Table 3).
const (
	Fleeting = .2 // staying power below it
	Lasting  = .8 // staying power above it
)

// Histogram is the distribution of the staying powers of a page's terms (paper A
// Figure 6; SCIENCE A23).
type Histogram struct {
	Edges    []float64 // of the bins, one more than Counts; bins hold their lower edge, the last one both
	Counts   []int
	Terms    int
	Fleeting int // terms with σ < 0.2
	Lasting  int // terms with σ > 0.8
}

// NewHistogram counts staying powers in bins of equal width over [0, 1].
func NewHistogram(powers []float64, bins int) Histogram {
	bins = max(bins, 1)
	h := Histogram{Counts: make([]int, bins), Terms: len(powers)}
	for i := 0; i <= bins; i++ {
		h.Edges = append(h.Edges, float64(i)/float64(bins))
	}
	for _, p := range powers {
		i := min(max(int(p*float64(bins)), 0), bins-1)
		// An edge such as 3/10 times 10 may round to either side of 3.
		for i > 0 && p < h.Edges[i] {
			i--
		}
		for i < bins-1 && p >= h.Edges[i+1] {
			i++
		}
		h.Counts[i]++
		if p < Fleeting {
			h.Fleeting++
		}
		if p > Lasting {
			h.Lasting++
		}
	}
	return h
}

// Bimodality returns the share of the terms that are fleeting or lasting. ok is
// false if there are no terms.
func (h Histogram) Bimodality() (share float64, ok bool) {
	if h.Terms == 0 {
		return 0, false
	}
	return float64(h.Fleeting+h.Lasting) / float64(h.Terms), true
}
