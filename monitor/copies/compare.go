package copies

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/strandlinehq/strandline/monitor/maintext"
	"github.com/strandlinehq/strandline/monitor/neardup"
	"github.com/strandlinehq/strandline/store"
)

// Of sampled pages of a host, a line that stands on so many is its template.
const (
	sampled  = 12
	repeated = 4
)

// compare returns how alike two versions are, and by what.
func (f *finder) compare(ctx context.Context, a, b store.PageID, at, bt place, one, two *body) (float64, string, error) {
	if at.site != bt.site {
		j, basis := 0.0, "main"
		if long(one.main, two.main) {
			j = jaccard(one.main, two.main)
		}
		if long(one.whole, two.whole) {
			if w := jaccard(one.whole, two.whole); w > j {
				j, basis = w, "whole"
			}
		}
		return j, basis, nil
	}
	mine, err := f.template(ctx, at.host, a)
	if err != nil {
		return 0, "", err
	}
	theirs, err := f.template(ctx, bt.host, b)
	if err != nil {
		return 0, "", err
	}
	x, y := f.without(one, at.host, mine), f.without(two, bt.host, theirs)
	if !long(x, y) {
		return 0, "", nil
	}
	return jaccard(x, y), "main", nil
}

// without is the sketch of a main text without the lines that its host repeats. A page is compared with
// several candidates, and a candidate with several pages.
func (f *finder) without(b *body, host string, on map[string]int) neardup.Sketch {
	k := bareKey{b, host}
	s, ok := f.bare[k]
	if !ok {
		s = neardup.Of(bare(b.lines, on))
		f.bare[k] = s
	}
	return s
}

func long(a, b neardup.Sketch) bool { return a.Words >= leastWords && b.Words >= leastWords }

func jaccard(a, b neardup.Sketch) float64 {
	_, j := neardup.Classify(a, b)
	return j
}

// bare is a main text without the lines that the host repeats.
func bare(lines []string, on map[string]int) string {
	template := map[string]bool{}
	for _, l := range lines {
		if on[l] >= repeated {
			template[l] = true
		}
	}
	return maintext.Without(lines, template)
}

// template counts on how many sampled pages of a host each line stands. The sampled
// pages have different texts, so that copies of one do not make it a template.
func (f *finder) template(ctx context.Context, host string, page store.PageID) (map[string]int, error) {
	if on, ok := f.templates[host]; ok {
		return on, nil
	}
	sample, err := f.db.SketchSample(ctx, page, 2*sampled)
	if err != nil {
		return nil, err
	}
	versions := make([]store.Todo, len(sample))
	for i, s := range sample {
		versions[i] = store.Todo{Page: s.Page, Version: s.Version}
	}
	refs, err := f.db.VersionRefs(ctx, versions)
	if err != nil {
		return nil, err
	}
	bodies, err := readBodies(ctx, f.db, refs, f.opt.Cache)
	if err != nil {
		return nil, err
	}
	on := map[string]int{}
	var taken []*body
	for _, v := range versions {
		b := bodies[v]
		if b == nil || len(taken) == sampled || slices.ContainsFunc(taken, func(t *body) bool { return jaccard(t.main, b.main) >= asCopy }) {
			continue
		}
		taken = append(taken, b)
		lines := map[string]bool{}
		for _, l := range b.lines {
			lines[l] = true
		}
		for l := range lines {
			on[l]++
		}
	}
	f.templates[host] = on
	return on, nil
}

func keysOf(set map[store.Todo]bool) []store.Todo {
	return slices.SortedFunc(maps.Keys(set), func(a, b store.Todo) int {
		return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Version, b.Version))
	})
}

func pagesOf(set map[store.PageID]bool) []store.PageID { return slices.Sorted(maps.Keys(set)) }

func numbersOf(set map[int64]bool) []int64 { return slices.Sorted(maps.Keys(set)) }
