package novelty

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	flags := []Flag{
		Crawled | Previous | Known, // 0 links to 4, 5
		Crawled | Known,            // 1 was seen, not crawled by the one before
		Crawled | Modified,         // 2 links to 6
		Crawled | Dated,            // 3
		Crawled,                    // 4 linked from an old page without an old date
		0,                          // 5 linked to
		Crawled,                    // 6 linked from 2; links to 8
		0,                          // 7 linked to from outside only
		Crawled,                    // 8 rule 3 is not recursive
		Known | Previous,           // 9 gone; links to 7
	}
	links := Pairs{{0, 4}, {0, 5}, {2, 6}, {6, 8}, {9, 7}}
	for _, test := range []struct {
		name  string
		rules Rules
		want  []Class
	}{
		{"default", DefaultRules, []Class{L2, Old, Old, Unidentified, Unidentified, Fringe, Old, Absent, Unidentified, Absent}},
		{"all", DefaultRules | RuleDated, []Class{L2, Old, Old, Old, Unidentified, Fringe, Old, Absent, Unidentified, Absent}},
		{"rule 1", RuleKnown, []Class{L2, Old, Unidentified, Unidentified, Unidentified, Fringe, Unidentified, Absent, Unidentified, Absent}},
		{"rules 2 and 3", RuleModified | RuleLinked, []Class{Unidentified, Unidentified, Old, Unidentified, Unidentified, Fringe, Old, Absent, Unidentified, Absent}},
		{"none", 0, []Class{Unidentified, Unidentified, Unidentified, Unidentified, Unidentified, Fringe, Unidentified, Absent, Unidentified, Absent}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Classify(context.Background(), flags, links, test.rules, 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClassesPartition checks that the classes part W, and that fewer rules never
// make a page old.
func TestClassesPartition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flags := rapid.SliceOfN(rapid.Map(rapid.Uint8Range(0, 31), func(f uint8) Flag { return Flag(f) }), 1, 30).Draw(t, "flags")
		page := rapid.Uint32Range(0, uint32(len(flags)-1))
		var pairs Pairs
		for range rapid.IntRange(0, 60).Draw(t, "links") {
			pairs = append(pairs, [2]uint32{page.Draw(t, "source"), page.Draw(t, "target")})
		}
		rules := Rules(rapid.Uint8Range(0, 15).Draw(t, "rules"))
		fewer := rules & Rules(rapid.Uint8Range(0, 15).Draw(t, "mask"))
		a, err := Classify(context.Background(), flags, pairs, rules, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Classify(context.Background(), flags, pairs, fewer, 3)
		if err != nil {
			t.Fatal(err)
		}
		var crawled uint64
		for p, f := range flags {
			if a[p].Crawled() != (f&Crawled != 0) {
				t.Fatalf("page %d with flags %b is %v", p, f, a[p])
			}
			if f&Crawled != 0 {
				crawled++
			}
			if (a[p] == L2) && f&Previous == 0 {
				t.Fatalf("page %d is L2 and was not crawled before", p)
			}
			if a[p] == Unidentified && b[p] != Unidentified {
				t.Fatalf("page %d is %v by fewer rules", p, b[p])
			}
			oldLink := slices.ContainsFunc(pairs, func(l [2]uint32) bool {
				return l[1] == uint32(p) && flags[l[0]]&(Crawled|Modified) == Crawled|Modified
			})
			old := f&(Known|Previous) != 0 && rules&RuleKnown != 0 || f&Modified != 0 && rules&RuleModified != 0 ||
				oldLink && rules&RuleLinked != 0 || f&Dated != 0 && rules&RuleDated != 0
			if f&Crawled != 0 && old != (a[p] != Unidentified) {
				t.Fatalf("page %d with flags %b is %v", p, f, a[p])
			}
		}
		if c := Count(a); c.Crawled() != crawled {
			t.Fatalf("%+v counts %d pages, want %d", c, c.Crawled(), crawled)
		}
	})
}

func TestLastModified(t *testing.T) {
	t.Parallel()
	fetched := time.Date(2004, 5, 10, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name           string
		modified, date time.Time
		want           bool
	}{
		{"plain", fetched.AddDate(0, -3, 0), fetched, true},
		{"missing", time.Time{}, fetched, false},
		{"after the fetch", fetched.Add(time.Second), time.Time{}, false},
		{"at the fetch", fetched, time.Time{}, true},
		{"before the web", time.Date(1989, 12, 31, 23, 59, 59, 0, time.UTC), fetched, false},
		{"the epoch", time.Unix(0, 0), fetched, false},
		{"equal to Date", fetched.Add(-time.Minute), fetched.Add(-time.Minute), false},
		{"no Date", fetched.Add(-time.Minute), time.Time{}, true},
	} {
		if got := LastModified(test.modified, test.date, fetched); got != test.want {
			t.Errorf("%s: LastModified = %v, want %v", test.name, got, test.want)
		}
	}
	at := fetched.AddDate(0, -3, 0)
	if ModifiedBefore(at, at, fetched, fetched) {
		t.Error("a page modified at t_{k-1} itself counts as modified before it")
	}
	if !ModifiedBefore(at, at.Add(-time.Second), fetched, fetched) {
		t.Error("a page modified a second before t_{k-1} does not count")
	}
}
