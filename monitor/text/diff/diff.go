// Package diff compares two token sequences, words or sentences, and gives the
// edit script between them; Moves finds what was not deleted and inserted but
// carried elsewhere (SCIENCE 2.8).
//
// The algorithm is that of Myers, "An O(ND) Difference Algorithm and Its
// Variations" (Algorithmica 1, 1986), in the form that meets in the middle and
// needs linear space, with two additions. Tokens that stand on one side only
// are set aside first, since no alignment can match them. And a search that
// has cost too much is cut where it has come furthest: for sequences that have
// little in common the script is then right but not always the shortest, and
// the time stays near n*limit steps.
//
// The result depends on the arguments alone. Left out: a diff of trees, and
// markup; both are the caller's.
package diff

// Op says what an Edit does.
type Op uint8

// The three kinds of edits.
const (
	Keep Op = iota
	Insert
	Delete
)

// String returns the name of the operation in lower case.
func (o Op) String() string {
	switch o {
	case Keep:
		return "keep"
	case Insert:
		return "insert"
	case Delete:
		return "delete"
	}
	return "unknown"
}

// Edit is one step of a script: the old tokens a[AStart:AEnd] become the new
// tokens b[BStart:BEnd]. The two ranges are equal token by token for Keep, the
// new one is empty for Delete, the old one for Insert.
type Edit struct {
	Op           Op
	AStart, AEnd int
	BStart, BEnd int
}

// Diff returns the script that turns a into b. The edits follow one another
// without gaps on both sides, so that each side can be rebuilt from them;
// neighbours differ in Op, and a replacement is a Delete before an Insert. Two
// empty sequences have an empty script.
func Diff(a, b []string) []Edit {
	x, y := intern(a, b)
	return Of(x, y)
}

// Of is Diff on tokens of any comparable kind, such as hashes.
func Of[T comparable](a, b []T) []Edit {
	keepA, keepB := match(a, b)
	return script(len(a), len(b), keepA, keepB)
}

// intern numbers the tokens, which makes comparing them cheap.
func intern(a, b []string) (x, y []int32) {
	ids := make(map[string]int32, len(a))
	number := func(tokens []string) []int32 {
		out := make([]int32, len(tokens))
		for i, t := range tokens {
			id, ok := ids[t]
			if !ok {
				id = int32(len(ids))
				ids[t] = id
			}
			out[i] = id
		}
		return out
	}
	return number(a), number(b)
}

// match returns for each token whether it is kept. The kept tokens of both
// sides are equal in number and in order.
func match[T comparable](a, b []T) (keepA, keepB []bool) {
	keepA, keepB = make([]bool, len(a)), make([]bool, len(b))
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		keepA[start], keepB[start] = true, true
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
		keepA[endA], keepB[endB] = true, true
	}
	s := search[T]{keepA: keepA, keepB: keepB}
	s.a, s.atA = shared(a, start, endA, b[start:endB])
	s.b, s.atB = shared(b, start, endB, a[start:endA])
	s.run()
	return keepA, keepB
}

// shared returns the tokens of a[start:end] that occur in other, and their
// positions in a.
func shared[T comparable](a []T, start, end int, other []T) (tokens []T, at []int) {
	if start == end || len(other) == 0 {
		return nil, nil
	}
	in := make(map[T]struct{}, len(other))
	for _, t := range other {
		in[t] = struct{}{}
	}
	for i := start; i < end; i++ {
		if _, ok := in[a[i]]; ok {
			tokens = append(tokens, a[i])
			at = append(at, i)
		}
	}
	return tokens, at
}

// script joins the kept flags to edits.
func script(lenA, lenB int, keepA, keepB []bool) []Edit {
	var out []Edit
	for i, j := 0, 0; i < lenA || j < lenB; {
		i0, j0 := i, j
		for i < lenA && !keepA[i] {
			i++
		}
		if i > i0 {
			out = append(out, Edit{Delete, i0, i, j0, j0})
		}
		for j < lenB && !keepB[j] {
			j++
		}
		if j > j0 {
			out = append(out, Edit{Insert, i, i, j0, j})
		}
		i0, j0 = i, j
		for i < lenA && j < lenB && keepA[i] && keepB[j] {
			i++
			j++
		}
		if i > i0 {
			out = append(out, Edit{Keep, i0, i, j0, j})
		}
	}
	return out
}
