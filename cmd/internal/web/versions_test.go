package web_test

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/store"
)

// versionsInOrder leafs through the versions of a page in every order, and holds what comes
// against all versions sorted; then it asks for the table in these orders.
func versionsInOrder(t *testing.T, fx fixture) {
	page := fx.page(t, fx.urls[0])
	all, err := fx.History(t.Context(), page)
	if err != nil || len(all) != fixtureHours {
		t.Fatalf("%d versions: %v", len(all), err)
	}
	s := newServer(t, fx.DB, nil)
	for by, value := range map[store.VersionOrder]func(store.Version) float64{
		store.ByNumber:  func(v store.Version) float64 { return -float64(v.Number) },
		store.ByBytes:   func(v store.Version) float64 { return -float64(v.Bytes) },
		store.ByWords:   func(v store.Version) float64 { return -float64(v.Words) },
		store.ByFetches: func(v store.Version) float64 { return -float64(v.Fetches) },
		store.ByDice: func(v store.Version) float64 {
			if v.Dice == nil {
				return math.Inf(1)
			}
			return *v.Dice
		},
	} {
		for _, reverse := range []bool{false, true} {
			var want, got []int32
			sorted := slices.Clone(all)
			slices.SortFunc(sorted, func(a, b store.Version) int {
				x, y := value(a), value(b)
				if reverse && !math.IsInf(x, 0) && !math.IsInf(y, 0) { // what has no value stays last
					x, y = -x, -y
				}
				return cmp.Or(cmp.Compare(x, y), cmp.Compare(b.Number, a.Number))
			})
			for _, v := range sorted {
				want = append(want, v.Number)
			}
			var after *store.VersionMark
			for range len(all) {
				some, err := fx.VersionsBy(t.Context(), page, by, reverse, after, 5)
				if err != nil {
					t.Fatal(err)
				}
				if len(some) == 0 {
					break
				}
				for _, v := range some {
					got = append(got, v.Number)
				}
				m := some[len(some)-1].Mark(by, reverse)
				after = &m
			}
			if !slices.Equal(got, want) {
				t.Errorf("by %s, reversed %t: %v, want %v", by, reverse, got, want)
			}
			order := string(by)
			if reverse {
				order = "-" + order
			}
			r := get(t, s, fmt.Sprintf("/pages/%d?order=%s", page, order))
			body := bodyOf(t, r)
			first := strings.Index(body, fmt.Sprintf(`versions/%d">`, want[0]))
			if r.StatusCode != http.StatusOK || first < 0 || strings.Index(body, fmt.Sprintf(`versions/%d">`, want[1])) < first || !strings.Contains(body, "aria-sort=") {
				t.Errorf("table by %s: %d, version %d is not the first", order, r.StatusCode, want[0])
			}
		}
	}
	for _, query := range []string{"order=size", "order=--dice", "after=x", "after=NaN_1", "after=1_-1"} {
		if r := get(t, s, fmt.Sprintf("/pages/%d?%s", page, query)); r.StatusCode != http.StatusBadRequest {
			t.Errorf("?%s: %d, want 400", query, r.StatusCode)
		}
	}
}
