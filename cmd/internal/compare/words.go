package compare

import (
	"slices"
	"strings"

	"github.com/strandlinehq/strandline/monitor/text/diff"
)

// Piece is a run of text with what became of it.
type Piece struct {
	Op    diff.Op
	Noise bool // known to be noise
	Text  string
}

// Words are the words of both texts in one sequence: what is kept or deleted joins to the
// text of A, what is kept or inserted to that of B. It is not the shortest sequence but
// one to be read: a few words that stay between longer stretches that do not are deleted
// and inserted with them, and lines that took each other's place stand pair by pair.
func (v *Versions) Words() []Piece {
	return wordPieces(tokens(v.TextA.Text()), tokens(v.TextB.Text()), v.noiseA, v.noiseB)
}

// stretch is a part of both texts: the same tokens in both, or those that went and those
// that came.
type stretch struct {
	kept bool
	a, b []string
}

// wordPieces compares two texts as tokens; each of which ends where its spaces do.
func wordPieces(a, b []string, noiseA, noiseB []span) []Piece {
	var out []Piece
	atA, atB := 0, 0
	add := func(op diff.Op, noise bool, t string) {
		if n := len(out); n > 0 && out[n-1].Op == op && out[n-1].Noise == noise {
			out[n-1].Text += t
		} else if t != "" {
			out = append(out, Piece{op, noise, t})
		}
	}
	keep := func(t string) {
		add(diff.Keep, false, t)
		atA, atB = atA+len(t), atB+len(t)
	}
	for _, s := range stretches(a, b) {
		if s.kept {
			keep(strings.Join(s.b, ""))
			continue
		}
		for _, pair := range linePairs(s) {
			gone, come, end := withoutEnd(pair.a, pair.b)
			for _, t := range gone {
				add(diff.Delete, covered(noiseA, atA, atA+len(t)), t)
				atA += len(t)
			}
			for _, t := range come {
				add(diff.Insert, covered(noiseB, atB, atB+len(t)), t)
				atB += len(t)
			}
			keep(end)
		}
	}
	return out
}

// stretches cuts two texts into what is kept and what is not, by turns.
func stretches(a, b []string) []stretch {
	var out []stretch
	for _, e := range diff.Diff(a, b) {
		s := stretch{e.Op == diff.Keep, a[e.AStart:e.AEnd], b[e.BStart:e.BEnd]}
		if n := len(out); n > 0 && !s.kept && !out[n-1].kept { // an Insert behind its Delete
			out[n-1].a, out[n-1].b = slices.Concat(out[n-1].a, s.a), slices.Concat(out[n-1].b, s.b)
		} else {
			out = append(out, s)
		}
		for n := len(out); n >= 3 && island(out[n-3], out[n-2], out[n-1]); n = len(out) {
			before, between, after := out[n-3], out[n-2], out[n-1]
			out = append(out[:n-3], stretch{false, slices.Concat(before.a, between.a, after.a), slices.Concat(before.b, between.b, after.b)})
		}
	}
	return out
}

// island reports whether kept words are few beside the changes around them, so that
// they say nothing: at most half of each. The end of a line is never one, it
// shows where what follows stands.
func island(before, between, after stretch) bool {
	if before.kept || !between.kept || after.kept {
		return false
	}
	n := 2 * len(between.b)
	return n <= max(len(before.a), len(before.b)) && n <= max(len(after.a), len(after.b)) &&
		!slices.ContainsFunc(between.b, endsLine)
}

func endsLine(t string) bool { return strings.HasSuffix(t, "\n") }

// linePairs cuts a change of as many lines as were there before into its lines, such as
// the cells of a table.
func linePairs(s stretch) []stretch {
	lines := lineEnds(s.a)
	if lines < 2 || lines != lineEnds(s.b) {
		return []stretch{s}
	}
	var out []stretch
	for range lines {
		i, j := slices.IndexFunc(s.a, endsLine)+1, slices.IndexFunc(s.b, endsLine)+1
		out = append(out, stretch{false, s.a[:i], s.b[:j]})
		s.a, s.b = s.a[i:], s.b[j:]
	}
	return append(out, s)
}

func lineEnds(list []string) int {
	n := 0
	for _, t := range list {
		if endsLine(t) {
			n++
		}
	}
	return n
}

// withoutEnd takes off the space or line end that both end with, which is kept
// whatever else is not.
func withoutEnd(a, b []string) (restA, restB []string, end string) {
	if len(a) == 0 || len(b) == 0 {
		return a, b, ""
	}
	lastA, lastB := a[len(a)-1], b[len(b)-1]
	end = lastA[len(lastA)-1:]
	if end != " " && end != "\n" || !strings.HasSuffix(lastB, end) {
		return a, b, ""
	}
	cut := func(list []string, last string) []string {
		return append(slices.Clone(list[:len(list)-1]), last[:len(last)-1])
	}
	return cut(a, lastA), cut(b, lastB), end
}
