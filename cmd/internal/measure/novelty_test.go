package measure

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoveltyGolden holds the slides' examples and the rules by hand.
func TestNoveltyGolden(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{
			"novelty", `{"edges":[["a","p"],["b","p"],["c","p"],["o","p"]],"O":["o","a","b","c"],"U":["p"],"L2":["a","b","c"],"delta":0,"iterations":0}`,
			`{"N":{"p":0.75},"diff":[0.75,0]}`,
		},
		{
			"novelty", `{"edges":[[1,6],[2,6],[3,6],[5,6],[4,5],[9,5],[6,7]],"O":[9],"U":[5,6],"L2":[1,2,3,4],"delta":"1/10","iterations":2}`,
			`{"N":{"5":0.45,"6":0.77625},"diff":[1.125,0.10125]}`,
		},
		{"novelty", `{"edges":[],"O":[],"U":["p"],"L2":[]}`, `{"N":{"p":0},"diff":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}`},
		{
			"classify",
			`{"crawled":[1,2,3,4,10],"prev":[1,7],"history":[1,2,7],"edges":[[1,5],[3,4],[4,10],[7,8]],"lm":{"3":5,"4":10,"99":0},"t_prev":10}`,
			`{"O":[1,2,3,4],"U":[10],"L2":[1],"fringe":[5]}`,
		},
		{
			"classify",
			`{"crawled":["b","a"],"prev":["a"],"history":[],"edges":[],"lm":{"b":"2003-06-30"},"t_prev":"2003-07","rules":[1]}`,
			`{"O":["a"],"U":["b"],"L2":["a"],"fringe":[]}`,
		},
		{
			"dated",
			`{"urls":["http://a.org/2003/06/x","http://a.org/200307/","http://a.org/20040131","http://a.org/2004-02","http://a.org/"],"t_prev":"2003-07","t_k":"2004-01"}`,
			`{"old":1,"new":2,"future":1,"months":{"http://a.org/2003/06/x":"2003-06","http://a.org/200307/":"2003-07","http://a.org/20040131":"2004-01","http://a.org/2004-02":"2004-02","http://a.org/":null}}`,
		},
		{"dated", `{"urls":["http://a.org/2020/06"],"t_prev":"2020-01","t_k":"2020-07","years":[1993,2026]}`, `{"old":0,"new":1,"future":0,"months":{"http://a.org/2020/06":"2020-06"}}`},
	} {
		out, err := Apply(test.name, []byte(test.in))
		if err != nil {
			t.Errorf("%s of %s: %v", test.name, test.in, err)
			continue
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte(test.want), &want)); err != nil {
			t.Fatal(err)
		}
		if !near(got, want) {
			t.Errorf("%s of %s = %s, want %s", test.name, test.in, text, test.want)
		}
	}
}

func TestNoveltyFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, in, want string }{
		{"novelty", `{"edges":[["x","p"]],"O":[],"U":["p"],"L2":[]}`, `$.edges[0][0]: page x is in none of O, U and L2`},
		{"novelty", `{"edges":[["p"]],"O":[],"U":["p"],"L2":[]}`, `$.edges[0]: must be a link: [source, target]`},
		{"novelty", `{"edges":[],"O":["p"],"U":["p"],"L2":[]}`, `$.U[0]: page p cannot be both old and unidentified`},
		{"novelty", `{"edges":[],"O":[],"U":[],"L2":[],"delta":2}`, `$.delta: must be a probability, from 0 to 1`},
		{"classify", `{"crawled":[null],"prev":[],"history":[],"edges":[],"lm":{},"t_prev":0}`, `$.crawled[0]: must be a page, a string or a number, not null`},
		{"classify", `{"crawled":[],"prev":[],"history":[],"edges":[],"lm":{"a":"soon"},"t_prev":0}`, `$.lm.a: "soon" is not a number`},
		{"dated", `{"urls":[],"t_prev":"2003","t_k":"2004-01"}`, `$.t_prev: "2003" is no month: write YYYY-MM`},
		{"dated", `{"urls":[],"t_prev":"2004-02","t_k":"2004-01"}`, `$.t_k: is before t_prev`},
	} {
		_, err := Apply(test.name, []byte(test.in))
		var fault *InputError
		if !errors.As(err, &fault) {
			t.Errorf("%s of %s: %v, want a fault of the document", test.name, test.in, err)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.name, test.in, diff)
		}
	}
}
