package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/monitor/query"
)

// TestQueriesAreReadAlike holds the database's reader of queries against the one of
// monitor/query.
func TestQueriesAreReadAlike(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, s := range []string{
		"prius", "Prius -Toyota", `"hybrid car" OR prius -"new car"`, "don't", "東京都", "東", "東京タワー ラーメン OR tower", "ＡＢＣ Straße STRASSE", `a"b c"d`,
		"naïve café Ελλάδα Россия", "ΛΌΓΟΣ λόγος ΑΣ", "हिन्दी भाषा", "ภาษาไทย", "العَرَبِيَّة", "한국어 조선", "x2 3.14 v1.2.3", "ｶﾞｷﾞｸﾞ", "soft\u00adhyphen zero\u200bwidth", "ﬁne ½ ² Ⅷ",
		"C++ a_b co-op", strings.Repeat("long", 100), "a b OR a c OR b -c",
		"", " ", `"open`, "OR a", "a OR", "a OR OR b", "-a", "a OR -b", "a ?!", "- a", strings.Repeat("x", 1001),
	} {
		want, err := query.Parse(s)
		var terms []string
		var needed, barred []int64
		dbErr := db.Pool().QueryRow(t.Context(), `select coalesce(terms::text[], '{}'), coalesce(needed, '{}'), coalesce(barred, '{}') from core.search_query($1)`, s).
			Scan(&terms, &needed, &barred)
		if (err == nil) != (dbErr == nil) {
			t.Errorf("%.40q: here %v, in the database %v", s, err, dbErr)
			continue
		}
		if err != nil {
			continue
		}
		var mine []string
		var n, b []int64
		for _, term := range want.Terms {
			var text string // as PostgreSQL writes it
			if err := db.Pool().QueryRow(t.Context(), `select $1::text::tsquery::text`, term.TSQuery()).Scan(&text); err != nil {
				t.Fatal(err)
			}
			mine = append(mine, text)
		}
		for _, a := range want.Alternatives {
			n, b = append(n, a.Needed), append(b, a.Barred)
		}
		if diff := cmp.Diff([]any{mine, n, b}, []any{terms, needed, barred}); diff != "" {
			t.Errorf("%.40q (-here +database):\n%s", s, diff)
		}
	}
}
