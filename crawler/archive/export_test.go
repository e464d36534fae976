package archive_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"net/textproto"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// plainRecord is a record as the reader of this test sees it: standard library
// only, so that the export is not proved by our own reader.
type plainRecord struct {
	head   textproto.MIMEHeader
	status string // line of the HTTP message
	http   textproto.MIMEHeader
	body   string // behind the HTTP head
}

// readPlain reads the records of a gzip file.
func readPlain(t testing.TB, in io.Reader) []plainRecord {
	t.Helper()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(z)
	var out []plainRecord
	for {
		line, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return out
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !strings.HasPrefix(line, "WARC/1.") {
			t.Fatalf("record %d starts with %.40q", len(out), line)
		}
		var rec plainRecord
		if rec.head, err = textproto.NewReader(r).ReadMIMEHeader(); err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(rec.head.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, n)
		if _, err := io.ReadFull(r, block); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(rec.head.Get("Content-Type"), "application/http") && n > 0 {
			b := bufio.NewReader(bytes.NewReader(block))
			h := textproto.NewReader(b)
			rec.status, _ = h.ReadLine()
			if rec.http, err = h.ReadMIMEHeader(); err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("HTTP head of %v: %v", rec.head, err)
			}
			rest, _ := io.ReadAll(b)
			rec.body = string(rest)
		} else {
			rec.body = string(block)
		}
		out = append(out, rec)
	}
}

// captures gives a line for each capture: URI, date and digest of the payload,
// which is that behind the transfer coding.
func captures(t testing.TB, records []plainRecord) []string {
	t.Helper()
	bySHA256 := map[string]string{}
	for i, r := range records {
		if r.http.Get("Transfer-Encoding") == "chunked" {
			b, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(r.body)))
			if err != nil {
				t.Fatal(err)
			}
			records[i].body = string(b)
		}
		bySHA256[sha256Of(records[i].body)] = sha1Of(records[i].body)
	}
	var out []string
	for _, r := range records {
		digest := sha1Of(r.body)
		switch r.head.Get("WARC-Type") {
		case "revisit":
			digest = r.head.Get("WARC-Payload-Digest")
			if d, ok := bySHA256[digest]; ok {
				digest = d
			}
			if strings.Contains(r.head.Get("WARC-Profile"), "not-modified") {
				digest = "not modified"
			}
		case "response", "resource":
			if strings.Contains(r.status, " 304 ") {
				digest = "not modified"
			}
			if d := r.head.Get("WARC-Payload-Digest"); d != "" && d != sha1Of(r.body) && digest != "not modified" {
				t.Errorf("%s declares %s for a payload of %s", r.head.Get("WARC-Target-URI"), d, sha1Of(r.body))
			}
		default:
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %s", r.head.Get("WARC-Target-URI"), r.head.Get("WARC-Date"), digest))
	}
	slices.Sort(out)
	return out
}

// varied is a file with a bit of everything that an export has to give back.
func varied() string {
	one, two := text("one word"), text("two words")
	var all []string
	for _, f := range threeFiles() {
		all = append(all, f...)
	}
	const c = "http://coded.test/"
	return members(append(all,
		record(answer(chunked(gzipped(one), 9), ok, html, "Transfer-Encoding: chunked", "content-encoding: gzip"), captured("response", c, "01")...),
		record(answer(brotlied(two), ok, html, "Content-Encoding: br"), captured("response", c, "02")...),
		revisit(c, "03", sha1Of(gzipped(one))),
		record(answer(chunked(one, 9), ok, html, "Transfer-Encoding: chunked"), captured("response", c, "04")...),
		record(answer(gzipped("gone"), "HTTP/1.1 404 Not Found", "Content-Encoding: gzip", "Content-Type: text/plain"), captured("response", c, "05")...),
		record(answer("", "HTTP/1.1 302 Found", "Location: /elsewhere"), captured("response", c, "06")...),
		strings.ReplaceAll(record(strings.ReplaceAll(answer(two, ok, html), "\r\n", "\n"), captured("response", c, "2021-05-01T00:07:00.123456Z")...), "\r\n", "\n"),
		record(ok+"\r\n"+html, captured("response", c, "08")...),
		revisit(c, "09", sha1Of("never seen")), revisit(c, "10", sha256Of("never seen"), "WARC-Refers-To-Target-URI: "+a),
		record(one, "WARC-Type: resource", "WARC-Record-ID: <urn:uuid:r>", "WARC-Date: 2021-05-01T00:11:00Z", "WARC-Target-URI: "+c, "Content-Type: text/html"),
		record("", captured("revisit", c, "12", "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", "WARC-Payload-Digest: "+sha1Of(brotlied(two)))...),
	)...)
}

func export(t testing.TB, db *store.DB, opt archive.ExportOptions) ([]byte, archive.ExportReport) {
	t.Helper()
	var b bytes.Buffer
	opt.Software, opt.Filename = "test", "out.warc.gz"
	report, err := archive.Export(t.Context(), db, &b, opt)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), report
}

func TestExportGivesBackWhatCame(t *testing.T) {
	t.Parallel()
	file := varied()
	db := open(t)
	load(t, db, archive.ImportOptions{}, keep(t, "in.warc.gz", file))
	out, report := export(t, db, archive.ExportOptions{Index: true})

	records := readPlain(t, bytes.NewReader(out))
	if diff := cmp.Diff(captures(t, readPlain(t, strings.NewReader(file))), captures(t, records)); diff != "" {
		t.Errorf("captures (-in +out):\n%s", diff)
	}
	if n := report.Responses + report.Revisits; n != len(records)-1 || report.Bytes != int64(len(out)) {
		t.Errorf("report %+v for %d records in %d bytes", report, len(records), len(out))
	}
	if again, _ := export(t, db, archive.ExportOptions{}); !bytes.Equal(out, again) {
		t.Error("a second export gives other bytes")
	}

	second := open(t)
	load(t, second, archive.ImportOptions{}, keep(t, "out.warc.gz", string(out)))
	want, got := views(t, db), views(t, second)
	for _, v := range []map[string][]string{want, got} {
		for i, row := range v["fetch_log"] { // a payload that came twice comes out once
			before, rest, _ := strings.Cut(row, `"bytes":`)
			_, rest, _ = strings.Cut(rest, ",")
			v["fetch_log"][i] = before + rest
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imported again (-first +second):\n%s", diff)
	}
}

// TestExportIndex cuts each record out of the file by the index.
func TestExportIndex(t *testing.T) {
	t.Parallel()
	db := open(t)
	load(t, db, archive.ImportOptions{}, keep(t, "in.warc.gz", varied()))
	out, report := export(t, db, archive.ExportOptions{Index: true})
	if len(report.Index) != report.Responses+report.Revisits {
		t.Errorf("%d lines for %d captures", len(report.Index), report.Responses+report.Revisits)
	}
	for i, e := range report.Index {
		recs := readPlain(t, bytes.NewReader(out[e.Offset:e.Offset+e.Length]))
		if len(recs) != 1 {
			t.Fatalf("entry %d points at %d records", i, len(recs))
		}
		r := recs[0]
		if r.head.Get("WARC-Target-URI") != e.URL || r.head.Get("WARC-Date")[:19] != e.Time.Format("2006-01-02T15:04:05") ||
			r.head.Get("WARC-Payload-Digest") != e.Digest || !strings.Contains(r.status, " "+strconv.Itoa(e.Status)) {
			t.Errorf("entry %+v points at %v %s", e, r.head, r.status)
		}
		if want := strings.TrimSpace(strings.Split(r.http.Get("Content-Type"), ";")[0]); e.MIME != "warc/revisit" && e.MIME != want {
			t.Errorf("entry %s has media type %q, the head %q", e.URL, e.MIME, want)
		}
	}
	if !slices.IsSortedFunc(report.Index, func(a, b cdxj.Entry) int { return strings.Compare(a.Key, b.Key) }) {
		t.Error("the index is not sorted")
	}
}

// TestExportHeads holds that a reader of the file is not told of codings that the
// payload has no more, and still of those it has.
func TestExportHeads(t *testing.T) {
	t.Parallel()
	db := open(t)
	load(t, db, archive.ImportOptions{}, keep(t, "in.warc.gz", varied()))
	out, _ := export(t, db, archive.ExportOptions{Select: store.Selection{URL: "http://coded.test/"}})
	var got []string
	for _, r := range readPlain(t, bytes.NewReader(out))[1:] {
		got = append(got, fmt.Sprintf("%s %s; now %q %q, once %q %q", r.head.Get("WARC-Date")[14:16], r.status, r.http.Get("Transfer-Encoding"),
			r.http.Get("Content-Encoding"), r.http.Get("X-Archive-Orig-Transfer-Encoding"), r.http.Get("X-Archive-Orig-Content-Encoding")))
	}
	want := []string{
		`01 HTTP/1.1 200 OK; now "" "gzip", once "chunked" ""`,
		`02 HTTP/1.1 200 OK; now "" "br", once "" ""`,
		`03 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`04 HTTP/1.1 200 OK; now "" "", once "chunked" ""`,
		`05 HTTP/1.1 404 Not Found; now "" "gzip", once "" ""`,
		`06 HTTP/1.1 302 Found; now "" "", once "" ""`,
		`07 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`08 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`09 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`10 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`11 HTTP/1.1 200 OK; now "" "", once "" ""`,
		`12 HTTP/1.1 200 OK; now "" "", once "" ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heads (-want +got):\n%s", diff)
	}
	// Where a selection starts, the payload comes in full, under a whole head.
	out, _ = export(t, db, archive.ExportOptions{Select: store.Selection{URL: "http://coded.*", From: time.Date(2021, 5, 1, 0, 12, 0, 0, time.UTC)}})
	recs := readPlain(t, bytes.NewReader(out))
	if len(recs) != 2 || recs[1].head.Get("WARC-Type") != "response" || recs[1].body != brotlied(text("two words")) || recs[1].status != ok {
		t.Errorf("a selection that starts with a revisit gives %+v", recs)
	}
}

// TestExportCorpus reads real page histories back.
func TestExportCorpus(t *testing.T) {
	t.Parallel()
	files := corpus(t, "gov-fire-dispatch", "terms-demo")
	if os.Getenv("STRANDLINE_CORPUS_ALL") != "" {
		files = corpus(t)
	}
	db := open(t)
	load(t, db, archive.ImportOptions{}, files...)
	var want []string
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, captures(t, readPlain(t, f))...)
		f.Close()
	}
	slices.Sort(want)
	out, _ := export(t, db, archive.ExportOptions{})
	if diff := cmp.Diff(want, captures(t, readPlain(t, bytes.NewReader(out)))); diff != "" {
		t.Errorf("%d captures (-in +out):\n%.4000s", len(want), diff)
	}
}
