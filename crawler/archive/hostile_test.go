package archive_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc"
)

// response is a record in plain WARC.
func response(uri, date, head, payload string) string {
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + head + "\r\n" + payload
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", date, date, uri, len(block), block)
}

// TestTooMuchForOnePiece imports pages whose text is more than the store takes in
// one piece: a gzip bomb, and text that grows in UTF-8. They are kept in part and
// flagged, and the pages beside them are stored.
func TestTooMuchForOnePiece(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write([]byte("<p>" + strings.Repeat("a ", 15<<20))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	grows := "<p>" + strings.Repeat("\xe4\xf6\xfc ", 9<<20/4) // 2 bytes a letter in UTF-8
	db := open(t)
	file := keep(t, "bomb.warc", response("http://a.test/bomb", "2026-03-01T00:00:00Z", "Content-Encoding: gzip\r\n", bomb.String())+
		response("http://a.test/grows", "2026-03-01T00:00:01Z", "X: y\r\n", grows)+
		response("http://a.test/good", "2026-03-01T00:00:02Z", "", "<p>fine"))
	got := load(t, db, archive.ImportOptions{}, file)
	if got.New != 3 {
		t.Errorf("%d new pages, want 3: %s", got.New, got.damage())
	}
	for _, row := range rows(t, db, `select url || ' ' || array_to_string(flags, ',') from api_v1.version order by 1`) {
		if strings.Contains(row, "/bomb") && !strings.Contains(row, "cut") {
			t.Errorf("%s: a page kept in part is not flagged", row)
		}
	}
}

// TestURLTooLong reports a page whose URL cannot be kept, with its place.
func TestURLTooLong(t *testing.T) {
	t.Parallel()
	db := open(t)
	file := keep(t, "long.warc", response("http://a.test/"+strings.Repeat("x", 9000), "2026-03-01T00:00:00Z", "", "<p>x")+
		response("http://a.test/good", "2026-03-01T00:00:02Z", "", "<p>fine"))
	got := load(t, db, archive.ImportOptions{}, file)
	if got.New != 1 || got.Damage[warc.BadURI] != 1 || !strings.Contains(got.damage(), "URL of 9014 bytes") {
		t.Errorf("%d new pages, damage %v: %s", got.New, got.Damage, got.damage())
	}
}

// TestMendedIsNotLeftOut tells faults of records that were taken from records that
// were not.
func TestMendedIsNotLeftOut(t *testing.T) {
	t.Parallel()
	db := open(t)
	record := strings.Replace(response("http://a.test/", "2026-03-01T00:00:00Z", "", "<p>x"), "WARC-Record-ID", "X-Record-ID", 1)
	got := load(t, db, archive.ImportOptions{}, keep(t, "mended.warc", record))
	if got.New != 1 || len(got.Damage) != 0 || got.Mended[warc.BadHeader] != 1 {
		t.Errorf("%d new pages, damage %v, mended %v; want 1, none, one bad-header", got.New, got.Damage, got.Mended)
	}
}
