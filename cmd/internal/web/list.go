package web

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/strandlinehq/strandline/store"
)

// rowsAPage is how many rows a table has before it goes on on another page.
const rowsAPage = 50

// longestText bounds what may be looked for.
const longestText = 200

func (s *Server) listRoutes() []route {
	return []route{{"GET /pages", s.list, viewer, false}}
}

// head is a column of a table that can be sorted by.
type head struct {
	Name, Note string
	Href       string // empty: it cannot be sorted by
	Sorted     string // ascending or descending; empty: it is not sorted by
	Number     bool
}

// listBody is the list of pages.
type listBody struct {
	Filter     store.PageFilter
	Watch      string
	Category   string
	Watches    []string
	Categories []string
	States     []state
	Heads      []head
	Rows       []store.PageRow
	Next       string // address of the rows after these; empty: there are none
	First      string // of the first rows; empty: these are
	Narrowed   bool   // a filter is set
	Any        bool   // there is a page at all
}

// state is a state of pages with its words.
type state struct{ Value, Words string }

func states() []state {
	return []state{
		{"", "any state"},
		{"failing", "failing"},
		{"late", "late"},
		{"aside", "set aside"},
		{"settled", "settles (has a knot)"},
		{"unchanged", "never changed"},
	}
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	ctx, q := r.Context(), r.URL.Query()
	b := listBody{States: states(), Watch: q.Get("watch"), Category: q.Get("category")}
	f := store.PageFilter{
		Text: strings.TrimSpace(q.Get("q")), Host: strings.ToLower(strings.TrimSpace(q.Get("host"))), State: q.Get("state"),
		LateAt: s.now().UTC().Add(-lateGrace), Order: store.PageOrder(q.Get("sort")), Reverse: q.Get("dir") == "reverse", Limit: rowsAPage + 1,
	}
	if utf8.RuneCountInString(f.Text) > longestText || len(f.Host) > 255 {
		return badRequest(fmt.Sprintf("The text to look for may have %d characters.", longestText))
	}
	known := f.Order == "" || f.Order == store.ByChange || f.Order == store.ByEvery || f.Order == store.ByKnot
	if !known {
		return badRequest("Pages can be sorted by changed, every or knot.")
	}
	stateKnown := false
	for _, st := range b.States {
		stateKnown = stateKnown || st.Value == f.State
	}
	if !stateKnown {
		return badRequest("There is no such state of pages.")
	}
	watches, err := s.db.Watches(ctx)
	if err != nil {
		return err
	}
	categories := map[string]bool{}
	for _, row := range watches {
		b.Watches = append(b.Watches, row.Name)
		if (b.Watch != "" || b.Category != "") && (b.Watch == "" || row.Name == b.Watch) && (b.Category == "" || row.Category == b.Category) {
			f.Watches = append(f.Watches, row.ID)
		}
		if row.Category != "" && !categories[row.Category] {
			categories[row.Category] = true
			b.Categories = append(b.Categories, row.Category)
		}
	}
	if b.Watch != "" && !slices.Contains(b.Watches, b.Watch) {
		return notFound("There is no watch of that name.")
	}
	if f.Watches == nil && (b.Watch != "" || b.Category != "") {
		f.Watches = []int32{} // none fits both
	}
	if f.After, err = readMark(q.Get("after")); err != nil {
		return err
	}
	if b.Rows, err = s.db.ListPages(ctx, f); err != nil {
		return err
	}
	b.Filter, b.Narrowed = f, f.Text != "" || f.Host != "" || f.Watches != nil || f.State != ""
	direction := ""
	if f.Reverse {
		direction = "reverse"
	}
	here := func(sort, dir, after string) string {
		return query("/pages", "q", f.Text, "host", f.Host, "watch", b.Watch, "category", b.Category, "state", f.State, "sort", sort, "dir", dir, "after", after)
	}
	if len(b.Rows) > rowsAPage {
		b.Rows = b.Rows[:rowsAPage]
		b.Next = here(string(f.Order), direction, writeMark(b.Rows[rowsAPage-1].Mark(f.Order)))
	}
	if f.After != nil {
		b.First = here(string(f.Order), direction, "")
	}
	b.Any = len(b.Rows) > 0 || b.Narrowed || f.After != nil
	order := f.Order
	if order == "" {
		order = store.ByChange
	}
	sortable := func(name, note string, by store.PageOrder, natural, reversed string, number bool) head {
		h := head{Name: name, Note: note, Href: here(string(by), "", ""), Number: number}
		if order == by {
			h.Sorted = natural
			h.Href = here(string(by), "reverse", "")
			if f.Reverse {
				h.Sorted, h.Href = reversed, here(string(by), "", "")
			}
		}
		return h
	}
	b.Heads = []head{
		{Name: "Page"},
		sortable("Last change", "", store.ByChange, "descending", "ascending", true),
		sortable("Changes every", "mean of the last 48", store.ByEvery, "ascending", "descending", true),
		{Name: "Mean Dice", Number: true},
		{Name: "Last changes"},
		sortable("Settles after", "knot of the curve", store.ByKnot, "ascending", "descending", true),
		{Name: "Versions", Number: true},
		{Name: "State"},
	}
	return s.show(w, r, "list.html", "Pages", b)
}

// writeMark writes the place of a row for an address.
func writeMark(m store.PageMark) string {
	return strconv.FormatFloat(m.Value, 'g', -1, 64) + "_" + strconv.FormatInt(int64(m.Page), 10)
}

func readMark(text string) (*store.PageMark, error) {
	if text == "" {
		return nil, nil
	}
	value, page, ok := strings.Cut(text, "_")
	v, err := strconv.ParseFloat(value, 64)
	id, err2 := strconv.ParseInt(page, 10, 64)
	if !ok || err != nil || err2 != nil || math.IsNaN(v) || !math.IsInf(v, 0) && math.Abs(v) > 1e17 {
		return nil, badRequest("The place to go on from is not one that a list has given out.")
	}
	return &store.PageMark{Value: v, Page: store.PageID(id)}, nil
}
