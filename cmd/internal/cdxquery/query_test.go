package cdxquery

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, page string
		want        bool
	}{
		{"url=http://www.example.com/A", "https://example.com/a", true},
		{"url=example.com/a", "http://example.com/ab", false},
		{"url=example.com/a*", "http://example.com/ab", true},
		{"url=example.com/a/*", "http://example.com/a/b", true},
		{"url=example.com/a/*", "http://example.com/a?b", true},
		{"url=example.com/a/*", "http://example.com/ab", false},
		{"url=example.com/*", "http://example.com.evil/", false},
		{"url=example.com&matchType=host", "http://sub.example.com/", false},
		{"url=example.com/x&matchType=host", "http://example.com/y", true},
		{"url=*.example.com", "http://sub.example.com/", true},
		{"url=*.example.com", "http://example.com:81/", true},
		{"url=*.example.com", "http://anexample.com/", false},
		{"url=*.example.com", "http://com.test/", false},
	} {
		v, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(v)
		if err != nil {
			t.Fatalf("%s: %v", tt.query, err)
		}
		if got := q.Matches(cdxj.SURT(tt.page)); got != tt.want {
			t.Errorf("%s means %s: %t", tt.query, tt.page, got)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Place{
			cdxj.SURT("http://example.com/" + rapid.String().Draw(t, "url")), time.UnixMicro(rapid.Int64Range(-1e16, 1e17).Draw(t, "at")).UTC(),
			rapid.Int64Range(0, 1<<52).Draw(t, "page"), rapid.Int16Range(0, 1<<14).Draw(t, "attempt"),
		}
		if got, err := ParsePlace(p.String()); err != nil || got != p {
			t.Fatalf("%+v came back as %+v, %v", p, got, err)
		}
	})
}

// FuzzParse wants any question to be refused, or answered with lines that can be
// read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"url=example.com", "url=*.example.com&from=2020&to=202102&limit=3&output=json", "url=http%3A%2F%2Fa%2F%25*&matchType=prefix&fl=timestamp,url",
		"url=a&filter=!~mime:text/.*&filter==status:200&collapse=timestamp:8&collapse=digest", "url=a&resumeKey=a)/+5+6+7&showResumeKey=true",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := Parse(v)
		if err != nil {
			return
		}
		if q.Limit < 1 || q.Limit > MaxLimit {
			t.Fatalf("%q: %+v", text, q)
		}
		c := q.Collector()
		e := cdxj.New(q.URL, time.Date(2020, 5, 1, 0, 0, 0, 0, time.UTC))
		e.MIME, e.Status, e.Digest = "text/html", 200, "sha1:X"
		for i := range 3 {
			q.Matches(e.Key)
			c.Add(e, Place{Key: e.Key, Page: int64(i)})
		}
		out, err := c.Write()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if q.JSON {
			if !json.Valid(out) {
				t.Fatalf("%q: %s", text, out)
			}
			return
		}
		lines, _, _ := strings.Cut(string(out), "\n\n")
		for one := range strings.SplitSeq(strings.TrimSuffix(lines, "\n"), "\n") {
			if one == "" {
				continue
			}
			if _, err := cdxj.Parse([]byte(one)); err != nil {
				t.Fatalf("%q: %q: %v", text, one, err)
			}
		}
	})
}
