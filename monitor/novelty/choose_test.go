package novelty

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// choosing is links that count the sources that are asked for.
type choosing struct {
	Lists
	asked *int
}

func (c choosing) Choose(_ int, wanted func(uint32) bool, yield func(uint32, []uint32) error) error {
	for source, targets := range c.Lists {
		if !wanted(uint32(source)) {
			continue
		}
		*c.asked++
		if err := yield(uint32(source), targets); err != nil {
			return err
		}
	}
	return nil
}

// TestChooser: links that can leave sources out give the same graph, and are asked
// for those in U only when they are placed.
func TestChooser(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		classes, lists, u := make([]Class, 60), make(Lists, 60), 0
		for i := range classes {
			classes[i] = []Class{Fringe, Old, L2, Unidentified}[r.IntN(4)]
			if classes[i] == Unidentified {
				u++
			}
			for _, target := range r.Perm(60)[:r.IntN(12)] {
				lists[i] = append(lists[i], uint32(target))
			}
		}
		plain, err := Build(t.Context(), classes, lists, BuildOptions{Workers: 2, Distinct: true})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		chosen, err := Build(t.Context(), classes, choosing{lists, &asked}, BuildOptions{Workers: 2, Distinct: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain, chosen, cmp.AllowUnexported(Graph{}, members{}, node{}, section{})); diff != "" {
			t.Errorf("seed %d (-all +chosen):\n%s", seed, diff)
		}
		if asked != u {
			t.Errorf("seed %d: asked for %d sources, want the %d in U", seed, asked, u)
		}
	}
}
