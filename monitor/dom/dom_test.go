package dom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/extract"
)

type row struct{ FullPath, TypePath, Node, Subtree string }

func rows(markup string) []row {
	var out []row
	for l := range Lines(Parse([]byte(markup)), 0, true) {
		out = append(out, row{l.FullPath, l.TypePath, l.NodeText, l.SubtreeText})
	}
	return out
}

func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, markup string
		want         []row
	}{
		{"example of paper A 5.1", `<a>foo<b>bar</b></a>`, []row{
			{"/a[0]/b[0]", "(/a/b)[0]", "bar", "bar"},
			{"/a[0]", "(/a)[0]", "foo", "foo bar"},
		}},
		{"page", `<!doctype html><title>t</title><html><body><p>one<p>two <i>2</i> end</body></html>`, []row{
			{"/html[0]/head[0]/title[0]", "(/html/head/title)[0]", "", ""},
			{"/html[0]/head[0]", "(/html/head)[0]", "", ""},
			{"/html[0]/body[0]/p[0]", "(/html/body/p)[0]", "one", "one"},
			{"/html[0]/body[0]/p[1]/i[0]", "(/html/body/p/i)[0]", "2", "2"},
			{"/html[0]/body[0]/p[1]", "(/html/body/p)[1]", "two end", "two 2 end"},
			{"/html[0]/body[0]", "(/html/body)[0]", "", "one two 2 end"},
			{"/html[0]", "(/html)[0]", "", "one two 2 end"},
		}},
		{"type path over the page", `<ul><li>a</li><li>b</li></ul><ul><li>c</li></ul>`, []row{
			{"/ul[0]/li[0]", "(/ul/li)[0]", "a", "a"},
			{"/ul[0]/li[1]", "(/ul/li)[1]", "b", "b"},
			{"/ul[0]", "(/ul)[0]", "", "a b"},
			{"/ul[1]/li[0]", "(/ul/li)[2]", "c", "c"},
			{"/ul[1]", "(/ul)[1]", "", "c"},
		}},
		{"type path counts start tags", `<div>1<div>2</div></div><div>3</div>`, []row{
			{"/div[0]/div[0]", "(/div/div)[0]", "2", "2"},
			{"/div[0]", "(/div)[0]", "1", "1 2"},
			{"/div[1]", "(/div)[1]", "3", "3"},
		}},
		{"row without table", `<tr><td>x</td><td>y</td></tr>`, []row{
			{"/tr[0]/td[0]", "(/tr/td)[0]", "x", "x"},
			{"/tr[0]/td[1]", "(/tr/td)[1]", "y", "y"},
			{"/tr[0]", "(/tr)[0]", "", "x y"},
		}},
		{"cell without row", `<td>x</td>`, []row{{"/td[0]", "(/td)[0]", "x", "x"}}},
		{"body without html", `<body><p>x</p></body>`, []row{
			{"/body[0]/p[0]", "(/body/p)[0]", "x", "x"},
			{"/body[0]", "(/body)[0]", "", "x"},
		}},
		{"hidden text", `<div><script>var x</script><style>p{}</style>seen<!-- no --> text</div>`, []row{
			{"/div[0]/script[0]", "(/div/script)[0]", "", ""},
			{"/div[0]/style[0]", "(/div/style)[0]", "", ""},
			{"/div[0]", "(/div)[0]", "seen text", "seen text"},
		}},
		{"white space", "<p>\n a \t b\n<b> c </b></p>", []row{
			{"/p[0]/b[0]", "(/p/b)[0]", "c", "c"},
			{"/p[0]", "(/p)[0]", "a b", "a b c"},
		}},
		{"text alone", "nothing here", nil},
		{"nothing", "", nil},
		{"text around", "x<b>y</b>z", []row{{"/b[0]", "(/b)[0]", "y", "y"}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, rows(tt.markup)); diff != "" {
			t.Errorf("%s: lines differ (-want +got):\n%s", tt.name, diff)
		}
	}
}

// checkLines holds the fast walk against paths and texts formed one by one.
func checkLines(t interface {
	Helper()
	Fatalf(string, ...any)
}, nodes []extract.Node,
) {
	t.Helper()
	p := extract.Page{Nodes: nodes}
	end := 0
	var elements []int // in the order of end tags
	var post func(from, to int)
	post = func(from, to int) {
		for k := from; k < to; k = int(nodes[k].End) {
			if nodes[k].Tag != "" {
				post(k+1, int(nodes[k].End))
				elements = append(elements, k)
			}
		}
	}
	post(0, len(nodes))
	for l := range Lines(nodes, 7, true) {
		if end == len(elements) {
			t.Fatalf("line without element: %+v", l)
		}
		i := elements[end]
		end++
		if own := p.OwnText(i); l.NodeText != own || l.Node != HashText(own) {
			t.Fatalf("%s: node text %q, want %q", l.FullPath, l.NodeText, own)
		}
		if sub := p.SubtreeText(i); l.SubtreeText != sub || l.Subtree != HashText(sub) {
			t.Fatalf("%s: subtree text %q with hash %x, want %q, %x", l.FullPath, l.SubtreeText, l.Subtree, sub, HashText(sub))
		}
		if want := pathOf(nodes, i); l.FullPath != want || l.Version != 7 {
			t.Fatalf("path %s, want %s", l.FullPath, want)
		}
		if k, ok := (Selector{Path: l.FullPath}).Find(nodes); !ok || k != i {
			t.Fatalf("%s finds %d, want %d", l.FullPath, k, i)
		}
	}
	if end != len(elements) {
		t.Fatalf("%d lines for %d elements", end, len(elements))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "<a>foo<b>bar</b></a>", "<html><p>x<p>y", "<tr><td>1<table><tr><td>2", "<td>a<td>b", "<p><b>1<p>2</b>3", "x<body>y",
		"<head><title>t</title></head>z", "<svg><g><text>a</text></g></svg>", "<col><col>", "<template><tr><td>x</template>", "<frameset><frame>",
		"<li>1<li>2<ul><li>3", "<table><caption>c<tr><th>h<div>d", "</p>a</br>", "<body><body>", "<html><html>a",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes := Parse(b)
		for i, n := range nodes {
			if int(n.Parent) >= i || n.Parent < -1 || int(n.End) <= i || int(n.End) > len(nodes) || n.Parent >= 0 && n.End > nodes[n.Parent].End {
				t.Fatalf("node %d of %q: %+v", i, b, n)
			}
		}
		checkLines(t, nodes)
	})
}

func TestHashText(t *testing.T) {
	t.Parallel()
	if HashText("") != 0 || HashText("  \n") != 0 {
		t.Error("no words have a hash")
	}
	if HashText("a b") != HashText("a\n b ") || HashText("a b") == HashText("b a") || HashText("a") == HashText("a a") {
		t.Error("the words and their order do not decide")
	}
}

func TestXPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		ok       bool
	}{
		{"/html[0]/body[0]/p[2]", "/html[1]/body[1]/p[3]", true},
		{"/my-tag[11]", "/my-tag[12]", true},
		{"", "", false},
		{"/p", "", false},
		{"p[0]", "", false},
		{"/p[-1]", "", false},
		{"/p[x]", "", false},
		{"/p[0]x", "", false},
		{"/[0]", "", false},
		{"/p[]", "", false},
	} {
		if got, ok := XPath(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("XPath(%q) = %q, %v, want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	nodes := Parse([]byte(`<html><body><div id="1 main" class="box wide"><p class="lead">a</p><p>b</p></div><div class="box">c</div></body></html>`))
	css := func(path string) (out []string) {
		i, ok := (Selector{Path: path}).Find(nodes)
		if !ok {
			t.Fatalf("%s is not there", path)
		}
		for _, s := range Selectors(nodes, i) {
			out = append(out, s.CSS())
		}
		return out
	}
	want := [][]string{
		{`#\31 \ main`, "div.box.wide", "div.wide", "html > body:nth-of-type(1) > div:nth-of-type(1)"},
		{"p.lead", "html > body:nth-of-type(1) > div:nth-of-type(1) > p:nth-of-type(1)"},
		{"html > body:nth-of-type(1) > div:nth-of-type(2)"}, // .box is not alone
	}
	got := [][]string{css("/html[0]/body[0]/div[0]"), css("/html[0]/body[0]/div[0]/p[0]"), css("/html[0]/body[0]/div[1]")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("selectors differ (-want +got):\n%s", diff)
	}
	if _, ok := (Selector{Tag: "div", Classes: []string{"box"}}).Find(nodes); ok {
		t.Error("an ambiguous selector found something")
	}
}

func TestForecast(t *testing.T) {
	t.Parallel()
	var r Record
	if _, ok := r.Survival(1); ok {
		t.Error("a forecast without history")
	}
	for h, holds := range []bool{true, true, true, false, true} {
		r.Add(float64(h), holds)
	}
	if r.Exposure != 3 || r.Breaks != 1 || !r.Holds {
		t.Errorf("record %+v, want exposure 3 and 1 break", r)
	}
	p0, _ := r.Survival(0)
	p3, ok := r.Survival(3)
	if want := math.Pow(.5, 1.5); p0 != 1 || !ok || math.Abs(p3-want) > 1e-12 {
		t.Errorf("Survival = %v now, %v in 3 h, want 1, %v", p0, p3, want)
	}
	r.Add(5, false)
	if p, ok := r.Survival(1); !ok || p != 0 {
		t.Errorf("a selector that fails now has %v", p)
	}
	// Calibration: pages whose selectors break at rates of their own.
	rng := rand.New(rand.NewPCG(1, 2))
	predicted, survived, n := 0., 0., 0.
	for range 4000 {
		rate := .02 * rng.ExpFloat64()
		var r Record
		holds := true
		for h := range 101 {
			if h > 0 && holds && rng.Float64() < rate {
				holds = false
			} else if !holds {
				holds = true
			}
			r.Add(float64(h), holds)
		}
		if p, ok := r.Survival(24); ok && r.Holds {
			n++
			predicted += p
			survived += math.Pow(1-rate, 24)
		}
	}
	if math.Abs(predicted-survived)/n > .05 {
		t.Errorf("predicted survival %.3f, true %.3f", predicted/n, survived/n)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	often, seldom := []int{1, 3, 5, 7, 9}, []int{4, 8}
	in := []Region{
		{"/ul[0]/li[0]", 2, often},
		{"/ul[0]/li[1]", 2.9, often},
		{"/ul[0]/li[2]", 4.3, often}, // linked to li[1] only
		{"/ul[0]/li[3]", 2, seldom},  // as long, at other times
		{"/ul[1]/li[0]", 2, often},   // another family
		{"/ul[0]/li[4]", 7, often},   // too long a life
		{"/p[0]", 9, nil},
		{"/p[1]", 10, nil},
		{"/div[0]", 0, often},
		{"/div[1]", .5, often},
	}
	want := [][]int{{0, 1, 2}, {6, 7}, {8, 9}}
	if diff := cmp.Diff(want, Together(in, 10)); diff != "" {
		t.Errorf("Together differs (-want +got):\n%s", diff)
	}
	if got := Phi([]int{1, 2}, []int{3, 4}, 4); got != -1 {
		t.Errorf("Phi of complements = %v, want -1", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		set := func() []int {
			s := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), func(i int) int { return i }).Draw(t, "set")
			slices.Sort(s)
			return s
		}
		a, b := set(), set()
		p := Phi(a, b, n)
		if p < -1-1e-9 || p > 1+1e-9 || p != Phi(b, a, n) || Phi(a, a, n) < 1-1e-9 {
			t.Fatalf("Phi(%v, %v, %d) = %v", a, b, n, p)
		}
	})
}

// outline draws a small tree.
func outline(t *rapid.T) []extract.Node {
	var b strings.Builder
	var grow func(depth int)
	grow = func(depth int) {
		for range rapid.IntRange(0, 3).Draw(t, "children") {
			tag := rapid.SampledFrom([]string{"div", "ul", "span"}).Draw(t, "tag")
			b.WriteString("<" + tag + ">" + rapid.SampledFrom([]string{"", "x", "y", "z w", "a"}).Draw(t, "text"))
			if depth < 3 {
				grow(depth + 1)
			}
			b.WriteString("</" + tag + ">")
		}
	}
	grow(0)
	return Parse([]byte("<html><body>" + b.String() + "</body></html>"))
}

func TestLinesSlow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkLines(t, outline(t)) })
}

// bigPage is a page of about n elements in version v: a menu that stays and
// stories that move down.
func bigPage(n, v int) []extract.Node {
	var b strings.Builder
	b.WriteString("<html><body><ul>")
	for i := range n / 4 {
		fmt.Fprintf(&b, "<li><a>menu entry %d</a></li>", i)
	}
	b.WriteString("</ul><div>")
	for i := range n / 6 {
		fmt.Fprintf(&b, "<div><h2>story %d is new</h2><p>text of the story number %d goes here and on</p></div>", v-i, v-i)
	}
	b.WriteString("</div></body></html>")
	return Parse([]byte(b.String()))
}

func BenchmarkLines(b *testing.B) {
	nodes := bigPage(2000, 1)
	b.Run("hashes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range Lines(nodes, 1, false) {
			}
		}
	})
	b.Run("texts", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for range Lines(nodes, 1, true) {
			}
		}
	})
}
