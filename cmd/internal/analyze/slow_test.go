package analyze_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/cmd/internal/analyze"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/monitor/terms"
)

// What is computed from contents and runs equals what the functions of monitor
// give on all versions, one by one.
func TestAgainstWholeHistories(t *testing.T) {
	t.Parallel()
	const slots, pages = 60, 3
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var captures []fetched
		bodies := make([][]string, pages) // "" is a missing slot
		docs := map[string][]map[string]int{}
		for p := range pages {
			url := fmt.Sprintf("https://a.example/%d", p)
			bodies[p] = make([]string, slots)
			docs[url] = make([]map[string]int, slots)
			seen := map[string]bool{}
			for s := range slots {
				if s > 0 && rng.IntN(4) == 0 {
					continue
				}
				n := rng.IntN(3)
				body := strings.Repeat("<p>moon sun</p>", rng.IntN(3)) + "<div><b>" + fmt.Sprint("w", n) + "</b> moon</div>"
				if rng.IntN(8) == 0 {
					body = "<img>" // no words
				}
				bodies[p][s] = body
				docs[url][s] = count(body)
				c := fetched{url: url, at: time.Duration(s) * time.Hour, html: html(body)}
				if seen[body] {
					c.kind = warc.TypeRevisit
				}
				seen[body] = true
				captures = append(captures, c)
			}
		}
		rng.Shuffle(len(captures), func(i, j int) { captures[i], captures[j] = captures[j], captures[i] })
		for p, got := range measure(t, everything, write(t, captures)) {
			div := terms.Divergences(docs, got.URL)
			observed := terms.NewBits(slots)
			for s, d := range docs[got.URL] {
				if d != nil {
					observed.Set(s)
				}
			}
			rows := terms.Lifespans(docs[got.URL])
			if len(rows) != len(got.Terms) {
				t.Fatalf("%d terms, want %d", len(got.Terms), len(rows))
			}
			for i, row := range rows {
				present := terms.NewBits(slots)
				for s, d := range docs[got.URL] {
					if d[row.Term] > 0 {
						present.Set(s)
					}
				}
				sigma, _ := terms.StayingPower(present, observed)
				g := got.Terms[i]
				if g.Term != row.Term || !g.First.Equal(hours(float64(row.First()))) || !g.Last.Equal(hours(float64(row.Last()))) {
					t.Errorf("row %d is %s %v to %v, want %+v", i, g.Term, g.First, g.Last, row)
				}
				if diff := cmp.Diff([]float64{sigma, div[row.Term].Div}, []float64{*g.StayingPower, *g.Divergence}, near); diff != "" {
					t.Errorf("%s (-want +got):\n%s", row.Term, diff)
				}
			}
			survival, blocks := sorted(t, bodies[p])
			if diff := cmp.Diff(survival, got.Survival, near); diff != "" {
				t.Errorf("survival (-want +got):\n%s", diff)
			}
			lives := map[string]float64{}
			for _, b := range got.Blocks {
				lives[b.Path] = b.Life
			}
			if diff := cmp.Diff(blocks, lives, near); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			if !slices.IsSortedFunc(got.Blocks, func(a, b analyze.Block) int { return strings.Compare(a.Path, b.Path) }) {
				t.Error("blocks are not sorted")
			}
		}
	}
}

// count counts the words of the generated markup.
func count(body string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune("<>/ ", r) }) {
		if w != "p" && w != "b" && w != "div" && w != "img" {
			out[w]++
		}
	}
	return out
}

// sorted measures the elements as the paper does, by sort and reduce.
func sorted(t *testing.T, bodies []string) (survival map[string]any, blocks map[string]float64) {
	t.Helper()
	paths := dom.NewSorter(dom.SortOptions{}, dom.FullPath, dom.Version)
	contents := dom.NewSorter(dom.SortOptions{}, dom.SubtreeHash, dom.FullPath, dom.Version)
	last := 0
	for s, body := range bodies {
		if body == "" {
			continue
		}
		last = s
		for l := range dom.Lines(dom.Parse([]byte("<html><head><title>t</title></head><body>"+body+"</body></html>")), float64(s), false) {
			if err := paths.Add(l); err != nil {
				t.Fatal(err)
			}
			if l.Subtree == 0 {
				continue // no text is no content
			}
			if err := contents.Add(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	survival = map[string]any{}
	names := []string{"2h", "1d", "1w", "2w", "4w", "5w"}
	for i, s := range dom.Survive(dom.Lifespans(paths.Lines()), 0, float64(last), dom.Horizons()) {
		survival[names[i]] = nil
		if s.OK {
			survival[names[i]] = s.Share
		}
	}
	blocks = map[string]float64{}
	at, _ := dom.Blocks(contents.Lines())
	for path, b := range at {
		blocks[path] = b.Life
	}
	return survival, blocks
}
