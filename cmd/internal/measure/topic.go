package measure

import (
	"math"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// most is the largest count that a document may name.
const most = math.MaxInt32

// weights is J1: {"docs":{page:[terms]},"N":n} gives {term:{"CF","n","W"}}. Without
// N the documents are counted; with 0 of them no weight is defined.
func weights(in value) any {
	texts, n := periodOf(in)
	out := map[string]any{}
	for term, w := range popular.Weights(texts, n) {
		out[term] = map[string]any{"CF": w.Count, "n": w.Pages, "W": defined(w.W, n)}
	}
	return out
}

// scores is J3: {"docs":{page:[new terms]},"N":n} gives {page:S}.
func scores(in value) any {
	texts, n := periodOf(in)
	weights := popular.Weights(texts, n)
	out := map[string]any{}
	for page, terms := range texts {
		out[page] = defined(popular.Score(terms, weights), n)
	}
	return out
}

// defined is x, or null where the collection has no pages to divide by.
func defined(x float64, pages int) any {
	if pages == 0 {
		return nil
	}
	return number(x)
}

func periodOf(in value) (texts map[string][]string, n int) {
	in.object("docs", "N")
	pages, members := in.get("docs").fields()
	texts = make(map[string][]string, len(pages))
	for _, page := range pages {
		texts[page] = members[page].texts()
	}
	n = len(texts)
	if v, ok := in.opt("N"); ok {
		n = v.integer(0, most)
	}
	return texts, n
}

// upToDate is J4: {"S":[..]} gives D after each period. A period without a score,
// null, passes without adding anything.
func upToDate(in value) any {
	in.object("S")
	var scores []float64
	for _, v := range in.get("S").list() {
		if v.null() {
			scores = append(scores, 0)
			continue
		}
		scores = append(scores, v.number())
	}
	out := []any{}
	for _, d := range popular.UpToDate(scores) {
		out = append(out, number(d))
	}
	return out
}

// expand is J10: {"top":[..],"inlinks":{url:[..]},"outlinks":{url:[..]},
// "collection":[..],"parents":200,"add":10} gives {"parents","candidates","added"}.
// Pages are of one site if they share the registrable domain; "site":"host" asks
// for the host name instead.
func expand(in value) any {
	in.object("top", "inlinks", "outlinks", "collection", "parents", "add", "site")
	limit := func(key string, usual int) int {
		if v, ok := in.opt(key); ok {
			return v.integer(0, most)
		}
		return usual
	}
	site := siteOf
	if v, ok := in.opt("site"); ok {
		switch v.text() {
		case "host":
			site = hostOf
		case "domain":
		default:
			v.fail(`must be "domain" or "host"`)
		}
	}
	e := popular.Expand(in.get("top").texts(), lists(in.get("inlinks")), lists(in.get("outlinks")),
		in.get("collection").texts(), limit("parents", 200), limit("add", 10), site)
	return map[string]any{"parents": urls(e.Parents), "candidates": urls(e.Candidates), "added": e.Added()}
}

func lists(v value) map[string][]string {
	names, members := v.fields()
	out := make(map[string][]string, len(names))
	for _, name := range names {
		out[name] = members[name].texts()
	}
	return out
}

func urls(pages []popular.Ranked) []string {
	out := make([]string, len(pages))
	for i, p := range pages {
		out[i] = p.URL
	}
	return out
}

// siteOf is the registrable domain of a URL, the URL itself if it is none.
func siteOf(url string) string { return factsOf(url).Site }

func hostOf(url string) string { return factsOf(url).Host }

func factsOf(url string) canonical.Facts {
	plain := canonical.Facts{Site: url, Host: url}
	c, err := canonical.New(canonical.Options{}).URL("", url)
	if err != nil {
		return plain
	}
	facts, err := canonical.FactsOf(c)
	if err != nil {
		return plain
	}
	return facts
}
