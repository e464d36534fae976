package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// link is a link of a Link field or of a document of links (RFC 8288).
type link struct {
	uri    string
	rels   []string
	params map[string]string
}

// parseLinks reads links; it fails on what is none.
func parseLinks(t *testing.T, text string) []link {
	t.Helper()
	one := regexp.MustCompile(`^\s*<([^<>]*)>((?:\s*;\s*[a-z]+="[^"]*")*)\s*(,|$)`)
	var out []link
	for rest := strings.TrimSpace(text); rest != ""; {
		m := one.FindStringSubmatch(rest)
		if m == nil {
			t.Fatalf("no link: %.200q", rest)
		}
		l := link{uri: m[1], params: map[string]string{}}
		for _, p := range regexp.MustCompile(`([a-z]+)="([^"]*)"`).FindAllStringSubmatch(m[2], -1) {
			l.params[p[1]] = p[2]
		}
		l.rels = strings.Fields(l.params["rel"])
		out, rest = append(out, l), rest[len(m[0]):]
	}
	return out
}

// withRel returns the links of a relation.
func withRel(links []link, rel string) (out []link) {
	for _, l := range links {
		if slices.Contains(l.rels, rel) {
			out = append(out, l)
		}
	}
	return out
}

// wantMemento wants one link of a relation, which is a memento of a time.
func wantMemento(t *testing.T, what string, links []link, rel string, at time.Time) {
	t.Helper()
	some := withRel(links, rel)
	if len(some) != 1 || !slices.Contains(some[0].rels, "memento") || some[0].params["datetime"] != at.Format(http.TimeFormat) {
		t.Errorf("%s: %s is %v, want the memento of %s", what, rel, some, at.Format(http.TimeFormat))
	}
}
