package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/query"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		terms string // as PostgreSQL reads them, joined
		masks []query.Alternative
		fault string
	}{
		{"Prius", `'prius'`, []query.Alternative{{Needed: 1}}, ""},
		{"new  Prius new", `'new', 'prius'`, []query.Alternative{{Needed: 3}}, ""},
		{"prius -toyota", `'prius', 'toyota'`, []query.Alternative{{Needed: 1, Barred: 2}}, ""},
		{`"hybrid car" OR prius -"new car"`, `'hybrid' <-> 'car', 'prius', 'new' <-> 'car'`, []query.Alternative{{Needed: 1}, {Needed: 2, Barred: 4}}, ""},
		{"don't", `'don' <-> 't'`, []query.Alternative{{Needed: 1}}, ""},
		{"東京都", `'東京' <-> '京都'`, []query.Alternative{{Needed: 1}}, ""},
		{"東", `'東':*`, []query.Alternative{{Needed: 1}}, ""},
		{"ＡＢＣ Straße", `'abc', 'strasse'`, []query.Alternative{{Needed: 3}}, ""},
		{`a"b c"d`, `'a', 'b' <-> 'c', 'd'`, []query.Alternative{{Needed: 7}}, ""},
		{"or and", `'or', 'and'`, []query.Alternative{{Needed: 3}}, ""},
		{"", "", nil, "no words"},
		{"  ", "", nil, "no words"},
		{`"open`, "", nil, "not closed"},
		{"OR a", "", nil, "between two words"},
		{"a OR", "", nil, "between two words"},
		{"a OR OR b", "", nil, "between two words"},
		{"-a", "", nil, "only narrow"},
		{"a OR -b", "", nil, "only narrow"},
		{"a ?!", "", nil, "no letter or digit"},
		{"-", "", nil, "no letter or digit"},
		{strings.Repeat("x", 1001), "", nil, "longer than 1000"},
		{"a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7", "", nil, "more than 32"},
	}
	for _, test := range tests {
		q, err := query.Parse(test.in)
		if test.fault != "" {
			if !errors.Is(err, query.ErrSyntax) || !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%q: error %v, want one with %q", test.in, err, test.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.in, err)
			continue
		}
		var terms []string
		for _, term := range q.Terms {
			terms = append(terms, term.TSQuery())
		}
		if diff := cmp.Diff(test.terms, strings.Join(terms, ", ")); diff != "" {
			t.Errorf("%q: terms (-want +got):\n%s", test.in, diff)
		}
		if diff := cmp.Diff(test.masks, q.Alternatives); diff != "" {
			t.Errorf("%q: alternatives (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	q, err := query.Parse("a -b OR c")
	if err != nil {
		t.Fatal(err)
	}
	for mask, want := range []bool{false, true, false, false, true, true, true, true} {
		if got := q.Fits(int64(mask)); got != want {
			t.Errorf("mask %03b fits: %t, want %t", mask, got, want)
		}
	}
	if diff := cmp.Diff([]string{"a", "c"}, q.Words()); diff != "" {
		t.Errorf("words to mark (-want +got):\n%s", diff)
	}
}

// FuzzParse wants each query that is read to need a term in each alternative, and
// terms that need no escaping.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", `"a b" OR -c d`, "東京 -'x'", "\\ ' : * & |", "a\x00b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := query.Parse(s)
		if err != nil {
			if !errors.Is(err, query.ErrSyntax) {
				t.Fatal(err)
			}
			return
		}
		for _, a := range q.Alternatives {
			if a.Needed == 0 || a.Needed>>len(q.Terms) != 0 || a.Barred>>len(q.Terms) != 0 {
				t.Fatalf("alternative %+v of %d terms", a, len(q.Terms))
			}
		}
		for _, term := range q.Terms {
			for _, w := range term {
				if w == "" || strings.ContainsAny(w, "'\\:*&|!<>() \x00") {
					t.Fatalf("word %q", w)
				}
			}
		}
	})
}
