package measure

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/novelty/eval"
)

// pageNumbers numbers the pages of a document, which names them by strings or by
// numbers, in the order of their first mention.
type pageNumbers struct {
	number map[string]uint32
	ids    []any // as the document has them: string or json.Number
}

// of gives the number of a page, a new one if it has none yet.
func (n *pageNumbers) of(v value) uint32 {
	key := pageKey(v)
	p, ok := n.number[key]
	if !ok {
		if n.number == nil {
			n.number = map[string]uint32{}
		}
		p = uint32(len(n.ids))
		n.number[key] = p
		n.ids = append(n.ids, v.v)
	}
	return p
}

// pageKey is the text of a page's id, which is also its key in an object.
func pageKey(v value) string {
	switch x := v.v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	}
	v.fail("must be a page, a string or a number, not %s", v.kind())
	return ""
}

// edges reads [[q,p]..].
func (n *pageNumbers) edges(v value) novelty.Pairs {
	var out novelty.Pairs
	for _, e := range v.list() {
		ends := e.list()
		if len(ends) != 2 {
			e.fail("must be a link: [source, target]")
		}
		out = append(out, [2]uint32{n.of(ends[0]), n.of(ends[1])})
	}
	return out
}

// sorted gives the ids of pages in ascending order: numbers by size, before strings.
func (n *pageNumbers) sorted(pages []uint32) []any {
	slices.SortFunc(pages, func(a, b uint32) int {
		x, y := n.ids[a], n.ids[b]
		p, isNumber := x.(json.Number)
		q, areNumbers := y.(json.Number)
		switch {
		case isNumber && areNumbers:
			f, _ := p.Float64()
			g, _ := q.Float64()
			return cmp.Compare(f, g)
		case isNumber:
			return -1
		case areNumbers:
			return 1
		}
		return cmp.Compare(x.(string), y.(string))
	})
	out := make([]any, len(pages))
	for i, p := range pages {
		out[i] = n.ids[p]
	}
	return out
}

// classify is T2: {"crawled":[..],"prev":[..],"history":[..],"edges":[[q,p]..],
// "lm":{page:t},"t_prev":t} gives the sorted lists {"O","U","L2","fringe"}. Times are
// numbers or dates such as "2003-07-01"; "rules":[1,2,3] asks for some rules only.
// Links from pages that were not crawled are none of the snapshot's.
func classify(in value) any {
	in.object("crawled", "prev", "history", "edges", "lm", "t_prev", "rules")
	var n pageNumbers
	flags := map[uint32]novelty.Flag{}
	for _, part := range []struct {
		key  string
		flag novelty.Flag
	}{{"crawled", novelty.Crawled}, {"prev", novelty.Previous | novelty.Known}, {"history", novelty.Known}} {
		for _, v := range in.get(part.key).list() {
			flags[n.of(v)] |= part.flag
		}
	}
	links := n.edges(in.get("edges"))
	previous := in.get("t_prev").moment()
	names, modified := in.get("lm").fields()
	for _, name := range names {
		if v := modified[name]; !v.null() && v.moment() < previous {
			if p, ok := n.number[name]; ok {
				flags[p] |= novelty.Modified
			}
		}
	}
	rules := novelty.DefaultRules
	if v, ok := in.opt("rules"); ok {
		rules = 0
		for _, r := range v.list() {
			rules |= 1 << (r.integer(1, 3) - 1)
		}
	}
	dense := make([]novelty.Flag, len(n.ids))
	for p, f := range flags {
		dense[p] = f
	}
	classes, err := novelty.Classify(context.Background(), dense, links, rules, 1)
	if err != nil {
		in.fail("%v", err)
	}
	lists := map[string][]uint32{"O": {}, "U": {}, "L2": {}, "fringe": {}}
	for p, c := range classes {
		switch c {
		case novelty.L2:
			lists["L2"] = append(lists["L2"], uint32(p))
			lists["O"] = append(lists["O"], uint32(p))
		case novelty.Old, novelty.Unidentified, novelty.Fringe:
			lists[c.String()] = append(lists[c.String()], uint32(p))
		}
	}
	out := map[string]any{}
	for name, pages := range lists {
		out[name] = n.sorted(pages)
	}
	return out
}

// moment reads a time: a number in any unit, or a date, then in seconds.
func (v value) moment() float64 {
	if s, ok := v.v.(string); ok {
		for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01"} {
			if t, err := time.Parse(layout, s); err == nil {
				return float64(t.UnixNano()) / 1e9
			}
		}
	}
	return v.number()
}

// noveltyScores is T3: {"edges":[[q,p]..],"O":[..],"U":[..],"L2":[..],"delta":d,
// "iterations":n, 0 for convergence} gives the scores of U and the L1 change of each
// iteration. Without them delta is .1 and there are 20 iterations. O may list L2 too.
func noveltyScores(in value) any {
	in.object("edges", "O", "U", "L2", "delta", "iterations")
	var n pageNumbers
	classes := map[uint32]novelty.Class{}
	for _, part := range []struct {
		key   string
		class novelty.Class
	}{{"O", novelty.Old}, {"L2", novelty.L2}, {"U", novelty.Unidentified}} {
		for _, v := range in.get(part.key).list() {
			p := n.of(v)
			if part.class == novelty.Unidentified && classes[p].Crawled() && classes[p] != novelty.Unidentified {
				v.fail("page %s cannot be both old and unidentified", pageKey(v))
			}
			classes[p] = part.class
		}
	}
	listed := len(n.ids)
	edges := in.get("edges")
	links := n.edges(edges)
	for i, l := range links {
		if int(l[0]) >= listed {
			source := edges.list()[i].list()[0]
			source.fail("page %s is in none of O, U and L2", pageKey(source))
		}
	}
	dense := make([]novelty.Class, len(n.ids))
	for p := range dense {
		dense[p] = classes[uint32(p)] // pages that are only linked to stay absent
	}
	opt := novelty.ScoreOptions{Delta: novelty.DefaultDelta, Iterations: novelty.DefaultIterations, Workers: 1}
	if v, ok := in.opt("delta"); ok {
		if opt.Delta = v.number(); opt.Delta < 0 || opt.Delta > 1 {
			v.fail("must be a probability, from 0 to 1")
		}
	}
	if v, ok := in.opt("iterations"); ok {
		opt.Iterations = v.integer(0, math.MaxInt32)
	}
	graph, err := novelty.Build(context.Background(), dense, links, novelty.BuildOptions{Workers: 1})
	if err != nil {
		edges.fail("%v", err)
	}
	scores, err := novelty.Score[float64](context.Background(), graph, opt)
	if err != nil {
		in.fail("%v", err)
	}
	out := make(map[string]any, graph.Len())
	for i, p := range graph.Pages() {
		out[pageKey(value{n.ids[p], ""})] = number(scores.N[i])
	}
	return map[string]any{"N": out, "diff": scores.L1}
}

// dated is T8: {"urls":[..],"t_prev":"YYYY-MM","t_k":"YYYY-MM"}, with "years" other
// than 1993 to 2010, counts the URLs by the month that they name.
func dated(in value) any {
	in.object("urls", "t_prev", "t_k", "years")
	month := func(key string) eval.Month {
		v := in.get(key)
		m, err := eval.ParseMonth(v.text())
		if err != nil {
			v.fail("%v", err)
		}
		return m
	}
	previous, current := month("t_prev"), month("t_k")
	if current < previous {
		in.get("t_k").fail("is before t_prev")
	}
	var dater eval.Dater
	if v, ok := in.opt("years"); ok {
		years := v.list()
		if len(years) != 2 {
			v.fail("must be the first and the last year")
		}
		dater.First = years[0].integer(1, 9999)
		dater.Last = years[1].integer(dater.First, 9999)
	}
	var counts eval.Dated
	months := map[string]any{}
	for _, url := range in.get("urls").texts() {
		m, ok := dater.Of(url)
		if !ok {
			months[url] = nil
			continue
		}
		months[url] = m.String()
		counts.Add(eval.AgeOf(m, previous, current))
	}
	return map[string]any{"old": counts.Old, "new": counts.New, "future": counts.Future, "months": months}
}
