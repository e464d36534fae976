package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/notify"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// TestKilledDelivery kills the daemon several times while a webhook has a message
// and has not answered yet: in the end every message has come, and no more of them twice
// than there were kills, each with its id.
func TestKilledDelivery(t *testing.T) {
	t.Parallel()
	const messages, kills = 200, 3
	dir := t.TempDir()
	program := programPath(t)
	url := newDatabase(t)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range messages {
		m := notice.Message{ID: fmt.Sprintf("msg_%03d", i), Kind: notice.KindTest, At: time.Now(), Title: "message"}
		if err := notify.Put(t.Context(), db, time.Now(), m, []string{"hook"}); err != nil {
			t.Fatal(err)
		}
	}

	var mu sync.Mutex // guards what follows
	came := map[string]int{}
	total, killAt := 0, 0
	var daemon *exec.Cmd
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		came[r.Header.Get("webhook-id")]++
		if total++; total == killAt {
			_ = daemon.Process.Kill() // it never sees the answer
		}
		if len(came) == messages {
			select {
			case <-done:
			default:
				close(done)
			}
		}
	}))
	defer server.Close()
	file := filepath.Join(dir, "strandline.yaml")
	text := fmt.Sprintf("state_dir: %s\nhttp: {listen: '127.0.0.1:0'}\ntargets: [{name: hook, webhook: {url: %q}}]\n", dir, server.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for life := range kills + 1 {
		// What a killed sender claimed is due again a minute later; the test does not wait for that.
		if _, err := db.Pool().Exec(t.Context(), `update core.outbox set next_attempt_at = now() where delivered_at is null`); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		killAt = total + 20*(life+1)
		if life == kills {
			killAt = -1
		}
		daemon = exec.CommandContext(t.Context(), program, "--config", file, "--database", url, "run")
		err := daemon.Start()
		mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if life < kills {
			_ = daemon.Wait()
			continue
		}
		select {
		case <-done:
		case <-time.After(60 * time.Second):
			t.Error("not all messages came")
		}
		// The last answer may be on its way still; who stops now sends that message once more later.
		settled(t, db)
		_ = daemon.Process.Signal(os.Interrupt)
		if err := daemon.Wait(); err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	twice := 0
	for id, n := range came {
		if n > 2 {
			t.Errorf("%s came %d times", id, n)
		}
		if n > 1 {
			twice++
		}
	}
	if len(came) != messages || twice > kills || total != messages+twice {
		t.Errorf("%d messages came, %d of them twice, in %d requests; want %d, and %d twice at most", len(came), twice, total, messages, kills)
	}
	if twice == 0 {
		t.Error("no kill met an attempt, so nothing was tested")
	}
	if states, err := db.OutboxStates(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("left in the outbox: %+v, %v", states, err)
	}
}

// settled waits until nothing is left to be delivered.
func settled(t *testing.T, db *store.DB) {
	t.Helper()
	end := time.After(30 * time.Second)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		states, err := db.OutboxStates(t.Context())
		if err == nil && len(states) == 0 {
			return
		}
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("left in the outbox: %+v, %v", states, err)
		}
	}
}
