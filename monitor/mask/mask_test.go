package mask

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/text"
)

func page(body string) *extract.Page {
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(body), ContentType: "text/html; charset=utf-8"})
}

const filler = `<p>The harbour council met in the old library and spoke for a long time about the bridge.</p>
<p>Nobody was surprised that the ferry would go on as before, and that the quarry would stay shut.</p>`

// learned is a mask after pairs four hours apart.
func learned(pairs int, body func(k int) string) *Mask {
	var m Mask
	for k := range pairs {
		m.Learn(page(body(2*k)), page(body(2*k+1)), start.Add(time.Duration(k)*4*time.Hour), Options{})
	}
	return &m
}

var later = start.Add(100 * time.Hour)

func selectors(rules []Rule) []string {
	var out []string
	for _, r := range rules {
		out = append(out, r.String())
	}
	return out
}

func TestOnePairTeachesNothing(t *testing.T) {
	t.Parallel()
	// Two servers of which one is late with a true change.
	body := func(k int) string {
		return filler + fmt.Sprintf("<p class=lead>The election is over: %d votes.</p>", k)
	}
	m := learned(1, body)
	if got := m.Active(later, Options{}); len(got) > 0 || len(m.Rules()) != 1 {
		t.Errorf("active after one pair: %v", selectors(got))
	}
	// The same for five minutes, with five pairs.
	m = &Mask{}
	for k := range 5 {
		m.Learn(page(body(k)), page(body(k+1)), start.Add(time.Duration(k)*time.Minute), Options{})
	}
	if got := m.Active(later, Options{}); len(got) > 0 {
		t.Errorf("active after five pairs in five minutes: %v", selectors(got))
	}
}

func TestRulesAge(t *testing.T) {
	t.Parallel()
	counter := func(k int) string { return filler + fmt.Sprintf("<p>%d visitors</p>", k) }
	m := learned(3, counter)
	want := []string{"body > p:nth-of-type(3): {number} visitors"}
	if d := cmp.Diff(want, selectors(m.Active(later, Options{}))); d != "" {
		t.Fatal(d)
	}
	if got := m.Active(later.Add(61*24*time.Hour), Options{}); len(got) > 0 {
		t.Errorf("active after two months without a pair: %v", selectors(got))
	}
	for k := range 25 {
		m.Learn(page(filler), page(filler), later.Add(time.Duration(k)*time.Hour), Options{})
	}
	if got := m.Rules(); len(got) > 0 || m.Pairs() != 28 {
		t.Errorf("after %d pairs, 25 of them equal: %v", m.Pairs(), selectors(got))
	}
}

func TestLargeElementsAreContent(t *testing.T) {
	t.Parallel()
	words := strings.Fields(strings.Repeat("alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima ", 3))
	for _, parts := range []int{1, 6} { // one element, or many that make too much together
		body := func(k int) string {
			var b strings.Builder
			b.WriteString(filler)
			for i := range parts {
				fmt.Fprintf(&b, "<section class=box%c><p>", 'a'+i)
				for j := range 150 / parts {
					fmt.Fprintf(&b, "%s%c ", words[j%len(words)], 'a'+(k*7+i*3+j)%26)
				}
				b.WriteString("</p></section>")
			}
			return b.String()
		}
		f := learned(4, body).Filter(later, Options{})
		if v := f.Compare(page(body(50)), page(body(51))); v != Changed {
			t.Errorf("%d parts: a page that is new all over is %v; masked %.2f", parts, v, f.Share(page(body(50))))
		}
	}
}

// Rows of a table get one rule, unless nothing tells their cells from others.
func TestListsAreGeneralised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unit string
		want int // rules
		new  Verdict
	}{{" views", 1, Masked}, {"", 3, Changed}} {
		table := func(noisy []int, fixed int) *extract.Page {
			var b strings.Builder
			b.WriteString(filler + "<table>")
			for _, n := range noisy {
				fmt.Fprintf(&b, "<tr><td>%d%s</td></tr>", n, c.unit)
			}
			fmt.Fprintf(&b, "<tr><td>%d</td></tr></table>", fixed)
			return page(b.String())
		}
		var m Mask
		for k := range 3 {
			m.Learn(table([]int{k, k + 1, k + 2}, 7), table([]int{k + 5, k + 6, k + 7}, 7), start.Add(time.Duration(k)*time.Hour), Options{})
		}
		f := m.Filter(later, Options{})
		if got := m.Active(later, Options{}); len(got) != c.want {
			t.Errorf("unit %q: %v", c.unit, selectors(got))
		}
		if v := f.Compare(table([]int{1, 2, 3}, 7), table([]int{1, 2, 3}, 8)); v != Changed {
			t.Errorf("unit %q: a number without noise is %v", c.unit, v)
		}
		if v := f.Compare(table([]int{1, 2, 3, 4}, 7), table([]int{1, 2, 3, 5}, 7)); v != c.new {
			t.Errorf("unit %q: noise in a new row is %v", c.unit, v)
		}
	}
}

func TestWordsOfTheMaskedText(t *testing.T) {
	t.Parallel()
	body := func(k int) string {
		return filler + fmt.Sprintf(`<div class="promo">%s</div><p>Served by node%da in %d ms</p>`, []string{"buy apples now", "sell pears today", "lease some plums"}[k%3], k, 10+k)
	}
	f := learned(6, body).Filter(later, Options{})
	words := func(s string) dice.WordSet {
		var b dice.Builder
		text.EachWord(s, b.Add)
		return b.Set()
	}
	a, b := page(body(100)), page(body(101))
	if d := words(a.Text()).Dice(words(b.Text())); d > 0.95 {
		t.Errorf("noise moves the Dice coefficient only to %g", d)
	}
	if d := words(f.Text(a)).Dice(words(f.Text(b))); d != 1 {
		t.Errorf("with masks the Dice coefficient is %g:\n%s\n%s", d, f.Text(a), f.Text(b))
	}
	// Documented: news inside of a masked block are masked as well.
	c := page(strings.Replace(body(102), `<div class="promo">`, `<div class="promo">Ferry sunk! `, 1))
	if v := f.Compare(a, c); v != Masked {
		t.Errorf("news in the place of an advertisement are %v", v)
	}
}

func TestRulesAreReadable(t *testing.T) {
	t.Parallel()
	body := func(k int) string {
		return filler + fmt.Sprintf(`<div class="promo">%s</div><p>Page served in 0.%d secs (node+)</p>`, []string{"buy apples now", "sell pears today"}[k%2], 10+k)
	}
	rules := learned(3, body).Active(later, Options{})
	var got []string
	for _, r := range rules {
		entry, ok := r.Ignore()
		if !ok {
			t.Errorf("%v has no entry", r)
		}
		got = append(got, entry)
	}
	want := []string{"body > div.promo", `/Page served in [-+]?[0-9][0-9.,]* secs \(node\+\)/`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// pieces of pages for properties: what a tag soup may hold.
var soups = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"<div>", "</div>", "<div class=a>", "<div id=x>", "<p>", "<ul><li>one<li>two<li>three</ul>", "<ul><li>two<li>three<li>one</ul>", "<b>7</b>", "<b>8</b>",
		"text ", "other words ", "10:00:01 ", "<span>", "</span>", "<br>", "ab12cd34 ", "<td>", "<x:y>", "<pre>a\n\nb</pre>", "日本 ",
	}), 0, 30).Draw(t, "parts"), "")
})

// Whatever was learned: a page equals itself, without rules the text is the
// page's, a storing changes nothing, and the paths lead to elements as a slow
// search by pathOf finds them.
func TestAnyPages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var m Mask
		var pages []*extract.Page
		for range rapid.IntRange(1, 4).Draw(t, "pairs") {
			a, b := page(soups.Draw(t, "a")), page(soups.Draw(t, "b"))
			m.Learn(a, b, start.Add(time.Duration(m.Pairs())*time.Hour), Options{})
			pages = append(pages, a, b)
		}
		state, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Mask
		if err := back.UnmarshalBinary(state); err != nil {
			t.Fatalf("%v: %v", err, selectors(m.Rules()))
		}
		if d := cmp.Diff(m, back, cmp.AllowUnexported(Mask{}, Rule{}, step{}, part{})); d != "" {
			t.Fatal(d)
		}
		all := m.filter(m.rules, Options{}.withDefaults())
		for _, p := range pages {
			if got := (&Mask{}).Filter(later, Options{}).Text(p); got != p.Text() {
				t.Fatalf("without rules %q is %q", p.Text(), got)
			}
			if all.Compare(p, p) != Equal {
				t.Fatal("a page differs from itself")
			}
			checkMatches(t, all, p)
		}
	})
}

func checkMatches(t *rapid.T, f *Filter, p *extract.Page) {
	tr := treeOf(p)
	found := f.matches(p)
	for i := range p.Nodes {
		if p.Nodes[i].Tag == "" {
			continue
		}
		at := tr.pathOf(int32(i)).String()
		for k, r := range f.rules {
			if at != "" && r.Selector == at {
				ok := false
				for _, n := range found[int32(i)] {
					ok = ok || n == k
				}
				if !ok {
					t.Fatalf("%q does not lead to its element", at)
				}
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	s := newServer(1, noiseKinds...)
	var m Mask
	s.teach(&m, start, 3)
	state, _ := m.MarshalBinary()
	f.Add(state)
	f.Add([]byte{})
	p := s.get(start)
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Mask
		if m.UnmarshalBinary(b) != nil {
			return
		}
		back, _ := m.MarshalBinary()
		if len(b) > 0 && !cmp.Equal(b, back) {
			t.Fatalf("%x came back as %x", b, back)
		}
		m.Filter(start, Options{}).Text(p)
		m.Learn(p, p, start, Options{})
	})
}

// Pages that no one would write cost linear time and do no harm.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<div>", 400) + "x" + strings.Repeat("</div>", 400)
	for name, body := range map[string]func(k int) string{
		"deep": func(k int) string {
			return fmt.Sprintf("%s%d", deep, k) + fmt.Sprintf("%s %d", strings.Repeat("<i>", 450), k)
		},
		"wide":     func(k int) string { return strings.Repeat(fmt.Sprintf("<p>%d words</p>", k), 5000) },
		"one word": func(k int) string { return fmt.Sprintf("<p>%s%d</p>", strings.Repeat("ab1", 50000), k) },
		"brackets": func(k int) string { return fmt.Sprintf("<p>%s%d</p>", strings.Repeat("{-:1", 30000), k) },
		"weekdays": func(k int) string { return fmt.Sprintf("<p>%s%d</p>", strings.Repeat("mon ", 50000), k) },
		"deep and wide": func(k int) string {
			return strings.Repeat("<div>", 300) + strings.Repeat(fmt.Sprintf("<p>%d words</p>", k), 5000)
		},
		"months": func(k int) string { return fmt.Sprintf("<p>%s%d</p>", strings.Repeat("May 1 ", 20000), k) },
	} {
		began := time.Now()
		m := learned(2, body)
		m.Filter(later, Options{}).Text(page(body(9)))
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if state, err := m.MarshalBinary(); err != nil || len(state) > 1<<19 {
			t.Errorf("%s leaves %d bytes, %v", name, len(state), err)
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	s := newServer(1, noiseKinds...)
	x, y := s.get(start), s.get(start)
	var m Mask
	b.ReportAllocs()
	for b.Loop() {
		m.Learn(x, y, start, Options{})
	}
}

func BenchmarkCompare(b *testing.B) {
	s := newServer(1, noiseKinds...)
	var m Mask
	now := s.teach(&m, start, 8)
	f := m.Filter(now, Options{})
	x, y := s.get(now), s.get(now)
	state, _ := m.MarshalBinary()
	b.ReportAllocs()
	for b.Loop() {
		if f.Compare(x, y) != Masked {
			b.Fatal("not masked")
		}
	}
	b.ReportMetric(float64(len(state)), "state-bytes")
	b.ReportMetric(float64(len(x.Text())), "text-bytes")
}

// Whatever two pages hold, learning from them keeps its bounds.
func FuzzLearn(f *testing.F) {
	f.Add([]byte("<p>1 visitor</p>"), []byte("<p>2 visitors</p>"))
	f.Add([]byte("<ul><li>a<li>b<li>c</ul>10:00"), []byte("<ul><li>c<li>a<li>b</ul>10:01"))
	f.Add([]byte("<div id=a class='b c'>x</div><body><frameset>"), []byte("<div id=a>y<div class=b></div></div>"))
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, b := page(string(x)), page(string(y))
		var m Mask
		for k := range 3 {
			if m.Learn(a, b, start.Add(time.Duration(k)*time.Hour), Options{}) != (a.Text() != b.Text()) {
				t.Fatal("wrong word on whether the texts differ")
			}
		}
		state, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back Mask
		if err := back.UnmarshalBinary(state); err != nil {
			t.Fatalf("%v: %v", err, selectors(m.Rules()))
		}
		opt := Options{}.withDefaults()
		filter := back.Filter(start.Add(4*time.Hour), opt)
		for _, p := range []*extract.Page{a, b} {
			if share := filter.Share(p); filter.Text(p) != p.Text() && share > 0.5 {
				t.Fatalf("%.2f of %q is masked: %v", share, p.Text(), selectors(m.Rules()))
			}
		}
	})
}
