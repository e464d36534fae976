package pagedate

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/internal/need"
)

// TestCorpus prints for real page histories how many pages date themselves, how
// often that agrees with the month in their address, and how it stands to the first
// capture: a page can not be published after it was captured.
func TestCorpus(t *testing.T) {
	files := need.Corpus(t)
	t.Log("archive: pages, published (by markup, time element, text), modified; with a month in the address: agree, differ; published in the 31 days before the first capture, earlier")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			corpusFile(t, file)
		})
	}
}

func corpusFile(t *testing.T, file string) {
	pages, published, modified, agree, differ, fresh, earlier := 0, 0, 0, 0, 0, 0, 0
	by := map[Source]int{}
	sure := 0
	shown := 0
	var x extract.Extractor
	eachFirst(t, file, func(url, contentType string, at time.Time, body []byte) {
		pages++
		p := x.Extract(extract.Input{Body: body, ContentType: contentType, URL: url})
		own := Of("", p, at)
		if d, ok := own.Modified(); ok && d.Confidence >= Sure {
			modified++
		}
		d, ok := own.Published()
		if !ok {
			return
		}
		published++
		by[d.Source]++
		if d.Confidence >= Sure {
			sure++
		}
		if at.Sub(d.Start) < 31*24*time.Hour {
			fresh++
		} else {
			earlier++
		}
		if u, ok := inURL(url); ok && u.Precision >= Month {
			if u.Start.Year() == d.Start.Year() && u.Start.Month() == d.Start.Month() {
				agree++
			} else {
				differ++
			}
		}
		if shown < 12 && testing.Verbose() {
			shown++
			t.Logf("%s captured %s: published %s by %s (%.2f)", url, at.Format("2006-01-02"), d, d.Source, d.Confidence)
		}
	})
	t.Logf("%s: %d pages; published %d (%d, %d, %d), sure %d; modified %d; agree %d, differ %d; fresh %d, earlier %d",
		filepath.Base(file), pages, published, by[Markup], by[TimeMark], by[Text], sure, modified, agree, differ, fresh, earlier)
}

// eachFirst calls f with the first capture of each page of a WARC file that is HTML.
func eachFirst(t *testing.T, file string, f func(url, contentType string, at time.Time, body []byte)) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := warc.NewReader(in, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var d warc.Decoder
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != "response" || seen[rec.TargetURI] {
			continue
		}
		block, _, err := rec.AppendBlock(nil, 16<<20)
		if err != nil {
			continue
		}
		m, err := warc.ParseHTTP(block)
		if err != nil || m.Status != 200 || m.MediaType() != "text/html" {
			continue
		}
		seen[rec.TargetURI] = true
		f(rec.TargetURI, m.Header.Get("Content-Type"), rec.Date, d.Decode(m, 16<<20).Data)
	}
}
