package measure

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestTopicGolden holds the worked values of paper J and of SCIENCE J1 to J10.
func TestTopicGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{ // Figure 1 from Table 1, exact fractions
			"uptodate", `{"S":[10,0,15,25,0,5,0,0,15,0,20,0,15,0]}`,
			`[10,5,18.333333333333333,35,19.5,18.75,13.178571428571429,10.416666666666667,23.670634920634921,
			14.946428571428571,31.534090909090909,19.575396825396825,29.9245337995338,19.792568542568543]`,
		},
		{"uptodate", `{"S":[10,null,"15/2"]}`, `[10,5,10.833333333333334]`},
		{"uptodate", `{"S":[]}`, `[]`},
		{"weights", `{"docs":{"a":["x","x","y"],"b":["x"],"c":[]},"N":4}`, `{"x":{"CF":3,"n":2,"W":4.946163812100385},"y":{"CF":1,"n":1,"W":1.2840254166877414}}`},
		{"weights", `{"docs":{"a":["x"]},"N":0}`, `{"x":{"CF":1,"n":1,"W":null}}`},
		{"weights", `{"docs":{},"N":0}`, `{}`},
		// W = 3 e in the one page of the collection: S = 3 e (1 + ln 3).
		{"scores", `{"docs":{"a":["x","x","x"]},"N":1}`, `{"a":17.11385894780211}`},
		{"scores", `{"docs":{"a":["x"],"b":[]},"N":0}`, `{"a":null,"b":null}`},
		{"scores", `{"docs":{"a":["x"],"b":[]},"N":2}`, `{"a":1.6487212707001282,"b":0}`},
		{
			"expand", `{"top":["http://a.com/"],"inlinks":{"http://a.com/":["http://p.org/","http://q.org/","http://r.org/"]},
			"outlinks":{"http://p.org/":["http://www.b.com/1","http://c.co.uk/","http://c.co.uk/"],
			"http://q.org/":["http://www.b.com/1","http://c.co.uk/","http://d.co.uk/","http://blog.b.com/"],
			"http://r.org/":["http://d.co.uk/","http://blog.b.com/","http://once.com/"]},
			"collection":["http://a.com/","http://x.c.co.uk/"],"parents":200,"add":10}`,
			`{"parents":["http://p.org/","http://q.org/","http://r.org/"],
			"candidates":["http://blog.b.com/","http://c.co.uk/","http://d.co.uk/","http://www.b.com/1"],
			"added":["http://blog.b.com/","http://d.co.uk/"]}`,
		},
		{
			"expand", `{"top":["http://a.com/"],"inlinks":{"http://a.com/":["http://p.org/","http://q.org/"]},
			"outlinks":{"http://p.org/":["http://www.b.com/","http://blog.b.com/"],"http://q.org/":["http://www.b.com/","http://blog.b.com/"]},
			"collection":["http://a.com/"],"site":"host"}`,
			`{"parents":["http://p.org/","http://q.org/"],"candidates":["http://blog.b.com/","http://www.b.com/"],"added":["http://blog.b.com/","http://www.b.com/"]}`,
		},
		{"expand", `{"top":[],"inlinks":{},"outlinks":{},"collection":[]}`, `{"parents":[],"candidates":[],"added":[]}`},
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
		if !near(a, b) {
			t.Errorf("%s of %s = %s, want %s", test.name, test.in, text, test.want)
		}
	}
}

func TestTopicFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, path string }{
		{"weights", `{"docs":{"a":["x",1]},"N":1}`, "$.docs.a[1]"},
		{"weights", `{"docs":{"a":[]},"N":-1}`, "$.N"},
		{"scores", `{"N":1}`, "$.docs"},
		{"uptodate", `{"S":["x"]}`, "$.S[0]"},
		{"expand", `{"top":[],"inlinks":{},"outlinks":{},"collection":[],"add":0.5}`, "$.add"},
		{"expand", `{"top":[],"inlinks":{},"outlinks":{},"collection":[],"site":"x"}`, "$.site"},
	} {
		_, err := Apply(test.name, []byte(test.in))
		var fault *InputError
		if !errors.As(err, &fault) || fault.Path != test.path {
			t.Errorf("%s of %s: %v, want a fault at %s", test.name, test.in, err, test.path)
		}
	}
}
