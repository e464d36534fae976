package category

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/simweb"
)

func example(category, site, words string) Example {
	return Example{Page{"en", strings.Fields(words)}, category, site}
}

// garden has two categories whose pages share the words of their subject, on sites
// with words of their own.
func garden() []Example {
	var out []Example
	for site := range 4 {
		for page := range 3 {
			own := func(kind string) string {
				return fmt.Sprintf("%s-site%d %s-menu%d %s-page%d-%d and the of", kind, site, kind, site, kind, site, page)
			}
			out = append(out,
				example("Roses", fmt.Sprintf("r%d.test", site), own("r")+" rose thorn petal"),
				example("Boats", fmt.Sprintf("b%d.test", site), own("b")+" keel sail mast"))
		}
	}
	return out
}

func TestClassify(t *testing.T) {
	t.Parallel()
	m, err := Train(garden(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ language, words, want string }{
		{"en", "the petal of a new kind", "Roses"},
		{"en", "sail and mast", "Boats"},
		{"en", "nothing known here", ""},
		{"de", "sail and mast", ""}, // no labelled page is in German
		{"en", "", ""},
	} {
		got, margin := m.Classify(Page{tt.language, strings.Fields(tt.words)})
		if got != tt.want || margin < 0 || margin > 1 || (got != "") != (margin > 0) {
			t.Errorf("%q: %q with margin %g, want %q", tt.words, got, margin, tt.want)
		}
	}
	if diff := cmp.Diff([]string{"Boats", "Roses"}, m.Categories()); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
}

func TestCrossValidate(t *testing.T) {
	t.Parallel()
	v, err := CrossValidate(garden(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Validation{Tested: 24, Correct: 24, Largest: 12, SitesApart: true, Categories: []CategoryResult{{"Boats", 12, 4, 12}, {"Roses", 12, 4, 12}}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("validation (-want +got):\n%s", diff)
	}
}

// Pages that share only the words of their site are recognised within the site, and
// not at all when it is kept apart.
func TestSitesApart(t *testing.T) {
	t.Parallel()
	var one, many []Example
	for site := range 4 {
		for page := range 5 {
			words := fmt.Sprintf("menu%d brand%d page%d-%d", site, site, site, page)
			c := []string{"A", "B"}[site%2]
			many = append(many, example(c, fmt.Sprintf("s%d.test", site), words))
			if site < 2 {
				one = append(one, example(c, fmt.Sprintf("s%d.test", site), words))
			}
		}
	}
	v, err := CrossValidate(one, Options{})
	if err != nil || v.SitesApart || v.Accuracy() != 1 {
		t.Errorf("a site a category: %+v, %v", v, err)
	}
	v, err = CrossValidate(many, Options{})
	if err != nil || !v.SitesApart || v.Accuracy() != 0 {
		t.Errorf("two sites a category: %+v, %v", v, err)
	}
}

func TestTooFew(t *testing.T) {
	t.Parallel()
	few := slices.Concat(garden()[:9], []Example{example("Bees", "x.test", "hive"), example("Ants", "x.test", ""), example("", "x.test", "hive")})
	_, err := Train(few, Options{})
	var tooFew *TooFewError
	if !errors.As(err, &tooFew) || err.Error() != "finding categories wants two categories with 5 labelled pages each: Bees has 1, Boats has 4, Roses has 5" {
		t.Errorf("error %v", err)
	}
	if _, err := CrossValidate(nil, Options{}); err == nil || !strings.HasSuffix(err.Error(), "there are none") {
		t.Errorf("error of nothing: %v", err)
	}
}

// The order of the examples has no say, to the byte, and a model is what was written.
func TestOrderHasNoSay(t *testing.T) {
	t.Parallel()
	list := garden()
	bytesOf := func() string {
		m, err := Train(list, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again Model
		if err := again.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, &again); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
		return string(b)
	}
	want := bytesOf()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if bytesOf() != want {
			t.Fatal("another order gave another model")
		}
	}
}

// Each fold has whole sites, and every example is in one.
func TestDealSites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "pages")
		folds := rapid.IntRange(2, 6).Draw(t, "folds")
		list := make([]Example, n)
		for i := range list {
			list[i] = example(rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "category"), rapid.SampledFrom([]string{"p", "q", "r", "s", "t"}).Draw(t, "site"), "w")
		}
		of := map[string]int{}
		for i, k := range dealSites(list, folds) {
			if before, ok := of[list[i].Site]; ok && before != k || k < 0 || k >= folds {
				t.Fatalf("site %s is in folds %d and %d", list[i].Site, before, k)
			}
			of[list[i].Site] = k
		}
	})
}

func FuzzModel(f *testing.F) {
	m, err := Train(garden(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	b, _ := m.MarshalBinary()
	f.Add(b)
	f.Add([]byte(`{"centroids":{"a":{"x":1}},"rarity":{"x":-1}}`))
	f.Add([]byte(`{"centroids":{"":null}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Model
		if m.UnmarshalBinary(b) != nil {
			return
		}
		m.Classify(Page{"en", []string{"rose", "sail"}})
	})
}

// On a simulated web pages of sites that were not learned from are put into the topic
// that they are about far more often than by guessing.
func TestSimulatedWeb(t *testing.T) {
	t.Parallel()
	now := simweb.Options{}.Epoch
	world, err := simweb.New(func() time.Time { return now }, simweb.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	start := world.Options().Epoch
	var list []Example
	of := map[[2]string]int{}
	for p := range world.Pages(start, start.Add(time.Hour)) {
		k := [2]string{p.Host, p.Category}
		if p.Kind != simweb.Article || of[k] == 6 {
			continue
		}
		var words []string
		for _, s := range world.Sentences(p.URL, start.Add(time.Minute)) {
			words = append(words, strings.Fields(strings.ToLower(s.Text))...)
		}
		if len(words) == 0 {
			continue
		}
		of[k]++
		list = append(list, Example{Page{p.Language, words}, p.Category, p.Host})
	}
	v, err := CrossValidate(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %d right (%.1f %%), largest category %d, sites apart: %t; %+v", v.Tested, v.Correct, 100*v.Accuracy(), v.Largest, v.SitesApart, v.Categories)
	if v.Tested < 100 || v.Accuracy() < .8 {
		t.Errorf("accuracy %.3f of %d pages", v.Accuracy(), v.Tested)
	}
}

func BenchmarkClassify(b *testing.B) {
	var list []Example
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 400 {
		var words []string
		for range 600 {
			words = append(words, fmt.Sprint("w", int(rng.ExpFloat64()*400)+(i%8)*50))
		}
		list = append(list, Example{Page{"en", words}, fmt.Sprint("c", i%8), fmt.Sprint("s", i%40)})
	}
	m, err := Train(list, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Classify(list[7].Page)
	}
}
