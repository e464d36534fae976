package measure

import (
	"slices"
	"strconv"

	"github.com/strandlinehq/strandline/monitor/dom"
)

// elements is A26 to A29: {"versions":[{"v":time in hours,"html":".."}]}, with
// "horizons" in hours for the survival, gives the serialised lines, the lifespan
// of each path, how long contents last at their path and travelling, and the
// share of the first version's elements that survive each horizon.
func elements(in value) any {
	in.object("versions", "horizons")
	horizons := dom.Horizons()
	if v, ok := in.opt("horizons"); ok {
		horizons = v.numbers()
	}
	lines := []any{}
	paths := dom.NewSorter(dom.SortOptions{}, dom.FullPath, dom.Version)
	contents := dom.NewSorter(dom.SortOptions{}, dom.SubtreeHash, dom.FullPath, dom.Version)
	defer paths.Close()
	defer contents.Close()
	var times []float64
	for _, v := range in.get("versions").list() {
		v.object("v", "html")
		at := v.get("v").number()
		times = append(times, at)
		for l := range dom.Lines(dom.Parse([]byte(v.get("html").text())), at, true) {
			lines = append(lines, []any{l.FullPath, l.TypePath, l.NodeText, l.SubtreeText, number(at)})
			for _, s := range []*dom.Sorter{paths, contents} {
				if err := s.Add(l); err != nil {
					v.fail("%v", err)
				}
			}
		}
	}
	spans := slices.Collect(dom.Lifespans(paths.Lines()))
	lifespan := map[string]any{}
	for _, s := range spans {
		lifespan[s.Path] = map[string]any{"first": number(s.First), "last": number(s.Last)}
	}
	atPath, travel := dom.Blocks(contents.Lines())
	survival := map[string]any{}
	if len(times) > 0 {
		for _, s := range dom.Survive(slices.Values(spans), slices.Min(times), slices.Max(times), horizons) {
			var share any
			if s.OK {
				share = number(s.Share)
			}
			survival[strconv.FormatFloat(s.Horizon, 'g', -1, 64)] = share
		}
	}
	return map[string]any{
		"lines": lines, "lifespan": lifespan, "survival": survival,
		"blocks": map[string]any{"at_path": lives(atPath), "travel": lives(travel)},
	}
}

func lives(blocks map[string]dom.Block) map[string]any {
	out := make(map[string]any, len(blocks))
	for path, b := range blocks {
		out[path] = number(b.Life)
	}
	return out
}
