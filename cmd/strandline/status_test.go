package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// TestStatusJSON has each key of status --json in the words of the views, seconds for spans
// and null for what is not known.
func TestStatusJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	text, err := json.Marshal(statusOf(store.Status{
		Now: at, Daemons: []store.DaemonRow{{ID: 1, StartedAt: at}}, Stages: []store.StageLag{{Stage: "change", OldestAt: at}},
		Schedule: []store.ScheduleHealth{{Kind: "watch", Name: "w", LagP50: 1500 * time.Millisecond}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(text), -1) {
		if key[1] != strings.ToLower(key[1]) {
			t.Errorf("key %s in %s", key[1], text)
		}
	}
	for _, want := range []string{`"lag_p50":1.5`, `"oldest_due_at":null`, `"next_due_at":null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	empty, err := json.Marshal(statusOf(store.Status{}))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("of nothing: %s, %v", empty, err)
	}
}
