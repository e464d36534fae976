package category

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Model tells categories. It is safe for concurrent use.
type Model struct {
	// Centroids has the weights of words, by category and by language and word.
	Centroids map[string]map[string]float32 `json:"centroids"`
	// Rarity has the weight of each of these words in a page.
	Rarity map[string]float32 `json:"rarity"`
}

// Categories returns the categories that the model knows, ascending.
func (m *Model) Categories() []string { return slices.Sorted(maps.Keys(m.Centroids)) }

// Classify returns the category whose centroid the page is most similar to, and how
// much greater its cosine is than that of the next one, 0 to 1. A page that shares no
// word with any has the category "".
func (m *Model) Classify(p Page) (category string, margin float64) {
	words := slices.Compact(slices.Sorted(slices.Values(p.Words)))
	features := make([]string, 0, len(words))
	length := 0.
	for _, w := range words {
		f := feature(p.Language, w)
		if r := float64(m.Rarity[f]); r > 0 {
			features = append(features, f)
			length += r * r
		}
	}
	if length == 0 {
		return "", 0
	}
	best, next := 0., 0.
	for _, name := range m.Categories() {
		c := m.Centroids[name]
		dot := 0.
		for _, f := range features {
			dot += float64(c[f]) * float64(m.Rarity[f])
		}
		switch {
		case dot > best:
			category, best, next = name, dot, best
		case dot > next:
			next = dot
		}
	}
	return category, (best - next) / math.Sqrt(length)
}

// MarshalBinary writes the model. Equal models have equal bytes.
func (m *Model) MarshalBinary() ([]byte, error) {
	b, err := json.Marshal((*plain)(m))
	if err != nil {
		return nil, fmt.Errorf("write model of categories: %w", err)
	}
	return b, nil
}

// plain is a Model without methods, so that encoding/json looks at its fields.
type plain Model

var errModel = errors.New("model of categories is damaged")

// UnmarshalBinary reads what MarshalBinary wrote. On an error the model is not changed.
func (m *Model) UnmarshalBinary(b []byte) error {
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("%w: %w", errModel, err)
	}
	if len(p.Centroids) == 0 {
		return errModel
	}
	for name, c := range p.Centroids {
		if name == "" || c == nil {
			return errModel
		}
	}
	*m = Model(p)
	return nil
}
