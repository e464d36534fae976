package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// linksOf reads a Link field or a document of links into relation to addresses.
func linksOf(t *testing.T, text string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, m := range regexp.MustCompile(`<([^<>]*)>; rel="([^"]*)"((?:; [a-z]+="[^"]*")*)`).FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[2], "memento") != strings.Contains(m[3], "; datetime=") {
			t.Errorf("a memento has a datetime and nothing else has: %s", m[0])
		}
		for rel := range strings.FieldsSeq(m[2]) {
			out[rel] = append(out[rel], m[1])
		}
	}
	return out
}

// mementosAnswer holds the TimeGate, the TimeMaps and the captures against what
// RFC 7089 demands.
func mementosAnswer(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	page := fx.urls[0]
	start := noon.Add(-fixtureHours*time.Hour - 30*time.Minute)
	captured := func(hour int) time.Time { return start.Add(time.Duration(hour) * time.Hour) }
	local := func(address string) string { return strings.TrimPrefix(address, "http://localhost") }
	for _, tt := range []struct {
		ask  string
		hour int
	}{
		{"", fixtureHours - 1},
		{captured(3).Format(http.TimeFormat), 3},
		{captured(3).Add(29 * time.Minute).Format(http.TimeFormat), 3},
		{captured(3).Add(30 * time.Minute).Format(http.TimeFormat), 3}, // as near to both
		{captured(3).Add(31 * time.Minute).Format(http.TimeFormat), 4},
		{captured(-90000).Format(http.TimeFormat), 0},
		{captured(90000).Format(http.TimeFormat), fixtureHours - 1},
	} {
		var header []string
		if tt.ask != "" {
			header = []string{"Accept-Datetime", tt.ask}
		}
		r := get(t, s, "/timegate/"+page, header...)
		want := "http://localhost/web/" + captured(tt.hour).Format("20060102150405") + "id_/" + page
		if r.StatusCode != http.StatusFound || r.Header.Get("Location") != want {
			t.Errorf("TimeGate at %q: %d %s, want %s", tt.ask, r.StatusCode, r.Header.Get("Location"), want)
			continue
		}
		if r.Header.Get("Vary") != "accept-datetime" || r.Header.Get("Memento-Datetime") != "" {
			t.Errorf("TimeGate at %q: headers %v", tt.ask, r.Header)
		}
		links := linksOf(t, r.Header.Get("Link"))
		if len(links["original"]) != 1 || links["original"][0] != page || len(links["timemap"]) != 2 || len(links["first"]) != 1 || len(links["last"]) != 1 {
			t.Errorf("TimeGate at %q: links %v", tt.ask, r.Header.Get("Link"))
		}
		if (len(links["prev"]) == 1) != (tt.hour > 0) || (len(links["next"]) == 1) != (tt.hour < fixtureHours-1) {
			t.Errorf("TimeGate at %q: neighbours %v", tt.ask, r.Header.Get("Link"))
		}
		m := get(t, s, local(r.Header.Get("Location")))
		if m.StatusCode != http.StatusOK || m.Header.Get("Memento-Datetime") != captured(tt.hour).Format(http.TimeFormat) {
			t.Errorf("memento: %d %v", m.StatusCode, m.Header)
		}
		if got := linksOf(t, m.Header.Get("Link")); len(got["original"]) != 1 || len(got["timegate"]) != 1 {
			t.Errorf("memento: links %v", got)
		}
		if body := bodyOf(t, m); body != fmt.Sprintf(attacks[0].page, tt.hour, tt.hour) {
			t.Errorf("memento of hour %d: %q", tt.hour, body)
		}
	}
	for _, tt := range []struct {
		address, ask string
		status       int
	}{
		{"/timegate/" + page, "Mon, 31 Feb 2026 00:00:00 GMT", 400},
		{"/timegate/" + page, "yesterday", 400},
		{"/timegate/http://evil.test/none", "", 404},
		{"/timegate/mailto:x@evil.test", "", 400},
		{"/timegate/", "", 400},
		{"/timegate/http://" + strings.Repeat("x", 9000), "", 400},
		{"/timemap/link/http://evil.test/none", "", 404},
		{"/timemap/link/20260231000000/" + page, "", 400},
		{"/timemap/json/99990101000000/" + page, "", 404},
		{"/web/20260231000000id_/" + page, "", 400},
		{"/web/xid_/" + page, "", 400},
		{"/web/20260310id_", "", 404},
		{"/web/20260310000000id_/http://evil.test/none", "", 404},
	} {
		r := get(t, s, tt.address, "Accept-Datetime", tt.ask)
		if tt.ask == "" {
			r = get(t, s, tt.address)
		}
		if r.StatusCode != tt.status || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("GET %.100s at %q: %d %s, want %d", tt.address, tt.ask, r.StatusCode, r.Header.Get("Content-Type"), tt.status)
		}
		if strings.HasPrefix(tt.address, "/timegate") && r.Header.Get("Vary") != "accept-datetime" {
			t.Errorf("GET %.100s: no Vary", tt.address)
		}
	}
	for _, form := range []string{"http%3A%2F%2Fevil.test%2Fscript", "evil.test/script", "https://evil.test/script", "http:/evil.test/script"} {
		if r := get(t, s, "/timegate/"+form); r.StatusCode != http.StatusFound {
			t.Errorf("TimeGate of %s: %d", form, r.StatusCode)
		}
	}
	if r := get(t, s, "/web/20260310/"+page); r.StatusCode != http.StatusFound || !strings.Contains(r.Header.Get("Location"), "id_/"+page) {
		t.Errorf("capture by day: %d %v", r.StatusCode, r.Header)
	}
	timemapsList(t, s, page)
	timemapsList(t, s, fx.urls[1]) // escapes and a query
}

// timemapsList wants both forms to list all mementos, each of which answers.
func timemapsList(t *testing.T, s http.Handler, page string) {
	t.Helper()
	r := get(t, s, "/timemap/link/"+page)
	if r.Header.Get("Content-Type") != "application/link-format" {
		t.Errorf("TimeMap of type %s", r.Header.Get("Content-Type"))
	}
	links := linksOf(t, bodyOf(t, r))
	if len(links["memento"]) != fixtureHours || len(links["first"]) != 1 || len(links["last"]) != 1 || links["original"][0] != page || len(links["self"]) != 1 || len(links["timegate"]) != 1 {
		t.Errorf("TimeMap of %s: %v", page, links)
	}
	for _, m := range links["memento"] {
		u, err := url.Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		if r := get(t, s, u.RequestURI()); r.StatusCode != http.StatusOK {
			t.Errorf("memento %s: %d", m, r.StatusCode)
		}
	}
	var form struct {
		Original string `json:"original_uri"`
		Mementos struct {
			List []struct{ URI string }
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/timemap/json/"+page))), &form); err != nil || form.Original != page || len(form.Mementos.List) != fixtureHours {
		t.Errorf("TimeMap as JSON: %+v, %v", form, err)
	}
	later := get(t, s, "/timemap/link/"+regexp.MustCompile(`\d{14}`).FindString(links["memento"][5])+"/"+page)
	if got := linksOf(t, bodyOf(t, later))["memento"]; len(got) != fixtureHours-5 {
		t.Errorf("TimeMap from the sixth on: %v", got)
	}
}

// capturesAreHarmless wants nothing of a watched page to run on our origin: the
// policy puts captures apart, and no field of theirs is one of ours.
func capturesAreHarmless(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	for i, page := range fx.urls {
		shown := bodyOf(t, get(t, s, fmt.Sprintf("/pages/%d", fx.page(t, page))))
		m := regexp.MustCompile(`href="(/web/\d{14}id_/[^"]*)"`).FindStringSubmatch(shown)
		if m == nil {
			t.Fatalf("%s: no link to its raw captures", page)
		}
		if r := get(t, s, html.UnescapeString(m[1])); r.StatusCode != http.StatusOK {
			t.Errorf("%s: its link %s: %d", page, m[1], r.StatusCode)
		}
		u, err := url.Parse("http://localhost/web/2026id_/" + page)
		if err != nil {
			t.Fatal(err)
		}
		r := get(t, s, u.RequestURI())
		if u, err = url.Parse(r.Header.Get("Location")); err != nil || r.StatusCode != http.StatusFound {
			t.Fatalf("%s: %d %v", page, r.StatusCode, err)
		}
		r = get(t, s, u.RequestURI())
		h := r.Header
		if r.StatusCode != http.StatusOK || !strings.HasSuffix(h.Get("Content-Security-Policy"), "; sandbox") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", page, r.StatusCode, h)
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "allow-") || strings.Contains(h.Get("Content-Type"), "utf-7") {
			t.Errorf("%s: %v", page, h)
		}
		if h.Get("X-Note") != "" || h.Get("X-Archive-Orig-X-Note") != "<script>window.pwned=1</script>" {
			t.Errorf("%s: fields %v", page, h)
		}
		if h.Get("X-Archive-Orig-Content-Type") != attacks[i].contentType {
			t.Errorf("%s: type %q", page, h.Get("X-Archive-Orig-Content-Type"))
		}
	}
	if r := get(t, s, "/web/2026id_/"+fx.urls[0], "Sec-Fetch-Dest", "serviceworker"); r.Header.Get("Service-Worker-Allowed") != "" {
		t.Error("a worker is allowed")
	}
}

// cdxAnswers holds the CDX server against what is stored.
func cdxAnswers(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	page := fx.urls[0]
	count := func(parameters string) (int, string) {
		t.Helper()
		r := get(t, s, "/cdx?"+parameters)
		body := bodyOf(t, r)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("GET /cdx?%s: %d %s", parameters, r.StatusCode, body)
		}
		return strings.Count(body, "\n"), body
	}
	for _, tt := range []struct {
		parameters string
		lines      int
	}{
		{"url=" + page, fixtureHours},
		{"url=https://www.evil.test/script", fixtureHours},
		{"url=http://other.test/", 0},
		{"url=evil.test&matchType=host", fixtureHours * len(attacks)},
		{"url=test&matchType=domain&from=2026&limit=10000&filter=url:evil", fixtureHours * len(attacks)},
		{"url=*.evil.test", fixtureHours * len(attacks)},
		{"url=http://evil.test/s*", fixtureHours * 2},
		{"url=evil.test/&matchType=prefix", fixtureHours * len(attacks)},
		{"url=" + page + "&from=20260310", 12}, // from 0:00 on; the first capture was at 23:30
		{"url=" + page + "&to=20260309", fixtureHours - 12},
		{"url=" + page + "&filter==status:404", 0},
		{"url=" + page + "&filter=~status:2..&filter=!mime:xml", fixtureHours},
		{"url=" + page + "&collapse=timestamp:4", 1},
		{"url=" + page + "&collapse=digest", fixtureHours},
		{"url=" + page + "&limit=5", 5},
		{"url=" + page + "&limit=5&showResumeKey=true", 7},
	} {
		want := tt.lines
		if strings.Contains(tt.parameters, "from=20260310") || strings.Contains(tt.parameters, "to=20260309") {
			start := noon.Add(-fixtureHours*time.Hour - 30*time.Minute)
			early := int(min(fixtureHours, max(0, (noon.Truncate(24*time.Hour).Sub(start)+time.Hour-1)/time.Hour)))
			if want = early; strings.Contains(tt.parameters, "from") {
				want = fixtureHours - early
			}
		}
		if n, body := count(tt.parameters); n != want {
			t.Errorf("/cdx?%s: %d lines, want %d in\n%.1000s", tt.parameters, n, want, body)
		}
	}
	// Reading on from where an answer ended gives the same lines as one answer.
	_, whole := count("url=evil.test&matchType=host")
	var parts strings.Builder
	for address := "/cdx?url=evil.test&matchType=host&limit=7"; address != ""; {
		r := get(t, s, address)
		parts.WriteString(bodyOf(t, r))
		address = ""
		if m := regexp.MustCompile(`^<http://localhost([^>]*)>; rel="next"$`).FindStringSubmatch(r.Header.Get("Link")); m != nil {
			address = m[1]
		}
	}
	if parts.String() != whole {
		t.Errorf("in parts:\n%s, at once:\n%s", parts.String(), whole)
	}
	var rows [][]string
	if _, body := count("url=" + page + "&output=json&fl=timestamp,original,digest&limit=2&showResumeKey=true"); json.Unmarshal([]byte(body), &rows) != nil ||
		len(rows) != 5 || len(rows[1]) != 3 || rows[1][1] != page || !strings.HasPrefix(rows[2][2], "sha1:") || len(rows[3]) != 0 {
		t.Errorf("as JSON: %s", body)
	}
	for _, bad := range []string{
		"", "url=", "url=mailto:x", "url=evil.test&matchType=all", "url=evil.test&from=2026022", "url=evil.test&to=20260231", "url=evil.test&limit=0",
		"url=evil.test&limit=1000000", "url=evil.test&fl=body", "url=evil.test&filter=status", "url=evil.test&filter=~url:(", "url=evil.test&collapse=url",
		"url=evil.test&resumeKey=x", "url=evil.test&output=xml", "url=" + strings.Repeat("x", 9000), "url=evil.test" + strings.Repeat("&filter=url:a", 20),
	} {
		if r := get(t, s, "/cdx?"+bad); r.StatusCode != http.StatusBadRequest || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
			t.Errorf("GET /cdx?%.80s: %d", bad, r.StatusCode)
		}
	}
}
