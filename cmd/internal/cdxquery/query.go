// Package cdxquery reads the questions that a CDX server is asked, in the words of
// pywb and the Wayback Machine, and decides which captures of an index answer
// them. The main type is Query, made by Parse; Query.Collector filters, collapses
// and writes lines.
//
// Left out: where captures come from, and which pages a query means beyond
// Query.Matches.
package cdxquery

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// Bounds of a query.
const (
	DefaultLimit = 1000
	MaxLimit     = 10000
	maxFilters   = 10
	maxPattern   = 300
)

// The kinds of matches.
const (
	Exact  = "exact"
	Prefix = "prefix" // every URL that begins with the one given
	Host   = "host"
	Domain = "domain" // the host and those below it
)

// Fields are the names of the fields that lines can have, in the order of lines.
func Fields() []string {
	return []string{"urlkey", "timestamp", "url", "mime", "status", "digest"}
}

// Query is a question. Its zero values ask for nothing.
type Query struct {
	URL      string // with a scheme
	Match    string
	From, To time.Time // both included; zero: no bound
	Limit    int
	Fields   []string // to be written; nil: all
	JSON     bool
	Resume   *Place // where the captures before ended
	ShowKey  bool   // the place to go on from is asked for

	byDigest bool // of captures beside each other with one digest the first is told
	byStamp  int  // of those whose timestamps begin with as many equal digits; 0: no
	filters  []filter
}

// Place is the place of a capture in the order of the index.
type Place struct {
	Key     string // urlkey
	At      time.Time
	Page    int64
	Attempt int16
}

// String writes the place as a resume key.
func (p Place) String() string {
	return fmt.Sprintf("%s %d %d %d", p.Key, p.At.UnixMicro(), p.Page, p.Attempt)
}

// ParsePlace reads a resume key.
func ParsePlace(text string) (Place, error) {
	parts := strings.Fields(text)
	bad := errors.New("the resumeKey is not one that an answer has given out")
	if len(parts) != 4 || len(text) > 4*memento.MaxURL {
		return Place{}, bad
	}
	at, err1 := strconv.ParseInt(parts[1], 10, 64)
	page, err2 := strconv.ParseInt(parts[2], 10, 64)
	attempt, err3 := strconv.ParseInt(parts[3], 10, 16)
	if err1 != nil || err2 != nil || err3 != nil || at < -1e17 || at > 1e18 || page < 0 || attempt < 0 {
		return Place{}, bad
	}
	return Place{parts[0], time.UnixMicro(at).UTC(), page, int16(attempt)}, nil
}

// notHad are parameters of other servers that change which captures are told, or in
// which order. To pass them over would give a wrong answer.
func notHad() []string {
	return []string{"sort", "closest", "page", "pageSize", "showNumPages", "showPagedIndex", "offset", "fastLatest"}
}

// Parse reads the parameters of a question. Those that it does not know are passed
// over, as other servers do, unless they would change the answer. Its error is for the
// asker.
func Parse(v url.Values) (Query, error) {
	for _, name := range notHad() {
		if v.Has(name) {
			return Query{}, fmt.Errorf("the parameter %s is not known here; captures are told in the order of URL and time, and go on by resumeKey", name)
		}
	}
	q := Query{Match: v.Get("matchType"), Limit: DefaultLimit, ShowKey: v.Get("showResumeKey") == "true"}
	given := v.Get("url")
	switch {
	case given == "":
		return q, errors.New("the parameter url is wanted")
	case q.Match != "" && !slices.Contains([]string{Exact, Prefix, Host, Domain}, q.Match):
		return q, errors.New("matchType is exact, prefix, host or domain")
	case q.Match == "" && strings.HasPrefix(given, "*."):
		given, q.Match = given[2:], Domain
	case q.Match == "" && strings.HasSuffix(given, "*"):
		given, q.Match = strings.TrimSuffix(given, "*"), Prefix
	case q.Match == "":
		q.Match = Exact
	}
	path, query, _ := strings.Cut(given, "?")
	var err error
	if q.URL, err = memento.TargetURL(path, query); err != nil {
		return q, err
	}
	if err := q.times(v); err != nil {
		return q, err
	}
	if text := v.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > MaxLimit {
			return q, fmt.Errorf("limit is a number from 1 to %d", MaxLimit)
		}
	}
	switch v.Get("output") {
	case "", "cdxj", "text":
	case "json":
		q.JSON = true
	default:
		return q, errors.New("output is cdxj or json")
	}
	if text := v.Get("resumeKey"); text != "" {
		place, err := ParsePlace(text)
		if err != nil {
			return q, err
		}
		q.Resume = &place
	}
	if err := q.fields(v); err != nil {
		return q, err
	}
	if err := q.collapse(v["collapse"]); err != nil {
		return q, err
	}
	for _, text := range v["filter"] {
		f, err := parseFilter(text)
		if err != nil {
			return q, err
		}
		if q.filters = append(q.filters, f); len(q.filters) > maxFilters {
			return q, fmt.Errorf("a query may have %d filters", maxFilters)
		}
	}
	return q, nil
}

func (q *Query) times(v url.Values) error {
	if text := v.Get("from"); text != "" {
		from, _, err := memento.ParseStamp(text)
		if err != nil {
			return fmt.Errorf("from: %w", err)
		}
		q.From = from
	}
	if text := v.Get("to"); text != "" {
		_, to, err := memento.ParseStamp(text)
		if err != nil {
			return fmt.Errorf("to: %w", err)
		}
		q.To = to.Add(-time.Microsecond)
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		return errors.New("from is later than to")
	}
	return nil
}

// canonicalField knows the names that servers have for one field.
func canonicalField(name string) (string, bool) {
	other := map[string]string{"original": "url", "mimetype": "mime", "statuscode": "status"}
	if n, ok := other[name]; ok {
		return n, true
	}
	return name, slices.Contains(Fields(), name)
}

func (q *Query) fields(v url.Values) error {
	text := v.Get("fl")
	if text == "" {
		text = v.Get("fields")
	}
	if text == "" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name, ok := canonicalField(strings.TrimSpace(name))
		if !ok || slices.Contains(q.Fields, name) {
			return fmt.Errorf("the fields are %s, each once", strings.Join(Fields(), ", "))
		}
		q.Fields = append(q.Fields, name)
	}
	return nil
}

func (q *Query) collapse(values []string) error {
	for _, text := range values {
		name, digits, counted := strings.Cut(text, ":")
		n, err := strconv.Atoi(digits)
		switch {
		case name == "digest" && !counted:
			q.byDigest = true
		case name == "timestamp" && counted && err == nil && n >= 1 && n <= 14:
			q.byStamp = n
		default:
			return errors.New("captures collapse by digest or by timestamp:N with N from 1 to 14")
		}
	}
	return nil
}

// filter is a condition on a field.
type filter struct {
	field string
	not   bool
	fits  func(string) bool
}

// parseFilter reads [!][=|~]field:text. The field has the text in it; with = it is
// the text, with ~ the text is a regular expression that stands for all of it.
func parseFilter(text string) (filter, error) {
	rest, not := strings.CutPrefix(text, "!")
	how := byte(0)
	if rest != "" && (rest[0] == '=' || rest[0] == '~') {
		how, rest = rest[0], rest[1:]
	}
	name, want, ok := strings.Cut(rest, ":")
	name, known := canonicalField(name)
	switch {
	case !ok || !known:
		return filter{}, fmt.Errorf("a filter is [!][=|~]field:text with one of the fields %s", strings.Join(Fields(), ", "))
	case len(want) > maxPattern:
		return filter{}, fmt.Errorf("a filter may have %d bytes", maxPattern)
	}
	f := filter{field: name, not: not}
	switch how {
	case '=':
		f.fits = func(s string) bool { return s == want }
	case '~':
		re, err := regexp.Compile("^(?:" + want + ")$")
		if err != nil {
			return f, errors.New("the regular expression of a filter cannot be read")
		}
		f.fits = re.MatchString
	default:
		f.fits = func(s string) bool { return strings.Contains(s, want) }
	}
	return f, nil
}

// Matches reports whether a page is meant, by its key as cdxj.SURT makes it.
func (q *Query) Matches(key string) bool {
	own := cdxj.SURT(q.URL)
	host, _, _ := strings.Cut(own, ")")
	keyHost, _, _ := strings.Cut(key, ")")
	switch q.Match {
	case Host:
		return keyHost == host
	case Domain:
		return keyHost == host || strings.HasPrefix(keyHost, host) && strings.ContainsRune(",:", rune(keyHost[len(host)]))
	case Prefix:
		_, path, _ := strings.Cut(strings.TrimPrefix(q.URL, "http"), "://")
		if strings.HasSuffix(path, "/") && !strings.HasSuffix(own, "/") {
			return key == own || strings.HasPrefix(key, own+"/") || strings.HasPrefix(key, own+"?") // the key of a folder has lost its slash
		}
		return strings.HasPrefix(key, own)
	}
	return key == own
}
