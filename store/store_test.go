package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/migrations"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/store/pgtest"
)

// epoch is the start of the tests' time.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func migrate(ctx context.Context, url string) error {
	_, err := store.Migrate(ctx, url)
	return err
}

// open gives a store on a fresh, migrated database.
func open(t testing.TB) *store.DB {
	t.Helper()
	_, db := openURL(t)
	return db
}

func openURL(t testing.TB) (string, *store.DB) {
	t.Helper()
	key, err := migrations.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	url := pgtest.New(t, migrate, key)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return url, db
}

// capture makes an answer with content, seconds after the epoch.
func capture(url string, seconds int, content string) *store.Capture {
	at := epoch.Add(time.Duration(seconds) * time.Second)
	return &store.Capture{
		URL: url, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: 200,
		Head:    fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-At: %d\r\n\r\n", seconds),
		Payload: []byte(content), MediaType: "text/html",
		Extract: func(p []byte) store.Extract { return extractOf(string(p)) },
	}
}

// extractOf stands for the extraction: the record is the content itself.
func extractOf(content string) store.Extract {
	e := store.Extract{Title: "title of " + content[:min(8, len(content))], Language: "en", Words: len(content), Record: []byte("record " + content), Rules: 1}
	copy(e.TextHash[:], content)
	copy(e.WordsHash[:], content)
	e.Links = []store.Link{{URL: "http://a.test/linked"}, {URL: "http://b.test/", NoFollow: true}}
	return e
}

func write(t testing.TB, db *store.DB, caps ...*store.Capture) []store.Stored {
	t.Helper()
	got, err := db.Write(t.Context(), caps)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return got
}

func pageOf(t testing.TB, db *store.DB, url string) store.PageID {
	t.Helper()
	p, err := db.PageByURL(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}
