package sample

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// Options for NewDrawer.
type Options struct {
	Bins Bins
	// PerBin is how many pages each bin gives; a bin with fewer gives all. If it
	// is zero, Pages is divided among the bins that are not empty.
	PerBin int
	Pages  int
	// Top is how many pages with the most visitors are added.
	Top int
	// Spare is how many more are kept for each one wanted, to take the places of
	// those that Draw is told to leave out.
	Spare int
	// Seed gives another sample.
	Seed uint64
}

// Drawer draws the sample. It keeps no more pages than can still be drawn.
type Drawer struct {
	opt    Options
	counts []int
	bins   []best // of the least keys
	top    best   // of the most visitors
	few    int
}

// NewDrawer returns a Drawer without pages.
func NewDrawer(opt Options) *Drawer {
	n := opt.Bins.Len()
	return &Drawer{opt: opt, counts: make([]int, n), bins: make([]best, n)}
}

// Add takes a page; none may come twice.
func (d *Drawer) Add(s Stats) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], s.Page)
	key := xxh3.HashSeed(b[:], d.opt.Seed)
	spare := 1 + max(d.opt.Spare, 0)
	d.top.keep(candidate{s, -float64(s.Visitors), key}, d.opt.Top*spare)
	bin, ok := d.opt.Bins.Of(s)
	if !ok {
		d.few++
		return
	}
	d.counts[bin]++
	d.bins[bin].keep(candidate{Stats: s, key: key}, cmp.Or(max(d.opt.PerBin, 0), d.opt.Pages)*spare)
}

// Drawn is a page of the sample.
type Drawn struct {
	Stats
	Bin int // -1 for a page of Sample.Top with too few visitors for any
	// Weight is how many pages of the log this one stands for: those of its bin
	// by those drawn from it. It is 0 in Sample.Top.
	Weight float64
}

// Sample is what was drawn.
type Sample struct {
	Pages []Drawn // by bin, and in a bin in the order of the draw
	// Top are pages added for their visitors that the draw had left out, most
	// visitors first. They stand for nobody but themselves.
	Top    []Drawn
	Quota  int   // of each bin
	InLog  []int // pages of the log in each bin
	Drawn  []int // pages drawn from each bin
	TooFew int   // pages of the log with too few visitors for any bin
}

// Draw draws the sample, without the pages that leave says are not to be had;
// leave may be nil. It may be called again.
func (d *Drawer) Draw(leave func(page uint64) bool) Sample {
	out := Sample{InLog: d.counts, Drawn: make([]int, len(d.counts)), TooFew: d.few, Quota: d.opt.PerBin}
	if full := nonEmpty(d.counts); d.opt.PerBin <= 0 && len(full) > 0 {
		out.Quota = min(max(d.opt.Pages/len(full), 1), d.opt.Pages)
	}
	in := map[uint64]bool{}
	take := func(from best, quota int, f func(Stats)) {
		for _, c := range from.sorted() {
			if quota > 0 && !in[c.Page] && (leave == nil || !leave(c.Page)) {
				in[c.Page] = true
				quota--
				f(c.Stats)
			}
		}
	}
	for bin := range d.bins {
		from := len(out.Pages)
		take(d.bins[bin], out.Quota, func(s Stats) { out.Pages = append(out.Pages, Drawn{Stats: s, Bin: bin}) })
		out.Drawn[bin] = len(out.Pages) - from
		for i := from; i < len(out.Pages); i++ {
			out.Pages[i].Weight = float64(d.counts[bin]) / float64(out.Drawn[bin])
		}
	}
	// The places of the top are those with the most visitors, drawn before or not.
	places := d.opt.Top
	for _, c := range d.top.sorted() {
		if places == 0 {
			break
		}
		if leave != nil && leave(c.Page) {
			continue
		}
		places--
		if !in[c.Page] {
			bin, ok := d.opt.Bins.Of(c.Stats)
			if !ok {
				bin = -1
			}
			out.Top = append(out.Top, Drawn{Stats: c.Stats, Bin: bin})
		}
	}
	return out
}

// Candidates are the pages that Draw may give, whatever is left out.
func (d *Drawer) Candidates() []uint64 {
	var out []uint64
	for _, b := range append(slices.Clone(d.bins), d.top) {
		for _, c := range b {
			out = append(out, c.Page)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Summary is the mean and the median of counts over bins that are not empty.
type Summary struct {
	Bins         int // that are not empty
	Mean, Median float64
}

// Summarise leaves empty bins out, as the paper's own mean does (SCIENCE A2).
func Summarise(counts []int) Summary {
	full := nonEmpty(counts)
	n := len(full)
	if n == 0 {
		return Summary{}
	}
	slices.Sort(full)
	sum := 0
	for _, c := range full {
		sum += c
	}
	return Summary{n, float64(sum) / float64(n), float64(full[(n-1)/2]+full[n/2]) / 2}
}

func nonEmpty(counts []int) []int {
	return slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })
}

// candidate is a page with its place: lowest rank first, then lowest key.
type candidate struct {
	Stats
	rank float64
	key  uint64
}

func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(c.rank, d.rank), cmp.Compare(c.key, d.key), cmp.Compare(c.Page, d.Page))
}

// best keeps the first candidates, as a heap with the last of them on top.
type best []candidate

func (b *best) keep(c candidate, n int) {
	switch {
	case len(*b) < n:
		heap.Push(b, c)
	case n > 0 && c.compare((*b)[0]) < 0:
		(*b)[0] = c
		heap.Fix(b, 0)
	}
}

func (b best) sorted() []candidate { return slices.SortedFunc(slices.Values(b), candidate.compare) }

func (b best) Len() int           { return len(b) }
func (b best) Less(i, j int) bool { return b[i].compare(b[j]) > 0 }
func (b best) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *best) Push(x any)        { *b = append(*b, x.(candidate)) }
func (b *best) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}
