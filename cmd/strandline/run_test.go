package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/cmd/internal/control"
)

// TestSecondDaemon wants a daemon that comes second to a state directory to write nothing, and to promise nothing.
func TestSecondDaemon(t *testing.T) {
	t.Parallel()
	url, dir := newDatabase(t), t.TempDir()
	release, err := control.Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	file := filepath.Join(dir, "strandline.yaml")
	if err := os.WriteFile(file, []byte("http: {listen: '127.0.0.1:0'}\nwatches: [{name: w, urls: ['https://a.test/']}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	code := Main(t.Context(), []string{"--config", file, "--database", url, "--state-dir", dir, "run"}, strings.NewReader(""), &out, &said)
	if want := "strandline: another daemon runs on " + dir + "\n"; code != exitFailed || said.String() != want || out.Len() > 0 {
		t.Errorf("status %d, %q and %q, want %q alone", code, out.String(), said.String(), want)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var watches int
	if err := conn.QueryRow(t.Context(), `select count(*) from core.watch`).Scan(&watches); err != nil || watches != 0 {
		t.Errorf("%d watches were written, %v", watches, err)
	}
}
