package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/pagereport"
	"github.com/strandlinehq/strandline/cmd/internal/report"
)

// figureWidth is that of a figure in a page, in px, with the margins that the style
// sheet lets it have beside the text.
const figureWidth = 1000

// phoneWidth is that of a figure on a phone, in px: as wide as most of their windows.
const phoneWidth = 390

// phoneHeight is that of figures whose height does not follow from what they show.
const phoneHeight = 340

// Phone is the address of the figure drawn for a phone. It stands as a picture in the
// page, which loads it where it is shown.
func (f figureBody) Phone() string {
	mark := "?"
	if f.Query != "" {
		mark = "&"
	}
	return f.Base + ".svg" + f.Query + mark + "width=" + strconv.Itoa(phoneWidth)
}

// figureKind is a figure of a page, which has the same address as its data.
type figureKind struct {
	name   string // in addresses
	title  string
	empty  string // instead of the figure while nothing was measured
	onPage bool   // the page of the page shows it
	make   func(context.Context, *looked) (*report.Table, chart.Figure, error)
}

// figurePage is the page of a figure alone.
type figurePage struct {
	Up      string // address of what the figure is of
	Heading string // of that
	Figure  figureBody
}

func figureKinds() []figureKind {
	of := func(f func(*pagereport.Page, context.Context) (*report.Table, chart.Figure, error)) func(context.Context, *looked) (*report.Table, chart.Figure, error) {
		return func(ctx context.Context, p *looked) (*report.Table, chart.Figure, error) {
			if p.report.Analysis == nil {
				return nil, nil, nil
			}
			return f(&p.report, ctx)
		}
	}
	return []figureKind{
		{"calendar", "Calendar", "", true, calendar},
		{"curve", "Change curve", "", true, of((*pagereport.Page).Curve)},
		{"changes", "Interval and amount", "", true, of((*pagereport.Page).Changes)},
		{"lifespans", "Words that stay and words that pass", "", true, of((*pagereport.Page).Lifespans)},
		{"staying-power", "Staying power", "", false, of((*pagereport.Page).StayingPower)},
		{"blocks", "Blocks", "", true, of((*pagereport.Page).BlockMap)},
	}
}

// calendar draws the days of a page.
func calendar(ctx context.Context, p *looked) (*report.Table, chart.Figure, error) {
	changes, fetches, err := p.report.DB.PageDays(ctx, p.Page)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "Days of " + p.URL, Columns: []string{"day (UTC)", "fetches", "of them with content", "changes", "dice of the largest change"}}
	f := chart.Calendar{Page: p.URL}
	for len(changes) > 0 || len(fetches) > 0 {
		day := chart.Day{State: chart.Same}
		var nFetches, ok, n int
		var dice *float64
		if len(fetches) > 0 && (len(changes) == 0 || !fetches[0].Day.After(changes[0].Day)) {
			day.Date, nFetches, ok = fetches[0].Day, fetches[0].Fetches, fetches[0].OK
			if ok == 0 {
				day.State = chart.Failed
			}
			fetches = fetches[1:]
		} else {
			day.Date = changes[0].Day // its fetches are no longer kept
		}
		if len(changes) > 0 && changes[0].Day.Equal(day.Date) {
			c := changes[0]
			day.State, day.Dice, n, dice = chart.Changed, c.Dice, c.Changes, &c.Dice
			day.Href = fmt.Sprintf("/pages/%d?before=%d#versions", p.Page, c.Last+1)
			changes = changes[1:]
		}
		f.Days = append(f.Days, day)
		t.Add(day.Date.Format("2006-01-02"), nFetches, ok, n, dice)
	}
	return t, f, nil
}

// drawn makes a figure with the first rows of its table; nil where there is none.
func (s *Server) drawn(ctx context.Context, p *looked, k figureKind, rows int) (*figureBody, error) {
	table, figure, err := k.make(ctx, p)
	if err != nil || figure == nil {
		return nil, err
	}
	f := inline(k.name, k.title, fmt.Sprintf("/pages/%d/%s", p.Page, k.name), table, figure, rows)
	return &f, nil
}

// inline makes a figure to stand in a page, with the first rows of its table.
func inline(name, title, base string, t *report.Table, f chart.Figure, rows int) figureBody {
	svg, part := fitting(f, chart.Options{ID: "figure-" + name, Inline: true, Bare: true, Width: figureWidth})
	return figureOf(name, title, base, t, svg, part, rows)
}

func figureOf(name, title, base string, t *report.Table, svg []byte, part bool, rows int) figureBody {
	out := figureBody{
		Name: name, Title: title, Heads: t.Columns, Notes: t.Notes, Base: base, Rows: t.Strings(rows), Part: part,
		SVG: template.HTML(svg), // chart escapes all that it is given
	}
	out.More = len(t.Rows) - len(out.Rows)
	return out
}

// figure answers with a figure alone: as a page with its whole table, or as SVG or
// CSV by the suffix of its address.
func (s *Server) figure(w http.ResponseWriter, r *http.Request) error {
	name, suffix, _ := strings.Cut(r.PathValue("figure"), ".")
	for _, k := range figureKinds() {
		if k.name != name {
			continue
		}
		p, err := s.look(r, true)
		if err != nil {
			return err
		}
		table, figure, err := k.make(r.Context(), p)
		if err != nil {
			return err
		}
		if figure == nil {
			return notFound("There is nothing to draw yet: no version of this page was measured.")
		}
		switch suffix {
		case "":
			svg := figure.SVG(chart.Options{ID: "figure-" + k.name, Inline: true, Bare: true, Width: figureWidth})
			f := figureOf(k.name, k.title, fmt.Sprintf("/pages/%d/%s", p.Page, k.name), table, svg, false, 500)
			return s.show(w, r, "figure.html", k.title, figurePage{fmt.Sprintf("/pages/%d", p.Page), headingOf(p.PageView), f})
		case "svg":
			s.sendSVG(w, r, figure)
			return nil
		case "csv":
			return s.sendCSV(w, r, table, fmt.Sprintf("strandline-%d-%s.csv", p.Page, k.name))
		}
	}
	return notFound("A page has the figures calendar, curve, changes, lifespans, staying-power and blocks, each also with .svg and .csv behind its name.")
}

// sendSVG answers with a picture that stands alone. Its policy allows its own
// style sheet, which is always the same, by its hash.
func (s *Server) sendSVG(w http.ResponseWriter, r *http.Request, f chart.Figure) {
	sum := sha256.Sum256([]byte("\n" + chart.Style()))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; frame-ancestors 'none'; sandbox")
	var opt chart.Options
	if text := r.URL.Query().Get("width"); text != "" {
		// A wrong width is none: the picture is the same but for its size.
		if n, err := strconv.Atoi(text); err == nil && n >= 280 && n <= 4000 {
			opt.Width = float64(n)
			if n < 2*phoneWidth {
				opt.Height = phoneHeight
			}
		}
	}
	s.send(w, r, http.StatusOK, "image/svg+xml", f.SVG(opt))
}

// sendCSV answers with a table.
func (s *Server) sendCSV(w http.ResponseWriter, r *http.Request, t *report.Table, name string) error {
	var b bytes.Buffer
	if err := t.CSV(&b, io.Discard); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	s.send(w, r, http.StatusOK, "text/csv; charset=utf-8", b.Bytes())
	return nil
}
