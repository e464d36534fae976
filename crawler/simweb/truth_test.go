package simweb

import (
	"bytes"
	"html"
	"mime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"
)

// decode reads a body in the charset that its header or its meta element names.
func decode(t *testing.T, r Response) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		t.Fatalf("content type %q: %v", r.Header.Get("Content-Type"), err)
	}
	charset := params["charset"]
	if _, meta, ok := bytes.Cut(r.Body, []byte(`<meta charset="`)); ok && charset == "" {
		name, _, _ := bytes.Cut(meta, []byte(`"`))
		charset = string(name)
	}
	e, err := htmlindex.Get(charset)
	if err != nil {
		t.Fatalf("charset %q: %v", charset, err)
	}
	b, err := e.NewDecoder().Bytes(r.Body)
	if err != nil {
		t.Fatalf("decode %s: %v", charset, err)
	}
	return string(b)
}

// scanText reads the text of the elements that hold a page's sentences, in order, without white space. It
// knows nothing of how the page was made but the classes that render names.
func scanText(page string) string {
	var out strings.Builder
	for {
		start, tag := -1, ""
		for _, open := range []string{`<p class="teaser">`, `<p class="text">`, `<li class="item">`, `<tr class="row">`} {
			if i := strings.Index(page, open); i >= 0 && (start < 0 || i < start) {
				start, tag = i, open
			}
		}
		if start < 0 {
			return out.String()
		}
		page = page[start+len(tag):]
		end := strings.Index(page, "</"+tag[1:strings.IndexByte(tag, ' ')]+">")
		out.WriteString(squeeze(html.UnescapeString(stripTags(page[:end]))))
		page = page[end:]
	}
}

func stripTags(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "<")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		_, s, _ = strings.Cut(rest, ">")
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// scanLinks reads the targets of a page's anchors, resolved, without fragments, each once.
func scanLinks(host, page string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(page, `<a href="`)
		if !ok {
			return out
		}
		href, after, _ := strings.Cut(rest, `"`)
		page = after
		href, _, _ = strings.Cut(href, "#")
		if strings.HasPrefix(href, "/") {
			href = "http://" + host + href
		}
		if !strings.Contains(href, "?sid=") && !slices.Contains(out, href) {
			out = append(out, href)
		}
	}
}

// TestRenderedPagesSayWhatTheTruthSays reads text and links back from the bytes of every page, in every
// charset, before and after changes.
func TestRenderedPagesSayWhatTheTruthSays(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 11, Volatile: true}, 0)
	charsets := make(map[string]int)
	for i, p := range allPages(w, w.at(3*day)) {
		for _, at := range []time.Time{w.at(3 * day), w.at(33*day + time.Duration(i)*time.Minute)} {
			if p.Kind == Redirect || !w.Alive(p.URL, at) {
				continue
			}
			r := w.Body(p.URL, at, 1)
			if r.Status != 200 {
				t.Fatalf("%s at %s: status %d", p.URL, at, r.Status)
			}
			page := decode(t, r)
			h := w.byName[p.Host]
			charsets[h.Charset]++
			var want strings.Builder
			for _, s := range w.Sentences(p.URL, at) {
				want.WriteString(squeeze(s.Text))
			}
			if diff := cmp.Diff(want.String(), scanText(page)); diff != "" {
				t.Fatalf("%s (%s) at %s: text (-truth +page):\n%s", p.URL, p.Kind, at, diff)
			}
			links, got := w.Links(p.URL, at), scanLinks(p.Host, page)
			if slices.Contains(p.Noise, "shuffle") {
				slices.Sort(links)
				slices.Sort(got)
			}
			if diff := cmp.Diff(links, got); diff != "" {
				t.Fatalf("%s at %s: links (-truth +page):\n%s", p.URL, at, diff)
			}
		}
	}
	for _, c := range []string{"utf-8", "windows-1252", "Shift_JIS", "EUC-JP"} {
		if charsets[c] == 0 && c != "EUC-JP" { // which needs more hosts, see below
			t.Errorf("no page in %s", c)
		}
	}
}

func TestCharsetsCarryTheWords(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 12, Hosts: 60}, 0)
	seen := make(map[string]bool)
	for _, h := range w.Hosts() {
		seen[h.Language+" "+h.Charset] = true
		r := w.Body(h.Home, w.at(0), 1)
		page := decode(t, r)
		var want strings.Builder
		for _, s := range w.Sentences(h.Home, w.at(0)) {
			want.WriteString(squeeze(s.Text))
		}
		if diff := cmp.Diff(want.String(), scanText(page)); diff != "" {
			t.Errorf("%s in %s (-truth +page):\n%s", h.Home, h.Charset, diff)
		}
	}
	for _, want := range []string{"en utf-8", "de windows-1252", "de utf-8", "fr windows-1252", "fr utf-8", "ja Shift_JIS", "ja EUC-JP", "ja utf-8"} {
		if !seen[want] {
			t.Errorf("no host with %s", want)
		}
	}
}

// TestChangesAreTheDifferences replays the changes of pages against their text a second before and at each
// change, and looks for changes that the list leaves out.
func TestChangesAreTheDifferences(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 13, Hosts: 8, PagesPerHost: 60}, 0)
	from, to := w.at(0), w.at(4*day)
	var edits, moves, births, linkChanges, returns int
	for i, p := range slices.Collect(w.Pages(from, to)) {
		if i%4 != 0 || p.Rate == Minutes && i%3 != 0 {
			continue
		}
		changes := w.Changes(p.URL, from, to)
		text, links := w.Sentences(p.URL, from), w.Links(p.URL, from)
		history := [][]Sentence{text}
		for j, c := range changes {
			if j > 0 && !c.At.After(changes[j-1].At) || !c.At.After(from) || c.At.After(to) || c.At.Nanosecond() != 0 {
				t.Fatalf("%s: change %d at %s is out of order or not at a whole second", p.URL, j, c.At)
			}
			before, after := w.Sentences(p.URL, c.At.Add(-1)), w.Sentences(p.URL, c.At)
			if !sameText(text, before) {
				t.Fatalf("%s: the text changed between changes before %s", p.URL, c.At)
			}
			if diff := cmp.Diff(missing(after, before, Sentence.text), c.Added); diff != "" {
				t.Fatalf("%s at %s: added (-texts +change):\n%s", p.URL, c.At, diff)
			}
			if diff := cmp.Diff(missing(before, after, Sentence.text), c.Removed); diff != "" {
				t.Fatalf("%s at %s: removed (-texts +change):\n%s", p.URL, c.At, diff)
			}
			if len(c.Added) > 6+homeTeasers && !c.At.Equal(p.Born) {
				t.Errorf("%s at %s: %d sentences added", p.URL, c.At, len(c.Added))
			}
			edits += min(len(c.Added), 1)
			if c.Moved {
				moves++
			}
			if c.At.Equal(p.Born) {
				births++
			}
			if len(c.LinksAdded)+len(c.LinksRemoved) > 0 {
				linkChanges++
			}
			if len(history) > 1 && sameText(after, history[len(history)-2]) && !sameText(after, text) {
				returns++
			}
			text, links = after, w.Links(p.URL, c.At)
			history = append(history, text)
		}
		if !sameText(text, w.Sentences(p.URL, to)) || !slices.Equal(links, w.Links(p.URL, to)) {
			t.Errorf("%s: the state at the end is not that of the last change", p.URL)
		}
		// Look for changes between the listed ones at times of our own.
		for k := range 40 {
			at := from.Add(time.Duration(k) * to.Sub(from) / 40)
			n, _ := slices.BinarySearchFunc(changes, at.Add(1), func(c Change, at time.Time) int { return c.At.Compare(at) })
			if !sameText(history[n], w.Sentences(p.URL, at)) {
				t.Fatalf("%s at %s: the text is not that of the %d changes before", p.URL, at, n)
			}
		}
	}
	if edits < 100 || moves == 0 || births == 0 || linkChanges < 20 || returns == 0 {
		t.Errorf("saw %d edits, %d moves, %d births, %d changes of links, %d returns to old content; want some of each", edits, moves, births, linkChanges, returns)
	}
}

func TestStableUntilIsNeverTooLate(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 14, Hosts: 6, PagesPerHost: 60}, 0)
	for i, p := range allPages(w, w.at(day)) {
		at := w.at(day + time.Duration(i)*time.Minute)
		until := w.StableUntil(p.URL, at)
		if until.IsZero() || until.After(w.at(300*day)) {
			until = w.at(300 * day)
		}
		if !until.After(at) {
			t.Fatalf("StableUntil(%s, %s) = %s", p.URL, at, until)
		}
		for _, later := range []time.Time{at.Add(until.Sub(at) / 2), until.Add(-1)} {
			if !sameText(w.Sentences(p.URL, at), w.Sentences(p.URL, later)) || !slices.Equal(w.Links(p.URL, at), w.Links(p.URL, later)) {
				t.Errorf("%s (%s) changed between %s and %s, said to be stable until %s", p.URL, p.Kind, at, later, until)
			}
		}
	}
}

// TestNoiseIsNotContent compares requests of pages with noise: bytes differ, text and links do not; and pages
// without noise are the same bytes for every request.
func TestNoiseIsNotContent(t *testing.T) {
	t.Parallel()
	w := testWorld(t, Options{Seed: 15}, 0)
	differ := make(map[string]bool)
	for _, p := range allPages(w, w.at(2*day)) {
		at := w.at(2 * day)
		one, two := w.Body(p.URL, at, 1), w.Body(p.URL, at, 2)
		same := bytes.Equal(one.Body, two.Body)
		if len(p.Noise) == 0 {
			if !same {
				t.Errorf("%s has no noise and differs between requests", p.URL)
			}
			if w.IsNoiseOnly(p.URL, at, at) {
				t.Errorf("IsNoiseOnly(%s): the page has no noise", p.URL)
			}
			continue
		}
		if scanText(string(one.Body)) != scanText(string(two.Body)) {
			t.Errorf("%s: the text differs between requests", p.URL)
		}
		if !w.IsNoiseOnly(p.URL, at, at.Add(1)) {
			t.Errorf("IsNoiseOnly(%s) = false within a nanosecond", p.URL)
		}
		for _, k := range Noises() {
			if k.Every == 0 && len(p.Noise) == 1 && p.Noise[0] == k.Name && !same {
				differ[k.Name] = true
			}
			if k.Class != "" && slices.Contains(p.Noise, k.Name) != bytes.Contains(one.Body, []byte(`class="`+k.Class+`"`)) {
				t.Errorf("%s: noise %v, but class %q says otherwise", p.URL, p.Noise, k.Class)
			}
		}
		if p.Rate == Request && same {
			t.Errorf("%s is per request and did not differ: noise %v", p.URL, p.Noise)
		}
		if c := w.Changes(p.URL, at, at.Add(2*day)); len(c) > 0 && (c[0].Added != nil || c[0].Removed != nil) && w.IsNoiseOnly(p.URL, at, c[0].At) {
			t.Errorf("IsNoiseOnly(%s) over a change of its text", p.URL)
		}
	}
	if len(differ) < 4 {
		t.Errorf("only %v differed by themselves", differ)
	}
}
