package store_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// TestPruneOutbox keeps what may still be delivered and what is young, and forgets what nobody takes.
func TestPruneOutbox(t *testing.T) {
	t.Parallel()
	db := open(t)
	old, young := epoch, epoch.Add(100*24*time.Hour)
	for _, m := range []struct {
		id, target string
		at         time.Time
		settled    *store.Settled
	}{
		{"delivered", "a", old, &store.Settled{}},
		{"dead", "b", old, &store.Settled{Error: "no", Again: old, Dead: true}},
		{"young dead", "c", young, &store.Settled{Error: "no", Again: young, Dead: true}},
		{"abandoned", "d", old, nil},
		{"tried again", "e", old, &store.Settled{Error: "no", Again: young}},
		{"waiting", "f", young, nil},
	} {
		if err := db.Enqueue(t.Context(), m.at, store.Outgoing{ID: m.id, Kind: "change", Source: "watch w", Title: "x", Payload: json.RawMessage(`{}`), Targets: []string{m.target}}); err != nil {
			t.Fatal(err)
		}
		if m.settled == nil {
			continue
		}
		n, err := db.ClaimOutbox(t.Context(), m.target, m.at, time.Minute)
		if err := errors.Join(err, db.SettleOutbox(t.Context(), n, m.at, *m.settled)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `insert into core.notice_item (watch_id, due_at, message) values (1, $1, '{"old": 1}'), (1, $2, '{"young": 1}')`, old, young); err != nil {
		t.Fatal(err)
	}
	if err := db.PruneOutbox(t.Context(), epoch.Add(10*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	got := column[string](t, db.Pool(), `select message_id from core.outbox union all select message::text from core.notice_item`)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"tried again", "waiting", "young dead", `{"young": 1}`}, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
