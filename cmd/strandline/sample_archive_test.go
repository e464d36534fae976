package main

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// The sample holds every page at every hour, shows changes and revisits, and
// every digest in it is right.
func TestSampleArchive(t *testing.T) {
	t.Parallel()
	write := func(seed uint64) []byte {
		var b bytes.Buffer
		c := sampleArchiveCmd{Out: "-", Pages: 6, Days: 1, Seed: seed}
		if err := c.write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := write(1)
	if !bytes.Equal(file, write(1)) {
		t.Error("the same flags gave other bytes")
	}
	if bytes.Equal(file, write(2)) {
		t.Error("another seed gave the same bytes")
	}
	captures := map[string]int{}
	payloads := map[string]map[string]bool{}
	revisits := 0
	r, err := warc.NewReader(bytes.NewReader(file), warc.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	var block []byte
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			block, _, err = rec.AppendBlock(block[:0], 1<<20)
		}
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Type {
		case warc.TypeRevisit:
			revisits++
		case warc.TypeResponse:
		default:
			continue
		}
		captures[rec.TargetURI]++
		if payloads[rec.TargetURI] == nil {
			payloads[rec.TargetURI] = map[string]bool{}
		}
		payloads[rec.TargetURI][rec.Header.Get("WARC-Payload-Digest")] = true
	}
	want := map[string]int{}
	contents := 0
	for url := range captures {
		want[url] = 24
		contents += len(payloads[url])
	}
	if diff := cmp.Diff(want, captures); diff != "" || len(captures) != 6 {
		t.Errorf("%d pages, captures of each (-want +got):\n%s", len(captures), diff)
	}
	if revisits == 0 || contents <= len(captures) {
		t.Errorf("%d revisits and %d contents of %d pages: want unchanged and changed captures", revisits, contents, len(captures))
	}
}

func TestSampleArchiveLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []sampleArchiveCmd{{Out: "-", Pages: 0, Days: 1}, {Out: "-", Pages: 1001, Days: 1}, {Out: "-", Pages: 1, Days: 0}} {
		err := c.Run(t.Context(), &app{stdout: io.Discard})
		if usage := (usageError{}); !errors.As(err, &usage) {
			t.Errorf("%d pages, %d days: error %v, want one of usage", c.Pages, c.Days, err)
		}
	}
}
