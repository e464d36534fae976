package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/text/diff"
)

// show writes pieces as a line: [-gone-], {+come+}, with ~ for noise.
func show(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		noise := ""
		if p.Noise {
			noise = "~"
		}
		switch p.Op {
		case diff.Delete:
			b.WriteString("[-" + noise + p.Text + "-]")
		case diff.Insert:
			b.WriteString("{+" + noise + p.Text + "+}")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestWordPieces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, a, b, want string
		noiseA, noiseB   []span
	}{
		{"same", "all of it", "all of it", "all of it", nil, nil},
		{"nothing before", "", "two words", "{+two words+}", nil, nil},
		{"one word", "only 2 rooms left\n", "only 9 rooms left\n", "only [-2-]{+9+} rooms left\n", nil, nil},
		{"at the end of a line", "visits: 12\nend", "visits: 13\nend", "visits: [-12-]{+13+}\nend", nil, nil},
		{"cells pair by pair", "Total\n1\n2\n3\nend", "Total\n4\n5\n6\nend", "Total\n[-1-]{+4+}\n[-2-]{+5+}\n[-3-]{+6+}\nend", nil, nil},
		{"other number of lines", "a\n1\n2\nz", "a\n4\nz", "a\n[-1\n2-]{+4+}\nz", nil, nil},
		{
			"an island of one word", "ten green bottles of milk were drunk", "five red cans of beer have burst",
			"[-ten green bottles of milk were drunk-]{+five red cans of beer have burst+}", nil, nil,
		},
		{"a word beside single words stays", "ten of milk", "five of beer", "[-ten-]{+five+} of [-milk-]{+beer+}", nil, nil},
		{"the end of a line is no island", "a b c\nTotal\nd e f\n", "g h i\nTotal\nj k l\n", "[-a b c-]{+g h i+}\nTotal\n[-d e f-]{+j k l+}\n", nil, nil},
		{"noise", "news visits: 12\n", "olds visits: 13\n", "[-news-]{+olds+} visits: [-~12-]{+~13+}\n", []span{{13, 16}}, []span{{13, 16}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, show(wordPieces(tokens(tt.a), tokens(tt.b), tt.noiseA, tt.noiseB))); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestWordPiecesRebuild wants both texts back from the pieces, and neighbours to differ.
func TestWordPiecesRebuild(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([abc]{1,2}[ \n]{0,2}){0,40}`)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var gotA, gotB strings.Builder
		pieces := wordPieces(tokens(a), tokens(b), nil, nil)
		for i, p := range pieces {
			if p.Text == "" || i > 0 && pieces[i-1].Op == p.Op {
				t.Fatalf("piece %d of %q", i, show(pieces))
			}
			if p.Op != diff.Insert {
				gotA.WriteString(p.Text)
			}
			if p.Op != diff.Delete {
				gotB.WriteString(p.Text)
			}
		}
		if gotA.String() != a || gotB.String() != b {
			t.Fatalf("%q and %q from %q, want %q and %q", gotA.String(), gotB.String(), show(pieces), a, b)
		}
	})
}
