package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/cmd/internal/pagereport"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// apiVersionText is a version with what it says.
type apiVersionText struct {
	Version apiVersion `json:"version"`
	Head    string     `json:"head"`  // status line and header fields as received
	Lines   []string   `json:"lines"` // of its text
	Cut     bool       `json:"cut"`   // the text goes on
}

func versionOf(v *store.Version) apiVersion {
	return apiVersion{
		v.Number, v.FirstSeen.UTC(), v.LastSeen.UTC(), v.Fetches, v.Status, v.Bytes, v.Words, v.Sentences, v.Title, v.Language, v.Charset, v.MediaType,
		v.Hash.String(), v.Dice, v.TextChanged, v.Masked,
	}
}

func apiOneVersion(s *Server, r *http.Request) (out apiVersionText, err error) {
	p, err := s.look(r, false)
	if err != nil {
		return out, err
	}
	v, err := s.versionNamed(r, p.Page, r.PathValue("version"))
	if err != nil {
		return out, err
	}
	text, err := compare.Text(r.Context(), s.db, v)
	if err != nil {
		return out, err
	}
	out = apiVersionText{Version: versionOf(&v), Head: strings.ToValidUTF8(string(v.Head), "\uFFFD"), Lines: []string{}}
	size := 0
	for line := range strings.SplitSeq(text.Text(), "\n") {
		if size += len(line); size > apiText {
			out.Cut = true
			break
		}
		out.Lines = append(out.Lines, line)
	}
	return out, nil
}

// apiPiece is a run of words, a sentence, a link or a header line with what became
// of it.
type apiPiece struct {
	Op    string `json:"op"` // keep, delete or insert
	Text  string `json:"text"`
	Noise bool   `json:"noise"` // known to be noise of this page
	Moved bool   `json:"moved"` // deleted here and inserted elsewhere, or the other way round
}

type apiDiffBody struct {
	A      apiVersion `json:"a"`
	B      apiVersion `json:"b"`
	By     string     `json:"by"`
	Dice   float64    `json:"dice"`
	Pieces []apiPiece `json:"pieces"`
	Cut    bool       `json:"cut"` // there are more pieces
}

// add appends a piece while there is room.
func (d *apiDiffBody) add(size *int, p apiPiece) {
	if *size += len(p.Text); *size > apiText {
		d.Cut = true
		return
	}
	d.Pieces = append(d.Pieces, p)
}

// opName is the name of an operation in answers.
func opName(op diff.Op) string {
	switch op {
	case diff.Delete:
		return "delete"
	case diff.Insert:
		return "insert"
	}
	return "keep"
}

func apiDiff(s *Server, r *http.Request) (out apiDiffBody, err error) {
	p, err := s.look(r, false)
	if err != nil {
		return out, err
	}
	a, b, err := s.pair(r, p)
	if err != nil {
		return out, err
	}
	v, err := compare.Read(r.Context(), s.db, a, b)
	if err != nil {
		return out, err
	}
	v.Mask(p.Mask)
	out = apiDiffBody{A: versionOf(&a), B: versionOf(&b), By: r.URL.Query().Get("by"), Dice: v.Dice, Pieces: []apiPiece{}}
	size := 0
	switch out.By {
	case "", "words":
		out.By = "words"
		for _, w := range v.Words() {
			out.add(&size, apiPiece{opName(w.Op), w.Text, w.Noise, false})
		}
	case "sentences":
		for _, x := range v.Sentences() {
			out.add(&size, apiPiece{opName(x.Op), x.Text, x.Noise, x.Moved})
		}
	case "links":
		added, removed, err := compare.Links(r.Context(), s.db, a, b)
		if err != nil {
			return out, err
		}
		for _, l := range removed {
			out.add(&size, apiPiece{opName(diff.Delete), l, false, false})
		}
		for _, l := range added {
			out.add(&size, apiPiece{opName(diff.Insert), l, false, false})
		}
	case "headers":
		valid := func(head []byte) string { return strings.ToValidUTF8(string(head), "\uFFFD") }
		for _, l := range compare.Lines(valid(a.Head), valid(b.Head)) {
			out.add(&size, apiPiece{opName(l.Op), l.Text, l.Noise, false})
		}
	default:
		return out, badRequest("Versions are compared by words, sentences, links or headers.")
	}
	return out, nil
}

// apiBlock is a block of a page's last version with the life of its contents.
type apiBlock struct {
	Path        string   `json:"path"`
	LifeHours   float64  `json:"life_hours"`
	Contents    int      `json:"contents"`
	TravelHours *float64 `json:"travel_hours"`
	Words       string   `json:"words"` // the first of them
}

func apiBlocks(s *Server, r *http.Request) (out apiList[apiBlock], err error) {
	p, err := s.look(r, true)
	if err != nil {
		return out, err
	}
	if p.report.Analysis == nil {
		return out, notMeasured()
	}
	all, err := p.report.LastBlocks(r.Context())
	if err != nil {
		return out, err
	}
	return part(r, all, func(b *pagereport.Block) string { return b.Path }, func(b *pagereport.Block) apiBlock { return apiBlock{b.Path, b.Life, b.Contents, b.Travel, b.Words} })
}

// apiDay is a day of a page in UTC.
type apiDay struct {
	Day     string   `json:"day"`
	Fetches int      `json:"fetches"`
	OK      int      `json:"with_content"`
	Changes int      `json:"changes"`
	Dice    *float64 `json:"dice"` // of the largest change; null: none
}

func apiDays(s *Server, r *http.Request) (out apiList[apiDay], err error) {
	p, err := s.look(r, false)
	if err != nil {
		return out, err
	}
	changes, fetches, err := s.db.PageDays(r.Context(), p.Page)
	if err != nil {
		return out, err
	}
	var all []apiDay
	for len(changes) > 0 || len(fetches) > 0 {
		var d apiDay
		var at time.Time
		if len(fetches) > 0 && (len(changes) == 0 || !fetches[0].Day.After(changes[0].Day)) {
			at, d.Fetches, d.OK = fetches[0].Day, fetches[0].Fetches, fetches[0].OK
			fetches = fetches[1:]
		} else {
			at = changes[0].Day // its fetches are no longer kept
		}
		if len(changes) > 0 && changes[0].Day.Equal(at) {
			d.Changes, d.Dice = changes[0].Changes, &changes[0].Dice
			changes = changes[1:]
		}
		d.Day = at.Format(time.DateOnly)
		all = append(all, d)
	}
	return part(r, all, func(d *apiDay) string { return d.Day }, func(d *apiDay) apiDay { return *d })
}
