package monitor

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/store"
)

// ruled is a store or one of its transactions.
type ruled interface {
	IgnoreRules(context.Context, []store.PageID) (map[store.PageID][]string, error)
}

// ruling is what the watches of a page leave out of it. The zero ruling leaves out
// nothing.
type ruling struct {
	rules *ignore.Rules
	hash  []byte // of the rules' text; nil: there are none
}

// rulesOf gives the rules of the pages that have some; known has those that were
// compiled already, by their text. A rule that does not compile was refused with
// the configuration; one that an older program let in is left out with the others
// of its page.
func rulesOf(ctx context.Context, src ruled, pages []store.PageID, known map[string]ruling) (map[store.PageID]ruling, error) {
	slices.Sort(pages)
	texts, err := src.IgnoreRules(ctx, slices.Compact(pages))
	if err != nil {
		return nil, err
	}
	out := make(map[store.PageID]ruling, len(texts))
	for page, list := range texts {
		key := strings.Join(list, "\n")
		r, ok := known[key]
		if !ok {
			if rules, err := ignore.Compile(list); err == nil && !rules.Empty() {
				sum := sha256.Sum256([]byte(key))
				r = ruling{rules, sum[:hashBytes]}
			}
			known[key] = r
		}
		if r.rules != nil {
			out[page] = r
		}
	}
	return out, nil
}

// hashBytes is the length of ruling.hash.
const hashBytes = 16
