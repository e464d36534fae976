package thin

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const dayLong = 24 * time.Hour

var now = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// line makes versions that were first seen so long before now, each standing until an
// hour before the next, with contents of their own.
func line(ages ...time.Duration) []Version {
	out := make([]Version, len(ages))
	for i, age := range ages {
		out[i].First = now.Add(-age)
		out[i].Last = out[i].First
		if i > 0 {
			out[i-1].Last = out[i].First.Add(-time.Hour)
		}
		out[i].Hash[0], out[i].Hash[1] = byte(i), byte(i>>8)
	}
	return out
}

func TestDrop(t *testing.T) {
	t.Parallel()
	p := Policy{All: 10 * dayLong, Daily: 100 * dayLong, Monthly: math.MaxInt64}
	day := func(d, hours int) time.Duration {
		return time.Duration(d)*dayLong - time.Duration(hours-12)*time.Hour
	}
	tests := []struct {
		name     string
		policy   Policy
		versions []Version
		edit     func([]Version)
		want     []int
	}{
		{"none", p, nil, nil, nil},
		{"one", p, line(day(1000, 1)), nil, nil},
		{"two", p, line(day(1000, 1), day(999, 1)), nil, nil},
		{"all young", p, line(day(9, 1), day(9, 3), day(9, 5), day(9, 7)), nil, nil},
		{"the last of a day", p, line(day(90, 1), day(50, 1), day(50, 5), day(50, 9), day(49, 3), day(1, 1)), nil, []int{1, 2}},
		{"long standing, replaced lately", p, line(day(90, 1), day(50, 1), day(5, 5), day(5, 9)), nil, nil},
		{"old and young of one day", Policy{All: 10 * dayLong, Daily: 10 * dayLong, Monthly: 11 * dayLong}, line(day(90, 1), day(50, 1), day(50, 5), day(1, 9)), nil, []int{1}},
		{"the last of a month", p, line(day(400, 1), day(300, 1), day(299, 1), day(298, 1), day(270, 1), day(1, 1)), nil, []int{1, 2}},
		{"pinned", p, line(day(90, 1), day(50, 1), day(50, 5), day(1, 9)), func(v []Version) { v[1].Pinned = true }, nil},
		{"thinned before", p, line(day(90, 1), day(50, 1), day(50, 5), day(50, 9), day(1, 9)), func(v []Version) { v[1].Thinned = true }, []int{2}},
		{"content of one that stays", p, line(day(90, 1), day(50, 1), day(50, 5), day(50, 9), day(1, 9)), func(v []Version) { v[1].Hash = v[3].Hash }, []int{2}},
		{"nothing for ever", Policy{}, line(day(90, 1), day(50, 1), day(5, 5), day(1, 9)), nil, []int{1, 2}},
	}
	for _, test := range tests {
		if test.edit != nil {
			test.edit(test.versions)
		}
		if diff := cmp.Diff(test.want, test.policy.Drop(now, test.versions)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestDropIsTheSame thins a history step by step and at once: with every content of its
// own the outcome is the same, and asking twice gives up nothing more.
func TestDropIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.IntRange(0, 40).Draw(t, "all")
		daily := all + rapid.IntRange(0, 80).Draw(t, "daily")
		monthly := daily + rapid.IntRange(0, 400).Draw(t, "monthly")
		p := Policy{time.Duration(all) * dayLong, time.Duration(daily) * dayLong, time.Duration(monthly) * dayLong}
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 600*24), 0, 60, rapid.ID).Draw(t, "hours")
		slices.Sort(hours)
		slices.Reverse(hours)
		ages := make([]time.Duration, len(hours))
		for i, h := range hours {
			ages[i] = time.Duration(h) * time.Hour
		}
		apply := func(at time.Time, v []Version) {
			for _, i := range p.Drop(at, v) {
				if i == 0 || i == len(v)-1 {
					t.Fatalf("an end of the history was given up: %d of %d", i, len(v))
				}
				v[i].Thinned = true
			}
		}
		once, steps := line(ages...), line(ages...)
		apply(now, once)
		for ago := 300; ago >= 0; ago -= rapid.IntRange(1, 100).Draw(t, "step") {
			at := now.Add(-time.Duration(ago) * dayLong)
			seen, _ := slices.BinarySearchFunc(steps, at, func(v Version, at time.Time) int { return v.First.Compare(at) })
			apply(at, steps[:seen])
		}
		apply(now, steps)
		if diff := cmp.Diff(once, steps); diff != "" {
			t.Fatalf("(-at once +in steps):\n%s", diff)
		}
		if more := p.Drop(now, once); len(more) > 0 {
			t.Fatalf("asked again it gives up %v more", more)
		}
		// Each day of the daily span that had a version has one.
		for i := range once {
			age := now.Sub(once[i].Last)
			if !once[i].Thinned || age > p.Daily {
				continue
			}
			if !slices.ContainsFunc(once, func(v Version) bool {
				return !v.Thinned && v.First.After(once[i].First) && day(v.First) == day(once[i].First)
			}) {
				t.Fatalf("the day of version %d has none left", i)
			}
		}
	})
}

// BenchmarkDrop decides on a page of a year of hourly versions.
func BenchmarkDrop(b *testing.B) {
	ages := make([]time.Duration, 8760)
	for i := range ages {
		ages[i] = time.Duration(len(ages)-i) * time.Hour
	}
	v := line(ages...)
	p := Policy{All: 90 * dayLong, Daily: 3 * 365 * dayLong, Monthly: math.MaxInt64}
	b.ReportAllocs()
	for b.Loop() {
		p.Drop(now, v)
	}
}
