package category

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// Page is what is looked at of a page.
type Page struct {
	Language string   // as crawler/extract and monitor/text name it; "" where unknown
	Words    []string // distinct, in any order
}

// Example is a page whose category is known.
type Example struct {
	Page
	Category string
	Site     string
}

// MinPages is how many labelled pages a category needs by default.
const MinPages = 5

// Options for Train and CrossValidate. The zero Options are good ones.
type Options struct {
	MinPages   int // a category with fewer examples is left out; zero: MinPages
	Vocabulary int // words that are kept of a category, the heaviest; zero: 1000
	Folds      int // of the cross-validation; zero: 5
}

func (o Options) withDefaults() Options {
	o.MinPages = cmp.Or(max(o.MinPages, 0), MinPages)
	o.Vocabulary = cmp.Or(max(o.Vocabulary, 0), 1000)
	o.Folds = max(cmp.Or(max(o.Folds, 0), 5), 2)
	return o
}

// TooFewError says that there are too few examples to learn from.
type TooFewError struct {
	Want int            // examples that a category needs
	Have map[string]int // examples of each category
}

// Error names the categories with their numbers.
func (e *TooFewError) Error() string {
	var have []string
	for _, c := range slices.Sorted(maps.Keys(e.Have)) {
		have = append(have, fmt.Sprintf("%s has %d", c, e.Have[c]))
	}
	list := "there are none"
	if len(have) > 0 {
		list = strings.Join(have, ", ")
	}
	return fmt.Sprintf("finding categories wants two categories with %d labelled pages each: %s", e.Want, list)
}

// usable leaves out the examples of categories that have too few, and puts the others
// in an order that does not depend on theirs.
func usable(examples []Example, opt Options) ([]Example, error) {
	have := map[string]int{}
	for _, e := range examples {
		if e.Category != "" && len(e.Words) > 0 {
			have[e.Category]++
		}
	}
	full := 0
	for _, n := range have {
		if n >= opt.MinPages {
			full++
		}
	}
	if full < 2 {
		return nil, &TooFewError{Want: opt.MinPages, Have: have}
	}
	type keyed struct {
		Example
		key uint64
	}
	var list []keyed
	for _, e := range examples {
		if e.Category == "" || len(e.Words) == 0 || have[e.Category] < opt.MinPages {
			continue
		}
		e.Words = slices.Compact(slices.Sorted(slices.Values(e.Words)))
		list = append(list, keyed{e, xxh3.HashString(strings.Join(e.Words, " "))})
	}
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Site, b.Site), cmp.Compare(a.key, b.key))
	})
	out := make([]Example, len(list))
	for i, k := range list {
		out[i] = k.Example
	}
	return out, nil
}

// Train learns from examples; their order has no say. Its error is a *TooFewError
// where there are not two categories with enough of them.
func Train(examples []Example, opt Options) (*Model, error) {
	opt = opt.withDefaults()
	examples, err := usable(examples, opt)
	if err != nil {
		return nil, err
	}
	return train(examples, opt), nil
}

// train makes the centroids. A page p of language l is the vector
//
//	v_p(w) = ln((1 + N_l) / (1 + n_l(w)))  for its words w, at length 1
//
// with N_l the pages of the language and n_l(w) those of them with the word. The
// centroid of a category is the mean over its sites of the mean over the site's
// pages, so that a site with many pages does not speak for the category, at length 1.
func train(examples []Example, opt Options) *Model {
	pages := map[string]int{}
	count := map[string]int{}
	for _, e := range examples {
		pages[e.Language]++
		for _, w := range e.Words {
			count[feature(e.Language, w)]++
		}
	}
	rarity := make(map[string]float64, len(count))
	for f, n := range count {
		lang, _, _ := strings.Cut(f, separator)
		rarity[f] = math.Log(float64(1+pages[lang]) / float64(1+n))
	}
	m := &Model{Centroids: map[string]map[string]float32{}, Rarity: map[string]float32{}}
	for from := 0; from < len(examples); {
		to := from
		for to < len(examples) && examples[to].Category == examples[from].Category {
			to++
		}
		m.Centroids[examples[from].Category] = centroid(examples[from:to], rarity, opt.Vocabulary)
		from = to
	}
	for _, c := range m.Centroids {
		for f := range c {
			m.Rarity[f] = float32(rarity[f])
		}
	}
	return m
}

// centroid adds the examples of one category, which stand site by site.
func centroid(examples []Example, rarity map[string]float64, keep int) map[string]float32 {
	sum := map[string]float64{}
	for from := 0; from < len(examples); {
		to := from
		for to < len(examples) && examples[to].Site == examples[from].Site {
			to++
		}
		for _, e := range examples[from:to] {
			length := 0.
			for _, w := range e.Words {
				r := rarity[feature(e.Language, w)]
				length += r * r
			}
			if length == 0 {
				continue
			}
			scale := 1 / (math.Sqrt(length) * float64(to-from))
			for _, w := range e.Words {
				f := feature(e.Language, w)
				sum[f] += rarity[f] * scale
			}
		}
		from = to
	}
	features := slices.SortedFunc(maps.Keys(sum), func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	features = features[:min(len(features), keep)]
	length := 0.
	for _, f := range features {
		length += sum[f] * sum[f]
	}
	out := make(map[string]float32, len(features))
	for _, f := range features {
		if length > 0 && sum[f] > 0 {
			out[f] = float32(sum[f] / math.Sqrt(length))
		}
	}
	return out
}

// separator stands between language and word; neither has it.
const separator = "\x1f"

func feature(language, word string) string { return language + separator + word }
