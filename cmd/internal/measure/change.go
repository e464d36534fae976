package measure

import (
	"math"

	"github.com/strandlinehq/strandline/crawler/adaptive"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/terms"
)

// changeCurve is A15: {"versions":[[words] or null],"starts":[i,..]} gives
// {"value":[..],"support":[..],"full":t}; a value without support is null.
func changeCurve(in value) any {
	in.object("versions", "starts")
	list := in.get("versions").list()
	versions := make([]dice.WordSet, len(list))
	for i, v := range list {
		if v.null() {
			continue
		}
		if versions[i] = wordSet(v); versions[i] == nil {
			versions[i] = dice.WordSet{} // a page without words, not a missing one
		}
	}
	var starts []int
	for _, s := range in.get("starts").list() {
		starts = append(starts, s.integer(0, max(len(versions)-1, 0)))
	}
	c := curve.Of(versions, starts)
	values := make([]any, len(c.Value))
	for t := range c.Value {
		if v, ok := c.At(t); ok {
			values[t] = number(v)
		}
	}
	support := c.Support
	if support == nil {
		support = []int{}
	}
	return map[string]any{"value": values, "support": support, "full": c.Full}
}

// knot is A17, A18: {"y":[..]} at x = 0, 1, 2 .., or at "x", gives the best
// continuous two-segment fit and the shape. "fit":"heuristic" asks for A16 and
// adds guess and knot as indices, null without a knot. "shape":"logitboost" asks for
// the shape by boosted stumps instead of the rule, and adds how likely each is.
func knot(in value) any {
	in.object("y", "x", "fit", "shape")
	y := in.get("y").numbers()
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	if v, ok := in.opt("x"); ok {
		x = v.numbers()
		if len(x) != len(y) {
			v.fail("has %d numbers, y has %d", len(x), len(y))
		}
		for i := 1; i < len(x); i++ {
			if x[i] <= x[i-1] {
				v.list()[i].fail("must be greater than the one before")
			}
		}
	}
	method := "exact"
	if v, ok := in.opt("fit"); ok {
		if method = v.text(); method != "exact" && method != "heuristic" {
			v.fail("must be \"exact\" or \"heuristic\"")
		}
	}
	boosted := false
	if v, ok := in.opt("shape"); ok {
		name := v.text()
		if boosted = name == "logitboost"; !boosted && name != "rule" {
			v.fail("must be \"rule\" or \"logitboost\"")
		}
	}
	var out map[string]any
	if method == "heuristic" {
		out = heuristicKnot(x, y)
	} else {
		out = exactKnot(x, y)
	}
	if boosted {
		out["likely"] = nil
		if f, ok := curve.FitKnot(x, y); ok {
			shape, p := curve.TrainBoost(0, 0).Classify(f)
			out["shape"] = shape.String()
			out["likely"] = map[string]any{"flat": number(p[0]), "sloped": number(p[1]), "knotted": number(p[2])}
		}
	}
	return out
}

func exactKnot(x, y []float64) map[string]any {
	out := map[string]any{"shape": curve.Unknown.String(), "knot_x": nil, "knot_y": nil, "slope1": nil, "slope2": nil, "sse": nil}
	if f, ok := curve.FitKnot(x, y); ok {
		out["shape"] = curve.Classify(f).String()
		out["knot_x"], out["knot_y"] = number(f.X), number(f.Y)
		out["slope1"], out["slope2"], out["sse"] = number(f.First.Slope), number(f.Second.Slope), number(f.SSE)
	}
	return out
}

func heuristicKnot(x, y []float64) map[string]any {
	out := map[string]any{
		"shape": curve.Unknown.String(), "knot_x": nil, "knot_y": nil, "slope1": nil, "slope2": nil, "sse": nil,
		"guess": nil, "knot": nil,
	}
	h, ok := curve.FitHeuristic(x, y)
	if !ok {
		return out
	}
	if f, ok := curve.FitKnot(x, y); ok {
		out["shape"] = curve.Classify(f).String()
	}
	if h.Guess >= 0 {
		out["guess"] = h.Guess
	}
	if h.Knot < 0 {
		out["slope1"], out["sse"] = number(h.Line.Slope), number(h.Line.SSE)
		return out
	}
	out["knot"], out["knot_x"], out["knot_y"] = h.Knot, number(x[h.Knot]), number(h.First.At(x[h.Knot]))
	out["slope1"], out["slope2"], out["sse"] = number(h.First.Slope), number(h.Second.Slope), number(h.First.SSE+h.Second.SSE)
	return out
}

// stayingPower is A22: {"presence":[1,0,null,..]}, null a missing version, gives a
// number, null with fewer than two versions.
func stayingPower(in value) any {
	in.object("presence")
	list := in.get("presence").list()
	present, observed := terms.NewBits(len(list)), terms.NewBits(len(list))
	for i, v := range list {
		if v.null() {
			continue
		}
		observed.Set(i)
		if v.integer(0, 1) == 1 {
			present.Set(i)
		}
	}
	if sigma, ok := terms.StayingPower(present, observed); ok {
		return number(sigma)
	}
	return nil
}

// divergence is A24: {"docs":{name:[{term:count} a version]},"doc":name}, for one
// version with "t", gives each term's probabilities and divergence.
func divergence(in value) any {
	in.object("docs", "doc", "t")
	names, members := in.get("docs").fields()
	docs := make(map[string][]map[string]int, len(names))
	for _, name := range names {
		for _, v := range members[name].list() {
			if v.null() {
				docs[name] = append(docs[name], nil)
				continue
			}
			words, counts := v.fields()
			version := make(map[string]int, len(words))
			for _, w := range words {
				version[w] = counts[w].integer(0, math.MaxInt32)
			}
			docs[name] = append(docs[name], version)
		}
	}
	doc := in.get("doc").text()
	if _, ok := docs[doc]; !ok {
		in.get("doc").fail("%q is none of docs", doc)
	}
	var found map[string]terms.Divergence
	if v, ok := in.opt("t"); ok {
		found = terms.DivergencesAt(docs, doc, v.integer(0, max(len(docs[doc])-1, 0)))
	} else {
		found = terms.Divergences(docs, doc)
	}
	out := map[string]any{}
	for term, d := range found {
		out[term] = map[string]any{"p_doc": number(d.PDoc), "p_col": number(d.PCol), "div": number(d.Div)}
	}
	return map[string]any{"terms": out}
}

// schedule is 2.1, evenly spaced visits: {"pages":[{"importance","rate"}],
// "budget":fetches an hour} gives the rates of the greatest freshness, and it.
func schedule(in value) any {
	in.object("pages", "budget")
	var pages []adaptive.Page
	for _, v := range in.get("pages").list() {
		v.object("importance", "rate")
		p := adaptive.Page{Importance: v.get("importance").number(), Rate: v.get("rate").number()}
		if err := p.Check(); err != nil {
			v.fail("%v", err)
		}
		pages = append(pages, p)
	}
	budget := in.get("budget").number()
	if budget < 0 {
		in.get("budget").fail("must not be negative")
	}
	rates, freshness := adaptive.Optimum(pages, budget)
	out := make([]any, len(rates))
	for i, r := range rates {
		out[i] = number(r)
	}
	return map[string]any{"rates": out, "freshness": number(freshness)}
}
