package chart

import (
	"slices"
	"time"
)

// maxStretches is how many snapshots StackedNovelty draws one by one; of more, it draws
// neighbours as one, so that picture and links stay light.
const maxStretches = 120

// Merged returns the figure with neighbouring snapshots drawn as one, so that at most most
// of them are left, but never less than a few. The sums at the end of each stretch are as
// before. A stretch ends where a gap begins; where there are too many gaps for that, they
// are left out, and the figure says so.
func (f StackedNovelty) Merged(most int) StackedNovelty {
	if len(f.Snapshots) <= max(most, 3) {
		return f
	}
	all, out := f.Snapshots, f
	out.Total = max(f.Total, len(all))
	for step := 2; ; step++ {
		out.Snapshots = f.stretches(all, step)
		if len(out.Snapshots) <= max(most, 3) {
			return out
		}
		if step > len(all) { // there are that many gaps
			all = slices.DeleteFunc(slices.Clone(all), func(s NoveltySnapshot) bool { return s.Missing })
			out.Closed, step = true, 1
		}
	}
}

// stretches draws up to step neighbours as one. The first snapshot behind a gap stays
// alone, as the gap ends with it, and a gap is one whatever its length.
func (f StackedNovelty) stretches(all []NoveltySnapshot, step int) []NoveltySnapshot {
	var out []NoveltySnapshot
	for i := 0; i < len(all); {
		j := i + 1
		alone := i == 0 || all[i-1].Missing
		for j < len(all) && all[j].Missing == all[i].Missing && (all[i].Missing || !alone && j-i < step) {
			j++
		}
		out = append(out, f.stretch(all[i:j]))
		i = j
	}
	return out
}

// stretch is some neighbouring snapshots as one, at the time of the last.
func (f StackedNovelty) stretch(some []NoveltySnapshot) NoveltySnapshot {
	one := some[len(some)-1]
	if len(some) == 1 {
		return one
	}
	one.From = some[0].first()
	one.NewWord, one.Novel, one.Uncertain, one.Coverage = 0, 0, 0, 0
	known := 0.0
	for _, s := range some {
		for _, c := range []struct {
			sum *float64
			n   float64
		}{{&one.NewWord, s.NewWord}, {&one.Novel, s.Novel}, {&one.Uncertain, s.Uncertain}} {
			if finite(c.n) && c.n > 0 {
				*c.sum += c.n
			}
		}
		if finite(s.Coverage) {
			one.Coverage, known = one.Coverage+s.Coverage, known+1
		}
	}
	one.Coverage /= known // of none: NaN, not known
	one.Href, one.NewWordHref, one.NovelHref, one.UncertainHref = "", "", "", ""
	if f.Between != nil && !one.Missing {
		one.Href, one.NewWordHref, one.NovelHref, one.UncertainHref = f.Between(one.From, one.At)
	}
	return one
}

// first is the time of the first snapshot of a stretch.
func (s NoveltySnapshot) first() time.Time {
	if s.From.IsZero() {
		return s.At
	}
	return s.From
}

// subtitle names the series, and what is not drawn of it.
func (f StackedNovelty) subtitle() string {
	s := clean(f.Series)
	if f.Total <= len(f.Snapshots) {
		return s
	}
	if s != "" {
		s += ": "
	}
	s += plural(f.Total, "snapshot", "snapshots") + ", neighbours drawn as one in " + plural(len(f.Snapshots), "stretch", "stretches")
	if f.Closed {
		s += ", and gaps between them left out"
	}
	return s
}
