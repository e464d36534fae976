package series

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/store"
)

// Unlike tells which snapshots of a series have novelty by another delta or by other
// rules than most: one threshold does not mean the same in all of them. It is empty where
// they are computed alike. A snapshot without one before has no novelty and is not asked.
func Unlike(all []store.SeriesSnapshot) string {
	i := slices.IndexFunc(all, func(s store.SeriesSnapshot) bool { return !s.ComputedAt.IsZero() && s.Pages > 0 })
	if i < 0 {
		return ""
	}
	asked := slices.DeleteFunc(slices.Clone(all[i+1:]), func(s store.SeriesSnapshot) bool { return s.ComputedAt.IsZero() || s.Pages == 0 })
	type manner struct {
		words   string
		numbers []int
	}
	var found []*manner
	otherDelta := slices.ContainsFunc(asked, func(s store.SeriesSnapshot) bool { return s.Delta != asked[0].Delta })
	otherRules := slices.ContainsFunc(asked, func(s store.SeriesSnapshot) bool { return !slices.Equal(s.Rules, asked[0].Rules) })
	for _, s := range asked {
		var words []string
		if otherDelta {
			words = append(words, fmt.Sprintf("delta %g", s.Delta))
		}
		if otherRules {
			words = append(words, "rules "+cmp.Or(strings.Join(s.Rules, ", "), "none"))
		}
		m := &manner{words: strings.Join(words, " and ")}
		if i := slices.IndexFunc(found, func(f *manner) bool { return f.words == m.words }); i >= 0 {
			m = found[i]
		} else {
			found = append(found, m)
		}
		m.numbers = append(m.numbers, s.Number)
	}
	if len(found) < 2 {
		return ""
	}
	most := slices.MaxFunc(found, func(a, b *manner) int { return cmp.Compare(len(a.numbers), len(b.numbers)) })
	var parts []string
	for _, m := range found {
		if m != most {
			parts = append(parts, fmt.Sprintf("%s by %s", spans(m.numbers), m.words))
		}
	}
	return fmt.Sprintf("Novelty is not computed alike in all snapshots: %s; the others by %s. A threshold does not mean the same in them ('strandline novelty --all' makes them alike).",
		strings.Join(parts, "; "), most.words)
}

// spans writes rising numbers, such as 1, 3 to 5.
func spans(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		switch {
		case i == j:
			out = append(out, fmt.Sprint(numbers[i]))
		case j == i+1:
			out = append(out, fmt.Sprint(numbers[i]), fmt.Sprint(numbers[j]))
		default:
			out = append(out, fmt.Sprintf("%d to %d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}
