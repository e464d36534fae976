package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// Bounds of a comparison as it is shown: unchanged text between changes is folded,
// and what is beyond all bounds is left to the command line.
const (
	keptWords     = 240    // bytes of unchanged words shown beside a change
	keptSentences = 2      // unchanged sentences shown beside a change
	mostShown     = 220000 // bytes of text on one page

	// A text of at least so many words, of which fewer than this share stayed in their
	// order, is compared by sentences unless words are asked for.
	rewrittenWords = 60
	rewrittenShare = 0.5
)

func (s *Server) diffRoutes() []route {
	return []route{
		{"GET /pages/{id}/diff", s.diff, viewer, false},
		{"GET /pages/{id}/versions/{version}", s.version1, viewer, false},
	}
}

// shown is a run of text in a comparison.
type shown struct {
	Kind string // keep, del, ins or fold
	Note string // noise, moved or empty
	Text string
}

// diffRow is a line of a comparison side by side.
type diffRow struct{ A, B []shown }

// diffBody is the comparison of two versions.
type diffBody struct {
	*looked
	Heading      string
	A, B         store.Version
	Dice         float64
	By, View     string
	All          bool
	Rewritten    *rewritten // most words differ; nil: they do not
	ByWords      string     // address of the comparison by words
	Inline       []shown
	Rows         []diffRow
	Added        int // words, sentences, links or header lines that came
	Removed      int
	Noise        int // of both
	Cut          bool
	Same         bool   // nothing differs by what is compared
	Next, Before string // addresses of the next and the previous change
	NextNumber   int32
	BeforeNumber int32
	Tabs         []tab
	Views        []tab
	Unfold       string
}

// tab is a choice between ways of showing.
type tab struct {
	Words, Href string
	Chosen      bool
}

// versionNamed finds the version that an address names by number or time.
func (s *Server) versionNamed(r *http.Request, page store.PageID, name string) (store.Version, error) {
	if n, err := strconv.ParseInt(name, 10, 32); err == nil {
		if n < 1 {
			return store.Version{}, badRequest("Versions are counted from 1.")
		}
		return s.db.VersionNumber(r.Context(), page, int32(n))
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02", "20060102150405"} {
		if t, err := time.Parse(layout, name); err == nil {
			return s.db.VersionAt(r.Context(), page, t)
		}
	}
	return store.Version{}, badRequest("A version is named by its number or by a time such as 2026-03-01 or 2026-03-01T12:00:00Z.")
}

// pair finds the two versions to compare: the last two, or the named ones, or the
// named one and its neighbour.
func (s *Server) pair(r *http.Request, p *looked) (a, b store.Version, err error) {
	q := r.URL.Query()
	first, second := q.Get("a"), q.Get("b")
	switch {
	case second != "":
		b, err = s.versionNamed(r, p.Page, second)
	case first != "":
		if a, err = s.versionNamed(r, p.Page, first); err == nil {
			b, err = s.db.VersionNumber(r.Context(), p.Page, a.Number+1)
		}
	default:
		b, err = s.db.LastVersion(r.Context(), p.Page)
	}
	if err != nil {
		return a, b, err
	}
	switch {
	case first != "" && second != "":
		a, err = s.versionNamed(r, p.Page, first)
	case first == "":
		a, err = s.db.VersionNumber(r.Context(), p.Page, b.Number-1)
	}
	if errors.Is(err, store.ErrNotFound) && b.Number == 1 {
		return a, b, notFound("The page has only one version before this point, and nothing to compare it with.")
	}
	if a.Number > b.Number {
		a, b = b, a
	}
	return a, b, err
}

func (s *Server) diff(w http.ResponseWriter, r *http.Request) error {
	p, err := s.look(r, false)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	d := diffBody{looked: p, Heading: headingOf(p.PageView), By: q.Get("by"), View: q.Get("view"), All: q.Has("all")}
	asked := d.By
	if d.View == "" {
		d.View = "inline"
	}
	if d.View != "inline" && d.View != "side" {
		return badRequest("A comparison is shown inline or side by side.")
	}
	if d.A, d.B, err = s.pair(r, p); err != nil {
		return err
	}
	v, err := compare.Read(r.Context(), s.db, d.A, d.B)
	if err != nil {
		return err
	}
	v.Mask(p.Mask)
	d.Dice = v.Dice
	var words []compare.Piece
	if d.By == "" || d.By == "words" {
		words = v.Words()
		d.Rewritten = rewrittenOf(words)
		if d.By = "words"; asked == "" && d.Rewritten != nil {
			d.By = "sentences"
		}
	}
	switch d.By {
	case "words":
		d.words(words)
	case "sentences":
		d.sentences(v.Sentences())
	case "links":
		added, removed, err := compare.Links(r.Context(), s.db, d.A, d.B)
		if err != nil {
			return err
		}
		d.links(added, removed)
	case "headers":
		d.lines(compare.Lines(string(d.A.Head), string(d.B.Head)))
	default:
		return badRequest("Versions are compared by words, sentences, links or headers.")
	}
	d.Same = d.Added+d.Removed+d.Noise == 0
	before, next, err := s.db.NextChanges(r.Context(), p.Page, d.B.Number)
	if err != nil {
		return err
	}
	d.addresses(asked, before, next)
	return s.show(w, r, "diff.html", fmt.Sprintf("%s: versions %d and %d", d.Heading, d.A.Number, d.B.Number), d)
}

// rewritten says how much of two texts differs, in words.
type rewritten struct{ Gone, GoneOf, Came, CameOf int }

// rewrittenOf is nil where the better part of the words stayed.
func rewrittenOf(pieces []compare.Piece) *rewritten {
	var r rewritten
	kept := 0
	for _, p := range pieces {
		n := len(strings.Fields(p.Text))
		switch p.Op {
		case diff.Keep:
			kept += n
		case diff.Delete:
			r.Gone += n
		case diff.Insert:
			r.Came += n
		}
	}
	r.GoneOf, r.CameOf = kept+r.Gone, kept+r.Came
	most := max(r.GoneOf, r.CameOf)
	if most < rewrittenWords || float64(kept) >= rewrittenShare*float64(most) {
		return nil
	}
	return &r
}

// addresses writes the links of a comparison. What the reader did not ask for is left
// open in those to the changes before and after: each is shown as suits it.
func (d *diffBody) addresses(asked string, before, next int32) {
	path := fmt.Sprintf("/pages/%d/diff", d.Page)
	a, b := strconv.Itoa(int(d.A.Number)), strconv.Itoa(int(d.B.Number))
	by, view := asked, d.View
	if view == "inline" {
		view = ""
	}
	if next > 0 {
		d.Next, d.NextNumber = query(path, "b", strconv.Itoa(int(next)), "by", by, "view", view), next
	}
	if before > 0 {
		d.Before, d.BeforeNumber = query(path, "b", strconv.Itoa(int(before)), "by", by, "view", view), before
	}
	for _, t := range []string{"words", "sentences", "links", "headers"} {
		d.Tabs = append(d.Tabs, tab{t, query(path, "a", a, "b", b, "by", t, "view", view), t == d.By})
	}
	d.ByWords = query(path, "a", a, "b", b, "by", "words", "view", view)
	d.Views = []tab{
		{"inline", query(path, "a", a, "b", b, "by", by), d.View == "inline"},
		{"side by side", query(path, "a", a, "b", b, "by", by, "view", "side"), d.View == "side"},
	}
	d.Unfold = query(path, "a", a, "b", b, "by", by, "view", view, "all", "1")
}

// kindOf names an operation as the style sheet does.
func kindOf(op diff.Op) string {
	switch op {
	case diff.Delete:
		return "del"
	case diff.Insert:
		return "ins"
	}
	return "keep"
}

// add appends a run, counts it, and reports whether there is room for more.
func (d *diffBody) add(run shown, size *int) bool {
	if *size += len(run.Text); *size > mostShown {
		d.Cut = true
		return false
	}
	d.Inline = append(d.Inline, run)
	return true
}

func (d *diffBody) count(op diff.Op, noise bool, n int) {
	switch {
	case op == diff.Keep:
	case noise:
		d.Noise += n
	case op == diff.Delete:
		d.Removed += n
	default:
		d.Added += n
	}
}

func (d *diffBody) words(pieces []compare.Piece) {
	size := 0
	for i, p := range pieces {
		d.count(p.Op, p.Noise, len(strings.Fields(p.Text)))
		run := shown{Kind: kindOf(p.Op), Text: p.Text}
		if p.Noise {
			run.Note = "noise"
		}
		if p.Op == diff.Keep && !d.All && len(p.Text) > 3*keptWords {
			head, fold, tail := folded(p.Text, i > 0, i < len(pieces)-1)
			if !d.add(shown{Kind: "keep", Text: head}, &size) || !d.add(shown{Kind: "fold", Text: fold}, &size) || !d.add(shown{Kind: "keep", Text: tail}, &size) {
				break
			}
			continue
		}
		if !d.add(run, &size) {
			break
		}
	}
	if d.View == "side" {
		d.Rows = sideBySide(d.Inline)
	}
}

// folded cuts a long unchanged text to what stands beside the changes before and
// after it.
func folded(text string, before, after bool) (head, fold, tail string) {
	from, to := 0, len(text)
	if before {
		from = keptWords
	}
	if after {
		to -= keptWords
	}
	if i := strings.IndexAny(text[from:], " \n"); i >= 0 && before {
		from += i + 1
	}
	if i := strings.LastIndexAny(text[:to], " \n"); i >= 0 && after {
		to = i + 1
	}
	if from >= to {
		return text, "", ""
	}
	return text[:from], plural(len(strings.Fields(text[from:to])), "unchanged word", "unchanged words"), text[to:]
}

// sideBySide lays runs out in two columns, whose rows are aligned where an
// unchanged text ends a line.
func sideBySide(runs []shown) []diffRow {
	var rows []diffRow
	var row diffRow
	flush := func() {
		if len(row.A)+len(row.B) > 0 {
			rows = append(rows, row)
		}
		row = diffRow{}
	}
	for _, r := range runs {
		switch r.Kind {
		case "del":
			row.A = append(row.A, r)
		case "ins":
			row.B = append(row.B, r)
		case "fold":
			flush()
			rows = append(rows, diffRow{[]shown{r}, []shown{r}})
		default:
			for line := range strings.SplitAfterSeq(r.Text, "\n") {
				if line == "" {
					continue
				}
				part := shown{Kind: "keep", Text: strings.TrimRight(line, "\n")}
				row.A, row.B = append(row.A, part), append(row.B, part)
				if strings.HasSuffix(line, "\n") {
					flush()
				}
			}
		}
	}
	flush()
	return rows
}

func (d *diffBody) sentences(list []compare.Sentence) {
	size := 0
	near := func(i int) bool { // a change stands within keptSentences
		for k := max(0, i-keptSentences); k <= min(len(list)-1, i+keptSentences); k++ {
			if list[k].Op != diff.Keep {
				return true
			}
		}
		return false
	}
	hidden := 0
	flush := func() bool {
		if hidden == 0 {
			return true
		}
		n := hidden
		hidden = 0
		return d.add(shown{Kind: "fold", Text: plural(n, "unchanged sentence", "unchanged sentences")}, &size)
	}
	for i, s := range list {
		if !s.Moved {
			d.count(s.Op, s.Noise, 1)
		}
		if s.Op == diff.Keep && !d.All && !near(i) {
			hidden++
			continue
		}
		run := shown{Kind: kindOf(s.Op), Text: s.Text}
		switch {
		case s.Noise:
			run.Note = "noise"
		case s.Moved:
			run.Note = "moved"
		}
		if !flush() || !d.add(run, &size) {
			break
		}
	}
	flush()
	d.pairRows()
}

// pairRows sets what went beside what came, for lists of whole lines.
func (d *diffBody) pairRows() {
	if d.View != "side" {
		return
	}
	var gone, come []shown
	flush := func() {
		for i := range max(len(gone), len(come)) {
			var row diffRow
			if i < len(gone) {
				row.A = gone[i : i+1]
			}
			if i < len(come) {
				row.B = come[i : i+1]
			}
			d.Rows = append(d.Rows, row)
		}
		gone, come = nil, nil
	}
	for i, r := range d.Inline {
		switch r.Kind {
		case "del":
			gone = append(gone, d.Inline[i])
		case "ins":
			come = append(come, d.Inline[i])
		default:
			flush()
			d.Rows = append(d.Rows, diffRow{[]shown{r}, []shown{r}})
		}
	}
	flush()
}

func (d *diffBody) links(added, removed []string) {
	d.Added, d.Removed = len(added), len(removed)
	size := 0
	for _, list := range []struct {
		kind string
		urls []string
	}{{"del", removed}, {"ins", added}} {
		for _, u := range list.urls {
			if !d.add(shown{Kind: list.kind, Text: u}, &size) {
				return
			}
		}
	}
	d.pairRows()
}

func (d *diffBody) lines(pieces []compare.Piece) {
	size := 0
	for _, p := range pieces {
		d.count(p.Op, false, 1)
		if !d.add(shown{Kind: kindOf(p.Op), Text: p.Text}, &size) {
			break
		}
	}
	d.pairRows()
}
