package diff

// Move is a run of tokens that a script deletes in one place and inserts in
// another: a[AStart:AEnd] equals b[BStart:BEnd].
type Move struct {
	AStart, AEnd int
	BStart, BEnd int
}

// Moves pairs what the script edits of a and b deletes with equal tokens that
// it inserts, each token at most once, in runs as long as the two sides stay
// equal, and returns the runs in the order of b. The first free occurrence in
// a is taken. Meant for sentences, where an equal token is the same thing; among
// words nearly everything "moves".
func Moves(edits []Edit, a, b []string) []Move {
	free := map[string][]int{} // deleted tokens: their positions in a, ascending
	gone := make([]bool, len(a))
	for _, e := range edits {
		if e.Op == Delete {
			for i := e.AStart; i < e.AEnd; i++ {
				free[a[i]] = append(free[a[i]], i)
				gone[i] = true
			}
		}
	}
	var out []Move
	for _, e := range edits {
		if e.Op != Insert {
			continue
		}
		for j := e.BStart; j < e.BEnd; {
			i := -1
			for list := free[b[j]]; len(list) > 0 && i < 0; list = list[1:] {
				if gone[list[0]] {
					i = list[0]
				}
				free[b[j]] = list[1:]
			}
			if i < 0 {
				j++
				continue
			}
			m := Move{AStart: i, AEnd: i, BStart: j, BEnd: j}
			for m.AEnd < len(a) && m.BEnd < e.BEnd && gone[m.AEnd] && a[m.AEnd] == b[m.BEnd] {
				gone[m.AEnd] = false
				m.AEnd++
				m.BEnd++
			}
			out = append(out, m)
			j = m.BEnd
		}
	}
	return out
}
