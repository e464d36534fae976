package archive_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// TestWACZ reads an export back as a replayer does: from the package by its
// digests, through both indexes, to each record in the WARC file.
func TestWACZ(t *testing.T) {
	t.Parallel()
	db := open(t)
	var in bytes.Buffer
	w, err := warc.NewWriter(&in, warc.WriterOptions{Plain: true, Reproducible: true})
	if err != nil {
		t.Fatal(err)
	}
	const pages, each = 700, 2
	for i := range pages * each {
		url := fmt.Sprintf("http://wacz.test/p?n=%d", i%pages)
		if _, err := w.Response(url, time.Date(2026, 3, 1, i/pages, 0, i%60, 0, time.UTC), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
			fmt.Appendf(nil, "<p>Content %d of a page.</p>", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	load(t, db, archive.ImportOptions{}, keep(t, "in.warc", in.String()))
	var out bytes.Buffer
	report, err := archive.ExportWACZ(t.Context(), db, &out, archive.ExportOptions{Software: "test"})
	if err != nil || report.Responses != pages*each {
		t.Fatalf("%+v, %v", report, err)
	}
	if report.Bytes != int64(out.Len()) {
		t.Errorf("%d bytes are reported of a file of %d", report.Bytes, out.Len())
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".gz") && f.Method != zip.Store {
			t.Errorf("%s is compressed twice and cannot be read in part", f.Name)
		}
	}
	hash := func(b []byte) string { s := sha256.Sum256(b); return "sha256:" + hex.EncodeToString(s[:]) }
	var about struct {
		Profile   string
		Version   string `json:"wacz_version"`
		Resources []struct {
			Path, Hash string
			Bytes      int
		}
	}
	if err := json.Unmarshal(files["datapackage.json"], &about); err != nil || about.Profile != "data-package" || about.Version != "1.1.1" || len(about.Resources) != 4 {
		t.Fatalf("datapackage.json: %+v, %v", about, err)
	}
	for _, r := range about.Resources {
		if hash(files[r.Path]) != r.Hash || len(files[r.Path]) != r.Bytes {
			t.Errorf("%s: digest or size is wrong", r.Path)
		}
	}
	if !strings.Contains(string(files["datapackage-digest.json"]), hash(files["datapackage.json"])) {
		t.Error("datapackage-digest.json names another digest")
	}
	if n := strings.Count(string(files["pages/pages.jsonl"]), "\n"); n != pages+1 {
		t.Errorf("%d lines of pages, want %d", n, pages+1)
	}
	idx := strings.Split(strings.TrimSpace(string(files["indexes/index.idx"])), "\n")
	if len(idx) != 3 || !strings.HasPrefix(idx[0], "!meta 0 {") {
		t.Fatalf("second index: %q", idx)
	}
	found := 0
	for _, l := range idx[1:] {
		var at struct{ Offset, Length int }
		_, members, _ := strings.Cut(l, "{")
		if err := json.Unmarshal([]byte("{"+members), &at); err != nil {
			t.Fatal(err)
		}
		for one := range strings.SplitSeq(strings.TrimSpace(unzip(t, files["indexes/index.cdx.gz"][at.Offset:at.Offset+at.Length])), "\n") {
			e, err := cdxj.Parse([]byte(one))
			if err != nil {
				t.Fatal(err)
			}
			record := unzip(t, files["archive/data.warc.gz"][e.Offset:e.Offset+e.Length])
			if e.Filename != "data.warc.gz" || !strings.Contains(record, "WARC-Target-URI: "+e.URL+"\r\n") {
				t.Fatalf("%s leads to\n%s", one, record)
			}
			found++
		}
	}
	if found != pages*each {
		t.Errorf("%d captures are found, want %d", found, pages*each)
	}
	var again bytes.Buffer
	if _, err := archive.ExportWACZ(t.Context(), db, &again, archive.ExportOptions{Software: "test"}); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("another export of the same is another file, %v", err)
	}
}

func unzip(t *testing.T, member []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(member))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
