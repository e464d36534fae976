package archive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/store"
)

// seen tells what the database holds of imported captures: a line each, with the
// minute, URL, status, outcome, version and what is wrong; and of each version
// the text that a reader sees.
func seen(t testing.TB, db *store.DB) []string {
	t.Helper()
	var out []string
	err := db.EachCapture(t.Context(), store.Selection{}, func(c store.CaptureRow) error {
		line := fmt.Sprintf("%s %s %d %s", c.At.Format("04"), c.URL[:min(len(c.URL), 60)], c.Status, c.Outcome)
		if c.Version > 0 {
			line += fmt.Sprintf(" v%d", c.Version)
		}
		if len(c.Flags) > 0 {
			line += fmt.Sprint(" ", c.Flags)
		}
		if c.Version > 0 && (c.Outcome == store.New || c.Outcome == store.Changed) {
			v, err := db.VersionNumber(t.Context(), c.Page, c.Version)
			if err != nil {
				return err
			}
			raw, err := db.Record(t.Context(), v)
			if err != nil {
				return err
			}
			p, err := extract.DecodeRecord(raw)
			if err != nil {
				return err
			}
			text := strings.Join(strings.Fields(p.Text()), " ")
			line += ": " + text[:min(len(text), 60)]
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	a  = "http://a.test/page"
	a2 = "http://a.test/other"
	b  = "http://b.test/page"
)

// importCases are files with what an import makes of them.
func importCases() map[string]struct {
	file   string
	seen   []string
	damage string // kind and start of the message of each damage
} {
	one, two := text("one word"), text("two words")
	gz, br := gzipped(one), brotlied(one)
	response := func(at string, block string) string { return record(block, captured("response", a, at)...) }
	firstOnly := []string{"01 http://a.test/page 200 new v1: one word"}
	type c = struct {
		file   string
		seen   []string
		damage string
	}
	return map[string]c{
		"responses": {
			file: members(page(a, "01", one), page(a, "02", one), page(a, "03", two), page(a, "04", one)),
			seen: []string{
				"01 http://a.test/page 200 new v1: one word", "02 http://a.test/page 200 same v1",
				"03 http://a.test/page 200 changed v2: two words", "04 http://a.test/page 200 changed v3: one word",
			},
		},
		"plain file": {file: page(a, "01", one), seen: firstOnly},
		"revisits by sha1 and sha256": {
			file: members(page(a, "01", one), revisit(a, "02", sha1Of(one)), page(a, "03", two), revisit(a, "04", sha256Of(two)),
				revisit(a, "05", sha256Of(one)), revisit(a, "06", sha1Of(two))),
			seen: []string{
				"01 http://a.test/page 200 new v1: one word", "02 http://a.test/page 200 same v1",
				"03 http://a.test/page 200 changed v2: two words", "04 http://a.test/page 200 same v2",
				"05 http://a.test/page 200 changed v3: one word", "06 http://a.test/page 200 changed v4: two words",
			},
		},
		"revisit of a payload that never came": {
			file: revisit(a, "01", sha1Of(one)),
			seen: []string{"01 http://a.test/page 200 error"},
		},
		"revisit without digest": {
			file:   record(answer("", ok), captured("revisit", a, "01", "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")...),
			damage: "bad-digest: revisit without a sha1 or sha256 payload digest: http://a.test/page",
		},
		"revisit with an empty block": {
			file: members(page(a, "01", one), record("", captured("revisit", a, "02",
				"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", "WARC-Payload-Digest: "+sha1Of(one))...)),
			seen: []string{"01 http://a.test/page 200 new v1: one word", "02 http://a.test/page 200 same v1"},
		},
		"server not modified": {
			file: members(page(a, "01", one), record(answer("", "HTTP/1.1 304 Not Modified"),
				captured("revisit", a, "02", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified")...),
				response("03", answer("", "HTTP/1.1 304 Not Modified"))),
			seen: []string{"01 http://a.test/page 200 new v1: one word", "02 http://a.test/page 304 not_modified v1", "03 http://a.test/page 304 not_modified v1"},
		},
		"304 of a page nobody has": {
			file: response("01", answer("", "HTTP/1.1 304 Not Modified")),
			seen: []string{"01 http://a.test/page 304 error"},
		},
		"revisits of another URL": {
			file: members(page(a, "01", one), revisit(a2, "02", sha1Of(one), "WARC-Refers-To-Target-URI: "+a),
				revisit(b, "03", sha1Of(one), "WARC-Refers-To-Target-URI: "+a)),
			seen: []string{"02 http://a.test/other 200 new v1: one word", "01 http://a.test/page 200 new v1: one word", "03 http://b.test/page 200 new v1: one word"},
		},
		"revisits of another URL by sha256": {
			file: members(page(a, "01", one), revisit(a2, "02", sha256Of(one), "WARC-Refers-To-Target-URI: "+a),
				revisit(b, "03", sha256Of(one), "WARC-Refers-To-Target-URI: "+a)),
			seen: []string{"02 http://a.test/other 200 new v1: one word", "01 http://a.test/page 200 new v1: one word", "03 http://b.test/page 200 new v1: one word"},
		},
		"records that are no captures": {
			file: members(record("software: test\r\n", "WARC-Type: warcinfo", "WARC-Record-ID: <urn:uuid:i>", "WARC-Date: 2021-05-01T00:00:00Z"),
				record(answer("", "GET /page HTTP/1.1", "Host: a.test"), captured("request", a, "01")...),
				record("fetchTimeMs: 3\r\n", captured("metadata", a, "01")...),
				record("20210501\r\na.test. 300 IN A 192.0.2.1\r\n", "WARC-Type: response", "WARC-Record-ID: <urn:uuid:d>", "WARC-Date: 2021-05-01T00:00:00Z",
					"WARC-Target-URI: dns:a.test", "Content-Type: text/dns"),
				page(a, "01", one)),
			seen: firstOnly,
		},
		"resource": {
			file: record(one, "WARC-Type: resource", "WARC-Record-ID: <urn:uuid:r>", "WARC-Date: 2021-05-01T00:01:00Z", "WARC-Target-URI: "+a, "Content-Type: text/html"),
			seen: firstOnly,
		},
		"answers without content of the page": {
			file: members(response("01", answer(text("moved"), "HTTP/1.1 301 Moved Permanently", "Location: /other")),
				response("02", answer(text("not here"), "HTTP/1.1 404 Not Found", html)), response("03", answer("", "HTTP/1.1 204 No Content")),
				response("04", answer("part", "HTTP/1.1 206 Partial Content", html)), response("05", answer(text("broken"), "HTTP/1.1 500 Oops")),
				page(a, "06", one)),
			seen: []string{
				"01 http://a.test/page 301 error", "02 http://a.test/page 404 error", "03 http://a.test/page 204 error", "04 http://a.test/page 206 error",
				"05 http://a.test/page 500 error", "06 http://a.test/page 200 new v1: one word",
			},
		},
		"gzip":              {file: response("01", answer(gz, ok, html, "Content-Encoding: gzip")), seen: firstOnly},
		"br":                {file: response("01", answer(br, ok, html, "Content-Encoding: br")), seen: firstOnly},
		"chunked":           {file: response("01", answer(chunked(one, 7), ok, html, "Transfer-Encoding: chunked")), seen: firstOnly},
		"chunked gzip":      {file: response("01", answer(chunked(gz, 7), ok, html, "Transfer-Encoding: chunked", "Content-Encoding: gzip")), seen: firstOnly},
		"chunked in name":   {file: response("01", answer(one, ok, html, "Transfer-Encoding: chunked")), seen: firstOnly},
		"line feeds alone":  {file: strings.ReplaceAll(response("01", strings.ReplaceAll(answer(one, ok, html), "\r\n", "\n")), "\r\n", "\n"), seen: firstOnly},
		"wrong digest":      {file: members(strings.Replace(page(a, "01", one), sha1Of(one), sha1Of(two), 1), page(a, "02", two)), seen: []string{"02 http://a.test/page 200 new v1: two words"}, damage: "bad-digest: payload digest is"},
		"unreadable digest": {file: members(page(a, "01", one, "WARC-Block-Digest: nonsense")), seen: firstOnly, damage: "bad-digest: WARC-Block-Digest"},
		"no date":           {file: members(strings.Replace(page(a, "01", one), "WARC-Date: ", "X-Date: ", 1), page(a, "02", two)), seen: []string{"02 http://a.test/page 200 new v1: two words"}, damage: "bad-date: no WARC-Date"},
		"unreadable date":   {file: members(page(a, "yesterday evening", one), page(a, "02", two)), seen: []string{"02 http://a.test/page 200 new v1: two words"}, damage: "bad-date: unreadable WARC-Date"},
		"URL of 1 MB":       {file: members(page("http://a.test/"+strings.Repeat("x", 1<<20), "01", one), page(a, "02", two)), seen: []string{"02 http://a.test/page 200 new v1: two words"}, damage: "bad-header: "},
		"truncated gzip":    {file: members(page(a, "01", one)) + members(page(a, "02", two))[:100], seen: firstOnly, damage: "truncated: "},
		"truncated file":    {file: page(a, "01", one) + page(a, "02", two)[:400], seen: firstOnly, damage: "truncated: "},
		"garbage between":   {file: members(page(a, "01", one)) + strings.Repeat("no record ", 50) + members(page(a, "02", two)), seen: append(firstOnly[:1:1], "02 http://a.test/page 200 changed v2: two words"), damage: "bad-gzip: "},
		"4 GiB declared":    {file: members(page(a, "01", one), lied(4<<30, "short", captured("response", a, "02")...), page(a, "03", two)), seen: append(firstOnly[:1:1], "03 http://a.test/page 200 changed v2: two words"), damage: "bad-length: "},
		"too long":          {file: members(page(a, "01", "<p>one word</p><!--"+strings.Repeat("x", maxPayload)+"-->")), seen: []string{"01 http://a.test/page 200 new v1 [truncated]: one word"}},
		"no HTTP":           {file: members(record("not a message", captured("response", a, "01")...), page(a, "02", two)), seen: []string{"02 http://a.test/page 200 new v1: two words"}, damage: "bad-http: no HTTP start line"},
		"empty payload":     {file: response("01", answer("", ok, html)), seen: []string{"01 http://a.test/page 200 new v1 [plain-text]: "}},
		"head alone":        {file: response("01", ok+"\r\n"+html), seen: []string{"01 http://a.test/page 200 new v1 [plain-text]: "}},
	}
}

const maxPayload = 64 << 10

func TestImport(t *testing.T) {
	t.Parallel()
	for name, c := range importCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			got := load(t, db, archive.ImportOptions{MaxPayload: maxPayload}, keep(t, "x.warc.gz", c.file))
			if diff := cmp.Diff(c.seen, seen(t, db)); diff != "" {
				t.Errorf("captures (-want +got):\n%s", diff)
			}
			if d := got.damage(); !strings.HasPrefix(d, c.damage) || (c.damage == "") != (d == "") {
				t.Errorf("damage %q, want %q", d, c.damage)
			}
			before := everything(t, db)
			again := load(t, db, archive.ImportOptions{MaxPayload: maxPayload}, keep(t, "again.warc.gz", c.file))
			if again.Captures != again.Stored {
				t.Errorf("second import: %d of %d captures were known", again.Stored, again.Captures)
			}
			if diff := cmp.Diff(before, everything(t, db)); diff != "" {
				t.Errorf("tables after the second import (-first +second):\n%s", diff)
			}
		})
	}
}

// everything dumps the tables that an import writes.
func everything(t testing.TB, db *store.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, table := range []string{"host", "host_state", "page", "page_state", "fetch", "version", "body", "record", "link_set", "change", "monitor_todo"} {
		out[table] = rows(t, db, `select * from core.`+table+` t order by t::text`)
	}
	return out
}

func TestNotWARC(t *testing.T) {
	t.Parallel()
	db := open(t)
	for content, want := range map[string]string{
		"":                              "empty",
		"<!doctype html><p>hello":       "HTML",
		"PK\x03\x04rest":                "zip",
		"\x28\xb5\x2f\xfdrest":          "zstd",
		"plain words":                   `"plain words"`,
		gzipped("plain words in gzip"):  "gzip",
		"filedesc://x.arc 0.0.0.0 2010": "ARC",
	} {
		file := keep(t, "x.warc.gz", content)
		_, err := archive.Import(t.Context(), db, reader(), []string{file}, archive.ImportOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), file+": not a WARC file: found ") {
			t.Errorf("%.20q: error %v, want one that names %s", content, err, want)
		}
	}
}

// TestPayloadsAsReceived holds that what is stored is what came behind the head,
// without the chunks and with the content coding.
func TestPayloadsAsReceived(t *testing.T) {
	t.Parallel()
	one := text("one word")
	for name, c := range map[string]struct{ block, payload, coding string }{
		"plain":        {answer(one, ok, html), one, ""},
		"gzip":         {answer(gzipped(one), ok, html, "Content-Encoding: gzip"), gzipped(one), "gzip"},
		"br":           {answer(brotlied(one), ok, html, "Content-Encoding: br"), brotlied(one), "br"},
		"both":         {answer(chunked(brotlied(gzipped(one)), 5), ok, html, "Content-Encoding: gzip, br", "Transfer-Encoding: chunked"), brotlied(gzipped(one)), "gzip, br"},
		"chunked":      {answer(chunked(one, 5), ok, html, "Transfer-Encoding: chunked"), one, ""},
		"chunked gzip": {answer(chunked(gzipped(one), 5), ok, html, "Transfer-Encoding: chunked", "Content-Encoding: gzip"), gzipped(one), "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			load(t, db, archive.ImportOptions{}, keep(t, "x.warc", record(c.block, captured("response", a, "01")...)))
			p, err := db.PageByURL(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			v, err := db.LastVersion(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			body, err := db.Body(t.Context(), v)
			if err != nil || string(body) != c.payload || v.Coding != c.coding {
				t.Errorf("stored %q coded %q, %v; want %q coded %q", body, v.Coding, err, c.payload, c.coding)
			}
			if head := c.block[:strings.Index(c.block, "\r\n\r\n")+4]; string(v.Head) != head {
				t.Errorf("head %q, want %q", v.Head, head)
			}
			if v.Title != "A page" {
				t.Errorf("title %q was not read from the decoded payload", v.Title)
			}
		})
	}
}
