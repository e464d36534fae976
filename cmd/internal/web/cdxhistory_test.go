package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// cdxIs wants the CDX server to tell the captures, whatever is asked for.
func cdxIs(t *testing.T, s http.Handler, captures []told) {
	t.Helper()
	line := func(c told) string {
		return fmt.Sprintf("%s %s %s %d %s", cdxj.SURT(c.url), c.at.Format("20060102150405"), c.url, c.status, c.digest)
	}
	var hosts []string
	byHost := map[string]string{} // a host of its own for each registrable domain of two labels
	for _, c := range captures {
		u, err := url.Parse(c.url)
		if err != nil {
			t.Fatal(err)
		}
		if byHost[u.Hostname()] == "" {
			byHost[u.Hostname()] = c.url
			hosts = append(hosts, u.Hostname())
		}
	}
	middle := captures[len(captures)/2]
	day := func(c told) string { return c.at.Format("20060102") }
	bare := func(u string) string {
		_, rest, _ := strings.Cut(u, "://")
		return strings.TrimPrefix(rest, "www.")
	}
	hostOf := func(u string) string { h, _, _ := strings.Cut(bare(u), "/"); return h }
	type question struct {
		parameters string
		fits       func(told) bool
		digests    bool
	}
	same := func(c told) bool { return cdxj.SURT(c.url) == cdxj.SURT(middle.url) }
	questions := []question{
		{"url=" + url.QueryEscape(middle.url), same, false},
		{"url=" + url.QueryEscape(middle.url) + "&collapse=digest", same, true},
		{"url=" + url.QueryEscape(middle.url) + "&from=" + day(middle), func(c told) bool { return same(c) && day(c) >= day(middle) }, false},
		{"url=" + url.QueryEscape(middle.url) + "&to=" + day(middle), func(c told) bool { return same(c) && day(c) <= day(middle) }, false},
		{
			"url=" + url.QueryEscape(middle.url) + "&from=" + middle.at.Format("20060102150405") + "&to=" + middle.at.Format("20060102150405"),
			func(c told) bool { return same(c) && c.at.Truncate(time.Second).Equal(middle.at.Truncate(time.Second)) }, false,
		},
		{"url=" + url.QueryEscape(middle.url) + "&matchType=prefix", func(c told) bool { return strings.HasPrefix(bare(c.url), bare(middle.url)) }, false},
	}
	for _, h := range hosts {
		host := strings.TrimPrefix(h, "www.")
		questions = append(questions,
			question{"url=" + h + "&matchType=host", func(c told) bool { return hostOf(c.url) == host }, false},
			question{"url=" + h + "&matchType=host&collapse=digest", func(c told) bool { return hostOf(c.url) == host }, true},
			question{"url=" + h + "&matchType=domain", func(c told) bool { return hostOf(c.url) == host || strings.HasSuffix(hostOf(c.url), "."+host) }, false})
	}
	for _, q := range questions {
		var want []string
		key, seen := "", ""
		for _, c := range captures {
			if !q.fits(c) {
				continue
			}
			k := cdxj.SURT(c.url)
			if q.digests && k == key && c.digest == seen {
				continue
			}
			key, seen = k, c.digest
			want = append(want, line(c))
		}
		if len(want) == 0 {
			t.Fatalf("nothing answers %s", q.parameters)
		}
		for _, limit := range []int{10000, max(2, len(want)/3)} {
			for _, byLink := range []bool{true, false} {
				got := cdxLines(t, s, q.parameters, limit, byLink)
				slices.Sort(got) // captures of one key and second have no order of their own
				slices.Sort(want)
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("/cdx?%s&limit=%d (-want +got):\n%.2000s", q.parameters, limit, diff)
				}
			}
		}
	}
}

// cdxLines reads an answer to its end, by the Link field or by the resume keys that
// stand in it, and wants its lines to be in order.
func cdxLines(t *testing.T, s http.Handler, parameters string, limit int, byLink bool) (out []string) {
	t.Helper()
	address := fmt.Sprintf("/cdx?%s&limit=%d", parameters, limit)
	if !byLink {
		address += "&showResumeKey=true"
	}
	before := ""
	for ask := address; ask != ""; {
		r := get(t, s, ask)
		body := bodyOf(t, r)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %d %s", ask, r.StatusCode, body)
		}
		body, key, more := strings.Cut(body, "\n\n")
		ask = ""
		if more {
			ask = address + "&resumeKey=" + url.QueryEscape(strings.TrimSpace(key))
		}
		if byLink {
			if m := regexp.MustCompile(`^<http://localhost([^>]*)>; rel="next"$`).FindStringSubmatch(r.Header.Get("Link")); m != nil {
				ask = m[1]
			}
		}
		for one := range strings.Lines(body) {
			head, block, ok := strings.Cut(strings.TrimSpace(one), "{")
			var e struct{ URL, Status, Digest string }
			if err := json.Unmarshal([]byte("{"+block), &e); err != nil || !ok {
				t.Fatalf("no line of an index: %q", one)
			}
			if head < before {
				t.Errorf("%s: %q behind %q", parameters, head, before)
			}
			before = head
			out = append(out, head+e.URL+" "+e.Status+" "+e.Digest)
		}
	}
	return out
}
