package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
)

// recorded is one capture of an archive.
type recorded struct {
	at      time.Time
	head    http.Header
	payload []byte
	hash    string
}

// recording is a web that answers as an archive says it did at the clock's time.
type recording struct {
	now   func() time.Time
	pages map[string][]recorded // by URL, in order of time
}

// readRecording reads an archive; revisits repeat the payload that they name.
func readRecording(t *testing.T, file string, canonical func(string) (string, error)) *recording {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := warc.NewReader(f, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec := &recording{pages: map[string][]recorded{}}
	payloads := map[string][]byte{}
	for {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.Type != warc.TypeResponse && record.Type != warc.TypeRevisit {
			continue
		}
		block, _, err := record.AppendBlock(nil, 16<<20)
		if err != nil {
			t.Fatal(err)
		}
		m, err := warc.ParseHTTP(block)
		if err != nil {
			t.Fatal(err)
		}
		url, err := canonical(record.TargetURI)
		if err != nil {
			t.Fatal(err)
		}
		c := recorded{at: record.Date, head: http.Header{}, payload: bytes.Clone(m.Payload)}
		digest := record.Header.Get("WARC-Payload-Digest")
		if record.Type == warc.TypeRevisit {
			c.payload = payloads[digest]
		} else {
			payloads[digest] = c.payload
		}
		if v := m.Header.Get("Content-Type"); v != "" {
			c.head.Set("Content-Type", v)
		}
		sum := sha256.Sum256(c.payload)
		c.hash = hex.EncodeToString(sum[:])
		c.head.Set("Etag", `"`+c.hash+`"`)
		rec.pages[url] = append(rec.pages[url], c)
	}
	return rec
}

// visible returns the capture that a page shows at a time.
func (r *recording) visible(url string, at time.Time) (recorded, bool) {
	all := r.pages[url]
	n, _ := slices.BinarySearchFunc(all, at, func(c recorded, at time.Time) int {
		if c.at.After(at) {
			return 1
		}
		return -1
	})
	if n == 0 {
		return recorded{}, false
	}
	return all[n-1], true
}

// RoundTrip answers a request from the recording.
func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: req}
	if c, ok := r.visible(req.URL.String(), r.now()); ok {
		res.StatusCode, res.Header = http.StatusOK, c.head.Clone()
		if req.Header.Get("If-None-Match") == c.head.Get("Etag") {
			res.StatusCode = http.StatusNotModified
		} else {
			res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(c.payload)), int64(len(c.payload))
		}
	}
	res.Status = fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode))
	return res, nil
}

// busiest returns when the span of that length begins that has most captures.
func (r *recording) busiest(span time.Duration) time.Time {
	var all []time.Time
	for _, page := range r.pages {
		for _, c := range page {
			all = append(all, c.at)
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	best, most := all[0], 0
	for i, j := 0, 0; i < len(all); i++ {
		for j < len(all) && all[j].Before(all[i].Add(span)) {
			j++
		}
		if j-i > most {
			best, most = all[i], j-i
		}
	}
	return best
}

// contents counts the distinct contents in a row that a page had in (from, to].
func (r *recording) contents(url string, from, to time.Time) int {
	n, last := 0, ""
	if c, ok := r.visible(url, from); ok {
		n, last = 1, c.hash
	}
	for _, c := range r.pages[url] {
		if c.at.After(from) && !c.at.After(to) && c.hash != last {
			n, last = n+1, c.hash
		}
	}
	return n
}

// TestReplay plays recorded pages to the whole daemon in virtual time and compares
// each stored content with the one that was visible when it was fetched. The
// busiest hours of each archive are played; STRANDLINE_REPLAY=day plays the busiest day,
// STRANDLINE_REPLAY=all plays all of them
// from the first capture to the last, which takes many minutes.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, every string
	}{{"gov-us-states-2020", "30m"}, {"news-de", "30m"}, {"gov-fire-dispatch", "15m"}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			replay(t, need.Corpus(t, tt.name)[0], tt.every)
		})
	}
}

func replay(t *testing.T, file, every string) {
	config := filepath.Join(t.TempDir(), "strandline.yaml")
	if err := os.WriteFile(config, []byte("crawler: {user_agent: test/1.0}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{flags: globals{Config: config, Database: newDatabase(t)}, stdout: io.Discard, stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o, err := a.create(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	web := readRecording(t, file, o.reader.Canonical)
	span, speed := 6*time.Hour, 14400.0
	from := web.busiest(span)
	switch os.Getenv("STRANDLINE_REPLAY") {
	case "day":
		span = 24 * time.Hour
		from = web.busiest(span)
	case "all":
		last := from
		for _, page := range web.pages {
			if page[0].at.Before(from) {
				from = page[0].at
			}
			if end := page[len(page)-1].at; end.After(last) {
				last = end
			}
		}
		span, speed = last.Sub(from), 36000
	}
	var urls []string
	for url := range web.pages {
		urls = append(urls, fmt.Sprintf("%q", url))
	}
	text := fmt.Sprintf("crawler: {user_agent: test/1.0, workers: 16}\nwatches: [{name: w, schedule: '@every %s', jitter: 0s, urls: [%s]}]\n", every, strings.Join(urls, ", "))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if o.config, err = a.config(); err != nil {
		t.Fatal(err)
	}
	clk := clock.NewDriven(from, speed)
	web.now = clk.Now
	s, err := a.newService(o, clk, web)
	if err != nil {
		t.Fatal(err)
	}
	driven := make(chan struct{})
	go func() {
		defer close(driven)
		clk.Run(ctx, func() bool {
			if clk.Now().Sub(from) >= span {
				stop()
				return true
			}
			h := s.daemon.Health()
			return !h.Running || h.Behind > 2*time.Minute || h.Unstored > 64
		})
	}()
	if err := s.run(ctx); err != nil {
		t.Fatal(err)
	}
	<-driven
	checkReplay(t, s, web)
}

// checkReplay compares what is stored with what was visible, and says how much of
// what was recorded was caught.
func checkReplay(t *testing.T, s *service, web *recording) {
	t.Helper()
	rows, err := s.Pool().Query(t.Context(), `select f.url, f.started_at, f.finished_at, f.outcome::text, coalesce(encode(v.sha256, 'hex'), '')
		from core.fetch x join api_v1.fetch_log f using (bucket, page_id, started_at)
		left join core.version v on v.bucket = x.bucket and v.page_id = x.page_id and v.version = f.version
		where f.outcome <> 'skipped' order by f.url, f.started_at`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	type spanned struct{ first, last time.Time }
	spans := map[string]spanned{}
	outcomes := map[string]int{}
	fetches, wrong, caught, recordedContents := 0, 0, 0, 0
	before := map[string]string{}
	for rows.Next() {
		var url, outcome, hash string
		var started, finished time.Time
		if err := rows.Scan(&url, &started, &finished, &outcome, &hash); err != nil {
			t.Fatal(err)
		}
		fetches++
		outcomes[outcome]++
		if hash == "" {
			continue
		}
		a, _ := web.visible(url, started)
		b, _ := web.visible(url, finished.Add(time.Microsecond))
		if hash != a.hash && hash != b.hash {
			wrong++
		}
		if before[url] != hash {
			before[url] = hash
			caught++
		}
		sp, ok := spans[url]
		if !ok {
			sp.first = started
		}
		sp.last = finished
		spans[url] = sp
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for url, sp := range spans {
		recordedContents += web.contents(url, sp.first, sp.last)
	}
	t.Logf("%d fetches %v of %d pages: %d contents were recorded between the first and last fetch of each page, %d caught, %d fell between",
		fetches, outcomes, len(spans), recordedContents, caught, recordedContents-caught)
	if wrong > 0 || caught > recordedContents || caught == 0 {
		t.Errorf("%d of %d fetches are stored with a content that was not visible; %d contents caught of %d", wrong, fetches, caught, recordedContents)
	}
}
