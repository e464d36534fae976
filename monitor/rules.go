package monitor

import (
	"context"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/store"
)

// ruled is a store or one of its transactions.
type ruled interface {
	IgnoreRules(context.Context, []store.PageID) (map[store.PageID][]string, error)
}

// rulesOf gives the rules of the pages that have some; known has those that were
// compiled already, by their text. A rule that does not compile was refused with
// the configuration; one that an older program let in is left out with the others
// of its page.
func rulesOf(ctx context.Context, src ruled, pages []store.PageID, known map[string]*ignore.Rules) (map[store.PageID]*ignore.Rules, error) {
	slices.Sort(pages)
	texts, err := src.IgnoreRules(ctx, slices.Compact(pages))
	if err != nil {
		return nil, err
	}
	out := make(map[store.PageID]*ignore.Rules, len(texts))
	for page, list := range texts {
		key := strings.Join(list, "\n")
		r, ok := known[key]
		if !ok {
			if r, err = ignore.Compile(list); err != nil {
				r = nil
			}
			known[key] = r
		}
		if r != nil {
			out[page] = r
		}
	}
	return out, nil
}
