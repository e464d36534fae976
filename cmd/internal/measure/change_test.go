package measure

import (
	"encoding/json"
	"math"
	"testing"
)

// near compares two JSON values, numbers to within 1e-9.
func near(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Abs(x-y) <= 1e-9
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !near(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if !near(x[k], y[k]) {
				return false
			}
		}
		return true
	}
	return a == b
}

// TestGolden holds the published and worked-out values of the papers.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"staying-power", `{"presence":[1,0,1,0,1]}`, `0.4166666666666667`},  // 5/12
		{"staying-power", `{"presence":[1,1,1,0,0]}`, `0.20833333333333334`}, // 5/24
		{"staying-power", `{"presence":[1,0,0,0,1]}`, `0.25`},
		{"staying-power", `{"presence":[1,1,1]}`, `1`},
		{"staying-power", `{"presence":[1]}`, `null`},
		{"curve", `{"versions":[["a","b"],["a","c"],null,["c"]],"starts":[0]}`, `{"value":[1,0.5,null,0],"support":[1,1,0,1],"full":3}`},
		{"curve", `{"versions":[[],[]],"starts":[0]}`, `{"value":[1,1],"support":[1,1],"full":1}`},
		{
			"knot", `{"y":["1","0.9","0.8","0.7","0.6","1/2","1/2","1/2","1/2","1/2","1/2"]}`,
			`{"shape":"knotted","knot_x":5,"knot_y":0.5,"slope1":-0.1,"slope2":0,"sse":0}`,
		},
		{"knot", `{"y":[1,0.9],"shape":"logitboost"}`, `{"shape":"unknown","knot_x":null,"knot_y":null,"slope1":null,"slope2":null,"sse":null,"likely":null}`},
		{"knot", `{"y":[1,0.9]}`, `{"shape":"unknown","knot_x":null,"knot_y":null,"slope1":null,"slope2":null,"sse":null}`},
		{
			"schedule", `{"pages":[{"importance":1,"rate":1},{"importance":1,"rate":2},{"importance":1,"rate":3},{"importance":1,"rate":4},{"importance":1,"rate":5}],"budget":5}`,
			`{"rates":[1.1499,1.3584,1.3538,1.1379,0],"freshness":0}`,
		},
	} {
		got, err := Apply(test.name, []byte(test.in))
		if err != nil {
			t.Errorf("%s of %s: %v", test.name, test.in, err)
			continue
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(test.want), &b); err != nil {
			t.Fatal(err)
		}
		if test.name == "schedule" { // printed to four places
			rates := a.(map[string]any)["rates"].([]any)
			for i, want := range b.(map[string]any)["rates"].([]any) {
				if math.Abs(rates[i].(float64)-want.(float64)) > 5e-5 {
					t.Errorf("schedule: rate %d is %v, want %v", i, rates[i], want)
				}
			}
			continue
		}
		if !near(a, b) {
			t.Errorf("%s of %s = %s, want %s", test.name, test.in, text, test.want)
		}
	}
}

// TestDivergenceGolden is the worked example 3/8 ln 2: a term with a share of
// 3/8 in the page and half of that in the collection.
func TestDivergenceGolden(t *testing.T) {
	t.Parallel()
	got, err := Apply("divergence", []byte(`{"docs":{"d":[{"w":3,"x":5}],"e":[{"x":8}]},"doc":"d"}`))
	if err != nil {
		t.Fatal(err)
	}
	w := got.(map[string]any)["terms"].(map[string]any)["w"].(map[string]any)
	if div, want := w["div"].(float64), 3.0/8*math.Ln2; math.Abs(div-want) > 1e-9 {
		t.Errorf("divergence %v, want %v", div, want)
	}
}

// TestDOMGolden is paper A's example of two elements and that of stories that
// move down a page while the navigation stays.
func TestDOMGolden(t *testing.T) {
	t.Parallel()
	got := apply(t, "dom", `{"versions":[{"v":0,"html":"<a>foo<b>bar</b></a>"}]}`)
	want := []any{
		[]any{"/a[0]/b[0]", "(/a/b)[0]", "bar", "bar", 0.0},
		[]any{"/a[0]", "(/a)[0]", "foo", "foo bar", 0.0},
	}
	if !near(got["lines"], want) {
		t.Errorf("lines %v, want %v", got["lines"], want)
	}
	got = apply(t, "dom", `{"versions":[
		{"v":0,"html":"<ul><li>one</li><li>two</li></ul><nav>menu</nav>"},
		{"v":1,"html":"<ul><li>three</li><li>one</li></ul><nav>menu</nav>"},
		{"v":2,"html":"<ul><li>four</li><li>three</li></ul><nav>menu</nav>"}],"horizons":[1,2,3]}`)
	blocks := got["blocks"].(map[string]any)
	at, travel := blocks["at_path"].(map[string]any), blocks["travel"].(map[string]any)
	if !near(at["/ul[0]/li[0]"], 0.0) || !near(at["/nav[0]"], 2.0) {
		t.Errorf("at_path %v: stories stay 0 hours at their place, the navigation 2", at)
	}
	// The first place begins one (1 hour), three (1) and four (0).
	if !near(travel["/ul[0]/li[0]"], 2.0/3) {
		t.Errorf("travel %v: a story of the first place lives 2/3 hours", travel)
	}
	if s := got["survival"].(map[string]any); !near(s["2"], 1.0) || s["3"] != nil {
		t.Errorf("survival %v: all paths last 2 hours, 3 hours are not observed", s)
	}
}

func apply(t *testing.T, name, in string) map[string]any {
	t.Helper()
	got, err := Apply(name, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
