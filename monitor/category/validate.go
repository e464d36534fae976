package category

import (
	"cmp"
	"maps"
	"slices"
)

// Validation is what a cross-validation found.
type Validation struct {
	Tested  int // examples
	Correct int
	// Largest is how many examples the largest category has: who always guesses it is
	// right that often.
	Largest int
	// SitesApart says that pages of one site were never both learned from and tested.
	// It is false where a category has pages of one site only: then pages of a site
	// that is not known may be recognised less often than Correct says.
	SitesApart bool
	Categories []CategoryResult // ascending by name
}

// CategoryResult is the validation of one category.
type CategoryResult struct {
	Category string `json:"category"`
	Pages    int    `json:"pages"`
	Sites    int    `json:"sites"`
	Correct  int    `json:"correct"`
}

// Accuracy is the share of the examples that were put right.
func (v *Validation) Accuracy() float64 {
	if v.Tested == 0 {
		return 0
	}
	return float64(v.Correct) / float64(v.Tested)
}

// CrossValidate deals the examples to folds, whole sites together where each
// category has two or more, and classifies each fold by what the others teach. The
// order of the examples has no say. Its error is that of Train.
func CrossValidate(examples []Example, opt Options) (*Validation, error) {
	opt = opt.withDefaults()
	examples, err := usable(examples, opt)
	if err != nil {
		return nil, err
	}
	sites := map[string]map[string]bool{}
	byName := map[string]*CategoryResult{}
	for _, e := range examples {
		if sites[e.Category] == nil {
			sites[e.Category] = map[string]bool{}
			byName[e.Category] = &CategoryResult{Category: e.Category}
		}
		sites[e.Category][e.Site] = true
		byName[e.Category].Pages++
	}
	v := &Validation{SitesApart: true}
	for name, s := range sites {
		byName[name].Sites = len(s)
		v.SitesApart = v.SitesApart && len(s) > 1
		v.Largest = max(v.Largest, byName[name].Pages)
	}
	fold := dealPages(examples, opt.Folds)
	if v.SitesApart {
		fold = dealSites(examples, opt.Folds)
	}
	for k := range opt.Folds {
		var learn, test []Example
		for i, e := range examples {
			if fold[i] == k {
				test = append(test, e)
			} else {
				learn = append(learn, e)
			}
		}
		if len(test) == 0 || len(learn) == 0 {
			continue
		}
		m := train(learn, opt)
		for _, e := range test {
			v.Tested++
			if found, _ := m.Classify(e.Page); found == e.Category {
				v.Correct++
				byName[e.Category].Correct++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		v.Categories = append(v.Categories, *byName[name])
	}
	return v, nil
}

// dealPages deals the pages of each category in turn.
func dealPages(examples []Example, folds int) []int {
	out := make([]int, len(examples))
	for i := range out {
		out[i] = i % folds
	}
	return out
}

// dealSites deals sites, the largest first, each to the fold that has least of its
// categories, so that none is missing where others are learned from.
func dealSites(examples []Example, folds int) []int {
	pages := map[string]map[string]int{} // by site and category
	size := map[string]int{}
	for _, e := range examples {
		if pages[e.Site] == nil {
			pages[e.Site] = map[string]int{}
		}
		pages[e.Site][e.Category]++
		size[e.Site]++
	}
	order := slices.SortedFunc(maps.Keys(pages), func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	of := map[string]int{}
	have := make([]map[string]int, folds)
	total := make([]int, folds)
	for k := range have {
		have[k] = map[string]int{}
	}
	for _, site := range order {
		best, least := 0, -1
		for k := range folds {
			same := 0
			for c := range pages[site] {
				same += have[k][c]
			}
			if least < 0 || same < least || same == least && total[k] < total[best] {
				best, least = k, same
			}
		}
		of[site] = best
		total[best] += size[site]
		for c, n := range pages[site] {
			have[best][c] += n
		}
	}
	out := make([]int, len(examples))
	for i, e := range examples {
		out[i] = of[e.Site]
	}
	return out
}
