package store_test

import (
	"testing"
	"time"
)

// TestKeepTime has a daemon of a fast clock say what time it is: the schedule's time is that, and does
// not run ahead of it.
func TestKeepTime(t *testing.T) {
	t.Parallel()
	db := open(t)
	id, err := db.RegisterDaemon(t.Context(), "h", 1, epoch, epoch.Add(time.Hour), 1e6)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{epoch.Add(time.Minute), epoch.Add(2 * time.Minute)} {
		if err := db.KeepTime(t.Context(), id, at); err != nil {
			t.Fatal(err)
		}
		var now time.Time
		if err := db.Pool().QueryRow(t.Context(), `select core.schedule_now()`).Scan(&now); err != nil {
			t.Fatal(err)
		}
		if !now.Equal(at) {
			t.Errorf("the schedule's time is %s, want %s", now, at)
		}
	}
}
