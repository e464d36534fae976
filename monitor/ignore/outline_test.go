package ignore

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// shown prints the elements and the chunks of an outline below the body.
func shown(nodes []extract.Node) string {
	var b strings.Builder
	for i := range nodes {
		n := &nodes[i]
		if n.Tag != "" {
			b.WriteString("<" + n.Tag + ">")
		} else {
			b.WriteString(n.Text)
		}
	}
	_, body, _ := strings.Cut(b.String(), "<body>")
	return body
}

func TestOutline(t *testing.T) {
	t.Parallel()
	p := page(t, `<body><nav><a>Home</a></nav><p>Page <b>served in</b> 3 s<p id=ad>Buy<i>now</i></p><p>one two three`)
	for _, test := range []struct {
		name  string
		rules []string
		want  string
	}{
		{"nothing", nil, "<nav><a>Home<p>Page<b>served in3 s<p>Buy<i>now<p>one two three"},
		{"an element stays empty", []string{"nav", "#ad"}, "<nav><p>Page<b>served in3 s<p><p>one two three"},
		{"across elements", []string{"/served in [0-9]+/"}, "<nav><a>Home<p>Page<b>s<p>Buy<i>now<p>one two three"},
		{"within a chunk", []string{"/two/"}, "<nav><a>Home<p>Page<b>served in3 s<p>Buy<i>now<p>one three"},
		{"a whole chunk", []string{"/^Home$/"}, "<nav><a><p>Page<b>served in3 s<p>Buy<i>now<p>one two three"},
		{"one after the other", []string{"/one/", "/two/"}, "<nav><a>Home<p>Page<b>served in3 s<p>Buy<i>now<p>three"},
	} {
		r, err := Compile(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, shown(r.Outline(p))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestOutlineShape holds outlines against what Apply leaves of the text, and wants
// them to be trees.
func TestOutlineShape(t *testing.T) {
	t.Parallel()
	pieces := []string{"<p>", "</p>", "<b>", "</b>", "<div class=x>", "</div>", "one ", "two", " three one", "<i id=y>", "</i>", "<br>", " "}
	rules := []string{".x", "#y", "b", "/one/", "/t[a-z]+/", "/e o/", "/x*/", "p:last-child"}
	rapid.Check(t, func(rt *rapid.T) {
		p := page(t, "<body>"+strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(rt, "page"), ""))
		r, err := Compile(rapid.SliceOfN(rapid.SampledFrom(rules), 1, 3).Draw(rt, "rules"))
		if err != nil {
			rt.Fatal(err)
		}
		nodes := r.Outline(p)
		var got, want strings.Builder
		for i := range nodes {
			n := &nodes[i]
			if n.Tag == "" {
				got.WriteString(n.Text)
			}
			switch {
			case i == 0 && (n.Parent != -1 || int(n.End) != len(nodes)):
				rt.Fatalf("root %+v of %d nodes", n, len(nodes))
			case i > 0 && (n.Parent < 0 || int(n.Parent) >= i || n.End <= int32(i) || n.End > nodes[n.Parent].End || nodes[n.Parent].Tag == ""):
				rt.Fatalf("node %d is %+v", i, n)
			}
		}
		kept, _ := r.Apply(p)
		for _, l := range kept {
			want.WriteString(l.Text)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if diff := cmp.Diff(squeeze(want.String()), squeeze(strings.ReplaceAll(got.String(), " ", ""))); diff != "" {
			rt.Errorf("text (-Apply +Outline):\n%s", diff)
		}
	})
}
