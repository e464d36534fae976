package control

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

type daemon struct{ reloads chan struct{} }

func (d daemon) Reload(context.Context) Reloaded {
	d.reloads <- struct{}{}
	return Reloaded{Changes: []string{"added watch x"}}
}

func (daemon) Fetch(_ context.Context, r FetchRequest) Fetched {
	return Fetched{Report: json.RawMessage(`"` + r.URL + `"`), Elsewhere: r.Database != ""}
}
func (daemon) State(context.Context) any { return map[string]int{"due": 3} }

func TestControl(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "strandline-control") //nolint:usetesting // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	client := Dial(dir)
	if _, err := client.Reload(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Fatalf("without a daemon: %v, want ErrNoDaemon", err)
	}
	// What a killed daemon leaves behind is no daemon.
	if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d := daemon{reloads: make(chan struct{}, 1)}
	done := make(chan error, 1)
	go func() { done <- Listen(ctx, dir, d) }()
	deadline := time.Now().Add(10 * time.Second)
	for {
		if _, err := client.ping(t.Context()); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the socket did not come up: %v", err)
		}
	}
	got, err := client.Reload(t.Context())
	if err != nil || len(got.Changes) != 1 || len(d.reloads) != 1 {
		t.Errorf("Reload = %+v, %v", got, err)
	}
	state, err := client.State(t.Context())
	if err != nil || string(state) != `{"due":3}` {
		t.Errorf("State = %s, %v", state, err)
	}
	page, err := client.Fetch(t.Context(), FetchRequest{URL: "http://a.test/", Database: "other"})
	if err != nil || string(page.Report) != `"http://a.test/"` || !page.Elsewhere {
		t.Errorf("Fetch = %+v, %v", page, err)
	}
	if err := Listen(t.Context(), dir, d); err == nil {
		t.Error("a second daemon on the same directory was let in")
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Listen ended with %v", err)
	}
	if _, err := client.Reload(t.Context()); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("after the end: %v, want ErrNoDaemon", err)
	}
}

func TestClaim(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	release, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Claim(t.Context(), dir); err == nil || err.Error() != "another daemon runs on "+dir {
		t.Errorf("a second claim: %v", err)
	}
	release()
	if release, err = Claim(t.Context(), dir); err != nil {
		t.Fatalf("after the release: %v", err)
	}
	release()
	if _, err := Claim(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}
