package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// TestReadView reads every view whole and counts its rows, then the views of
// pages through each filter.
func TestReadView(t *testing.T) {
	t.Parallel()
	db := open(t)
	if _, err := db.Write(t.Context(), []*store.Capture{
		capture("http://a.test/", 0, "one"), capture("http://a.test/", 60, "two"), capture("http://b.test/", 120, "three"),
	}); err != nil {
		t.Fatal(err)
	}
	count := func(q store.ViewQuery) (n int, columns []store.ViewColumn) {
		t.Helper()
		err := db.ReadView(t.Context(), q, func(c []store.ViewColumn) error { columns = c; return nil }, func(values [][]byte) error {
			if len(values) != len(columns) {
				t.Errorf("view %s: %d values for %d columns", q.View, len(values), len(columns))
			}
			n++
			return nil
		})
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		return n, columns
	}
	for _, view := range column[string](t, db.Pool(), `
		select relname::text from pg_class where relnamespace = 'api_v1'::regnamespace and relkind = 'v' and relname <> 'data_dictionary'`) {
		got, _ := count(store.ViewQuery{View: view})
		want := column[int](t, db.Pool(), "select count(*)::int from api_v1."+view)[0]
		if got != want {
			t.Errorf("view %s: %d rows, want %d", view, got, want)
		}
	}
	at := func(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }
	for _, test := range []struct {
		query store.ViewQuery
		want  int
	}{
		{store.ViewQuery{View: "version"}, 3},
		{store.ViewQuery{View: "version", URL: "http://a.test/"}, 2},
		{store.ViewQuery{View: "version", URL: "http://none.test/"}, 0},
		{store.ViewQuery{View: "version", URL: "http://b*"}, 1},
		{store.ViewQuery{View: "version", From: at(60)}, 2},
		{store.ViewQuery{View: "version", To: at(60)}, 1},
		{store.ViewQuery{View: "version", URL: "http://a.test/", From: at(1), To: at(61)}, 1},
		{store.ViewQuery{View: "fetch_log", Watch: "it's"}, 0},
		{store.ViewQuery{View: "version", Watch: "it's"}, 0},
	} {
		if got, _ := count(test.query); got != test.want {
			t.Errorf("%+v: %d rows, want %d", test.query, got, test.want)
		}
	}
	_, columns := count(store.ViewQuery{View: "version"})
	types := map[string]store.ColumnType{}
	for _, c := range columns {
		types[c.Name] = c.Type
	}
	if diff := cmp.Diff([]store.ColumnType{store.Int64, store.Text, store.Timestamp, store.TextList, store.Int32, store.Int16},
		[]store.ColumnType{types["page_id"], types["url"], types["first_seen"], types["flags"], types["bucket"], types["status"]}); diff != "" {
		t.Errorf("types of view version (-want +got):\n%s", diff)
	}
	for _, q := range []store.ViewQuery{{View: "nosuch"}, {View: ""}, {View: "page; drop"}, {View: "storage", Topic: "x"}, {View: "storage", From: epoch}, {View: "storage", URL: "http://a.test/"}} {
		err := db.ReadView(t.Context(), q, func([]store.ViewColumn) error { return errors.New("begun") }, nil)
		if !errors.Is(err, store.ErrNoView) {
			t.Errorf("%+v: error %v, want ErrNoView", q, err)
		}
	}
}

// TestReadViewOfOneMoment writes while a view is read: what comes later is not seen.
func TestReadViewOfOneMoment(t *testing.T) {
	t.Parallel()
	db := open(t)
	add := func(i int) {
		if _, err := db.Write(t.Context(), []*store.Capture{capture(fmt.Sprintf("http://a.test/%d", i), i, "content")}); err != nil {
			t.Error(err)
		}
	}
	add(0)
	n := 0
	err := db.ReadView(t.Context(), store.ViewQuery{View: "fetch_log"}, func([]store.ViewColumn) error { add(1); return nil }, func([][]byte) error { n++; return nil })
	if err != nil || n != 1 {
		t.Errorf("%d rows and error %v, want the one of when it began", n, err)
	}
}
