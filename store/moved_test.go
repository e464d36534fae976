package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// TestDeniedCounts: attempts that were denied count as failures in a row, as those do that
// failed, and an attempt that was skipped says nothing.
func TestDeniedCounts(t *testing.T) {
	t.Parallel()
	db := open(t)
	for i, step := range []struct {
		outcome store.Outcome
		want    int
	}{{store.Failed, 1}, {store.Denied, 2}, {store.Skipped, 2}, {store.Denied, 3}, {"", 0}, {store.Denied, 1}} {
		c := capture(page, i, "one")
		if c.Outcome = step.outcome; c.Outcome != "" {
			c.Payload = nil
		}
		write(t, db, c)
		id := pageOf(t, db, page)
		states, err := db.States(t.Context(), []store.PageID{id})
		if err != nil || states[id].Failures != step.want {
			t.Errorf("step %d, %s: %d failures, %v; want %d", i, step.outcome, states[id].Failures, err, step.want)
		}
	}
}

// TestMoved follows what is known of a page through fetches that were redirected and
// fetches that were not: where it is, and who sent its validators.
func TestMoved(t *testing.T) {
	t.Parallel()
	db := open(t)
	const to, other = "http://b.test/new", "http://c.test/newer"
	type state struct {
		ETag, Validated, Alias string
	}
	var at time.Duration
	for _, step := range []struct {
		name      string
		outcome   store.Outcome
		etag      string
		validated string
		moved     string
		want      state
	}{
		{"at home", "", `"1"`, "", "", state{`"1"`, "", ""}},
		{"moved", "", `"2"`, to, to, state{`"2"`, to, to}},
		{"not modified there", store.NotModified, `"2"`, to, to, state{`"2"`, to, to}},
		{"not modified, without a validator", store.NotModified, "", "", to, state{`"2"`, to, to}},
		{"a failure tells nothing", store.Failed, "", "", "", state{`"2"`, to, to}},
		{"moved on", "", `"3"`, other, other, state{`"3"`, other, other}},
		{"redirected for a time", "", `"4"`, to, "", state{`"4"`, to, ""}},
		{"without validators", "", "", "", "", state{}},
	} {
		at += time.Hour
		c := capture(page, int(at.Seconds()), step.name)
		c.Outcome, c.ETag, c.ValidatedURL, c.PermanentURL = step.outcome, step.etag, step.validated, step.moved
		if c.Outcome != "" {
			c.Payload = nil
		}
		write(t, db, c)
		id := pageOf(t, db, page)
		states, err := db.States(t.Context(), []store.PageID{id})
		if err != nil {
			t.Fatal(err)
		}
		got := state{ETag: states[id].ETag, Validated: states[id].ValidatedURL}
		if alias := states[id].Alias; alias != 0 {
			places, err := db.Places(t.Context(), []store.PageID{alias})
			if err != nil {
				t.Fatal(err)
			}
			got.Alias = places[alias].URL
			if from, err := db.MovedTo(t.Context(), alias); err != nil || !slices.Equal(from, []string{page}) {
				t.Errorf("%s: moved to %s: %v, %v", step.name, got.Alias, from, err)
			}
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}
