package popular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }

func TestWeights(t *testing.T) {
	t.Parallel()
	texts := map[string][]string{"p": {"war", "war", "iraq"}, "q": {"war"}, "r": nil}
	got := Weights(texts, 4)
	want := map[string]Weight{
		"war":  {3, 2, 3 * math.Exp(0.5)},
		"iraq": {1, 1, math.Exp(0.25)},
	}
	for term, w := range want {
		if g := got[term]; g.Count != w.Count || g.Pages != w.Pages || !near(g.W, w.W) {
			t.Errorf("%s: %v, want %v", term, g, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("terms %v", got)
	}
	if w := Weights(texts, 0)["iraq"].W; !near(w, math.Exp(1.0/3)) {
		t.Errorf("without N the texts are counted: %v", w)
	}
	if got := Weights(nil, 0); len(got) != 0 {
		t.Errorf("weights of nothing: %v", got)
	}
	if top := Top(got, 1); len(top) != 1 || top[0].Term != "war" {
		t.Errorf("Top = %v", top)
	}
}

// TestScore holds SCIENCE J3: three occurrences of weight 2 give 2(1 + ln 3).
func TestScore(t *testing.T) {
	t.Parallel()
	w := map[string]Weight{"a": {W: 2}, "b": {W: 4}}
	if got := Score([]string{"a", "a", "a"}, w); !near(got, 2*(1+math.Log(3))) || math.Abs(got-4.1972) > 5e-5 {
		t.Errorf("score %v, want 4.1972", got)
	}
	if got := Static([]string{"a", "b", "x"}, w); !near(got, 2) {
		t.Errorf("static score %v, want (2+4+0)/3", got)
	}
	if Score(nil, w) != 0 || Static(nil, w) != 0 {
		t.Error("no terms must score 0")
	}
}

func TestWithLinked(t *testing.T) {
	t.Parallel()
	got := WithLinked(map[string]float64{"front": 1, "index": 0, "a": 4, "b": 8},
		map[string][]string{"front": {"a", "b", "gone"}, "index": {"a"}}, 0.5)
	want := map[string]float64{"front": 1 + 0.5*(4.0/2+8), "index": 0.5 * 4 / 2, "a": 4, "b": 8}
	if diff := cmp.Diff(want, got, cmp.Comparer(near)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUpToDate holds Figure 1 of the paper, from its Table 1.
func TestUpToDate(t *testing.T) {
	t.Parallel()
	got := UpToDate([]float64{10, 0, 15, 25, 0, 5, 0, 0, 15, 0, 20, 0, 15, 0})
	want := []float64{10, 5, 18.3333, 35, 19.5, 18.75, 13.1786, 10.4167, 23.6706, 14.9464, 31.5341, 19.5754, 29.9245, 19.7926}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 5e-5 {
			t.Errorf("D(%d) = %.4f, want %.4f", i+1, got[i], want[i])
		}
	}
	if Latest(nil) != 0 || len(UpToDate(nil)) != 0 {
		t.Error("a page without periods has no up-to-date-ness")
	}
}

func TestPrecision(t *testing.T) {
	t.Parallel()
	if share, known := Precision(57, 88); !known || math.Abs(share-0.648) > 5e-4 {
		t.Errorf("57 of 88 is %v", share)
	}
	if share, known := Precision(28, 68); !known || math.Abs(share-0.412) > 5e-4 {
		t.Errorf("28 of 68 is %v", share)
	}
	if _, known := Precision(0, 0); known {
		t.Error("nothing added has no precision")
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	var f Forms
	f.Terms("The military moved. A military post, two military posts, the posting.", "en")
	if got := f.Show("militari"); got != "military" {
		t.Errorf("militari is shown as %q", got)
	}
	if got := f.Show("post"); got != "post" {
		t.Errorf("equally common words: %q, want the first of the alphabet", got)
	}
	if got := f.Show("unseen"); got != "unseen" {
		t.Errorf("a term never seen is shown as %q", got)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	old := []string{"Twenty men of the northern village crossed the wide river on Monday."}
	reordered := "On Monday twenty men of the northern village crossed the wide river."
	if got := New(old, []string{reordered, "TWENTY men of the northern village crossed the wide river on Monday!"}, 0); !cmp.Equal(got, []string{reordered}) {
		t.Errorf("exact: %q", got)
	}
	if got := New(old, []string{reordered, "A bridge fell."}, 0.8); !cmp.Equal(got, []string{"A bridge fell."}) {
		t.Errorf("fuzzy: %q", got)
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	w := map[string]Weight{"flood": {W: 6}, "town": {W: 2}}
	got := Rank([]Sentence{
		{Page: "p", Text: "The town.", Terms: []string{"town"}},
		{Page: "p", Text: "A flood in town.", Terms: []string{"flood", "town"}, Before: "b", After: "a"},
		{Page: "p", Text: "And so on.", Terms: nil},
		{Page: "q", Text: "A FLOOD in town!", Terms: []string{"flood", "town"}},
	}, w)
	if len(got) != 2 || got[0].Text != "A flood in town." || got[0].Weight != 4 || got[1].Weight != 2 || got[0].Before != "b" || got[0].After != "a" {
		t.Errorf("Rank = %+v", got)
	}
	if !cmp.Equal(got[0].Pages, []string{"p", "q"}) {
		t.Errorf("pages of the first: %v", got[0].Pages)
	}
	if got := Rank(nil, nil); len(got) != 0 {
		t.Errorf("Rank of nothing: %v", got)
	}
}

// host is a site rule for tests: what stands before the first slash.
func host(url string) string { h, _, _ := strings.Cut(url, "/"); return h }

func TestExpand(t *testing.T) {
	t.Parallel()
	got := Expand(
		[]string{"a/1", "b/1"},
		map[string][]string{"a/1": {"x/1", "y/1", "y/1", "a/1"}, "b/1": {"y/1", "z/1"}, "c/1": {"w/1"}},
		map[string][]string{
			"x/1": {"a/1", "n/1", "n/1", "c/2", "m/1"},
			"y/1": {"a/1", "n/1", "c/2", "m/1", "x/1", "n/2"},
			"z/1": {"q/1", "n/2"},
			"w/1": {"q/1"},
		},
		[]string{"a/1", "b/1", "c/1"}, 200, 10, host)
	want := Expansion{
		Parents:    []Ranked{{"y/1", 2}, {"x/1", 1}, {"z/1", 1}},
		Candidates: []Ranked{{"a/1", 2}, {"c/2", 2}, {"m/1", 2}, {"n/1", 2}, {"n/2", 2}},
		Verdicts: []Verdict{
			{Ranked{"a/1", 2}, Known},
			{Ranked{"c/2", 2}, SameSite},
			{Ranked{"m/1", 2}, Admitted},
			{Ranked{"n/1", 2}, Admitted},
			{Ranked{"n/2", 2}, SameSite},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Expand (-want +got):\n%s", diff)
	}
	if added := got.Added(); !cmp.Equal(added, []string{"m/1", "n/1"}) {
		t.Errorf("added %v", added)
	}
	empty := Expand(nil, nil, nil, nil, 200, 10, host)
	if len(empty.Parents)+len(empty.Candidates)+len(empty.Added()) != 0 {
		t.Errorf("expansion of nothing: %+v", empty)
	}
}

func TestAdmitAsksForDuplicatesLast(t *testing.T) {
	t.Parallel()
	var asked []string
	got := Admit([]Ranked{{"a/1", 3}, {"b/1", 2}, {"b/2", 2}}, []string{"a/1"}, host, func(url string) bool {
		asked = append(asked, url)
		return url == "b/1"
	})
	want := []Verdict{{Ranked{"a/1", 3}, Known}, {Ranked{"b/1", 2}, Duplicate}, {Ranked{"b/2", 2}, Admitted}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !cmp.Equal(asked, []string{"b/1", "b/2"}) {
		t.Errorf("asked for %v", asked)
	}
}

// TestCutBeforeTheFilters lets what the collection has take its place among the candidates.
func TestCutBeforeTheFilters(t *testing.T) {
	t.Parallel()
	out := map[string][]string{"p": {"a", "b"}, "q": {"a", "b"}, "r": {"a"}}
	got := Admit(Candidates(out, 1), []string{"a"}, func(string) string { return "" }, nil)
	if diff := cmp.Diff([]Verdict{{Ranked{"a", 3}, Known}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRanksAgreeWithPlainCounting counts with sets.
func TestRanksAgreeWithPlainCounting(t *testing.T) {
	t.Parallel()
	url := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"})
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.MapOf(url, rapid.SliceOfN(url, 0, 8)).Draw(t, "links")
		want := []Ranked{}
		for _, target := range []string{"a", "b", "c", "d", "e", "f"} {
			n := 0
			for page, list := range links {
				if page != target && slices.Contains(list, target) {
					n++
				}
			}
			if n >= 2 {
				want = append(want, Ranked{target, n})
			}
		}
		slices.SortStableFunc(want, func(a, b Ranked) int { return b.Links - a.Links })
		if diff := cmp.Diff(want, Candidates(links, 99)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// BenchmarkExpand is one growth step over a million link rows, to stay under 5 s.
func BenchmarkExpand(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	page := func(n int) string { return fmt.Sprintf("https://www.host%d.example/page/%d", n%5000, n) }
	top, in, out := []string{}, map[string][]string{}, map[string][]string{}
	for i := range 10 {
		top = append(top, page(i))
		for range 10_000 {
			in[page(i)] = append(in[page(i)], page(10+r.IntN(20_000)))
		}
	}
	for i := range 20_010 {
		for range 45 {
			out[page(i)] = append(out[page(i)], page(int(1e5*r.Float64()*r.Float64())))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Expand(top, in, out, top, 20_000, 10, host)
	}
}
