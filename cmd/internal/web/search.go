package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/found"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	lang "github.com/strandlinehq/strandline/monitor/query"
	measure "github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/monitor/snippet"
	"github.com/strandlinehq/strandline/store"
)

// Bounds of the search page: each result reads two versions.
const (
	resultsAPage = 20
	maxSnapshot  = 1 << 30 // no series has as many
)

func (s *Server) searchRoutes() []route {
	return []route{
		{"GET /search", s.search, viewer, false},
		{"GET /search.svg", s.searchFile, viewer, false},
		{"GET /search.csv", s.searchFile, viewer, false},
	}
}

// asked is what the address of a search asks for.
type asked struct {
	Text, Series, From, To, Since, Sort, By, Kind, Novel string
	Snapshot                                             int

	query    lang.Query
	series   store.Series
	from, to time.Time
	novel    *float64  // novelty from which pages are judged novel; nil: as the series says
	since    time.Time // what results tell as new is new since then; zero: since the version or snapshot before
	after    *store.SearchMark
	behind   *store.KeywordMark // in a series
}

// path is the address of this search with some of its parameters changed; the place
// in the results is dropped.
func (a *asked) path(base string, changes ...string) string {
	all := map[string]string{"q": a.Text, "series": a.Series, "from": a.From, "to": a.To, "since": a.Since, "sort": a.Sort, "by": a.By, "kind": a.Kind, "novel": a.Novel}
	if a.Snapshot > 0 {
		all["snapshot"] = strconv.Itoa(a.Snapshot)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	var pairs []string
	for k, v := range all {
		pairs = append(pairs, k, v)
	}
	return query(base, pairs...)
}

// searchBody is the search page.
type searchBody struct {
	*asked
	AllSeries []string
	Fault     string // why the words cannot be looked for
	Any       bool   // something was asked for
	Partial   bool
	Figure    *figureBody
	Narrow    template.HTML // the figure for narrow screens, drawn anew so that its words keep their size
	FigureSVG, FigureCSV,
	ByCount, ByShare, Permalink string
	Kinds, Sorts              []tab
	Groups                    []resultGroup
	Next, First, AllSnapshots string
}

// resultGroup is the results of a snapshot, or all.
type resultGroup struct {
	Heading string
	At      time.Time
	Results []result
}

// result is a page that was found.
type result struct {
	Page      store.PageID
	URL       string
	Host      string
	Version   int32
	Title     string
	Kind      string
	Novelty   float64
	Bar       template.HTML
	FirstSeen time.Time
	At        time.Time
	Gone      int32
	GoneAt    time.Time
	Times     int32
	Snippet   snippet.Snippet
	Copy      *copied   // nil: of none
	Since     time.Time // what Snippet.New is new since; zero: nothing to compare with
}

func (s *Server) readAsked(r *http.Request) (*asked, error) {
	v := r.URL.Query()
	a := &asked{
		Text: v.Get("q"), Series: v.Get("series"), From: v.Get("from"), To: v.Get("to"), Since: v.Get("since"), Sort: v.Get("sort"), By: v.Get("by"), Kind: v.Get("kind"), Novel: v.Get("novel"),
	}
	var err error
	for _, d := range []struct {
		text string
		at   *time.Time
	}{{a.From, &a.from}, {a.To, &a.to}, {a.Since, &a.since}} {
		if d.text == "" {
			continue
		}
		if *d.at, err = time.Parse(time.DateOnly, d.text); err != nil {
			return nil, badRequest("Dates are written as 2026-03-01; " + clean(d.text) + " is none.")
		}
	}
	if !a.to.IsZero() {
		a.to = a.to.AddDate(0, 0, 1) // the day itself counts
		if !a.to.After(a.from) {
			return nil, badRequest("The first day of the search is behind the last one.")
		}
	}
	if t := v.Get("snapshot"); t != "" {
		if a.Snapshot, err = strconv.Atoi(t); err != nil || a.Snapshot < 0 || a.Snapshot > maxSnapshot {
			return nil, badRequest(fmt.Sprintf("The snapshot is a number from 0 to %d.", maxSnapshot))
		}
	}
	if a.novel, err = noveltyFrom(r); err != nil {
		return nil, err
	}
	switch a.Kind {
	case "", string(store.KindNewWord), string(store.KindNovel), string(store.KindUncertain):
	default:
		return nil, badRequest("The kinds of pages are new word, novel and uncertain.")
	}
	switch a.Sort {
	case "", "novelty", "novelty up", "time", "rank":
	default:
		return nil, badRequest("Results are sorted by novelty, novelty up, time or rank.")
	}
	if a.By != "" && a.By != "share" {
		return nil, badRequest("The figure is drawn by count or by share.")
	}
	if a.Series != "" {
		if a.behind, err = readKeywordMark(v.Get("after")); err != nil {
			return nil, err
		}
		if a.series, err = s.db.SeriesByName(r.Context(), a.Series); errors.Is(err, store.ErrNotFound) {
			return nil, notFound("There is no series of this name.")
		} else if err != nil {
			return nil, err
		}
	} else if a.after, err = readSearchMark(v.Get("after")); err != nil {
		return nil, err
	} else if strings.HasPrefix(a.Sort, "novelty") {
		a.Sort = ""
	}
	return a, nil
}

// noveltyFrom reads the novelty from which pages are to be judged novel; nil where it is
// left to the series.
func noveltyFrom(r *http.Request) (*float64, error) {
	text := r.URL.Query().Get("novel")
	if text == "" {
		return nil, nil
	}
	t, err := strconv.ParseFloat(text, 64)
	if err != nil || !(t >= 0 && t <= 1) {
		return nil, badRequest("The novelty from which pages are judged novel is a number from 0 to 1.")
	}
	return &t, nil
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) error {
	a, err := s.readAsked(r)
	if err != nil {
		return err
	}
	b := searchBody{asked: a, Any: strings.TrimSpace(a.Text) != ""}
	all, err := s.db.AllSeries(r.Context())
	if err != nil {
		return err
	}
	for _, one := range all {
		b.AllSeries = append(b.AllSeries, one.Name)
	}
	title := "Search"
	if b.Any {
		title = middle(60, a.Text)
		if a.query, err = lang.Parse(a.Text); err != nil {
			_, words, _ := strings.Cut(err.Error(), ": ")
			b.Fault = clean(words)
			s.write(w, r, http.StatusBadRequest, "search.html", title, b)
			return nil
		}
		b.Permalink = a.path("/search")
		if a.Series != "" {
			err = s.searchSeries(r.Context(), &b)
		} else {
			err = s.searchVersions(r.Context(), &b)
		}
		if err != nil {
			return err
		}
		if err := s.markCopies(r.Context(), b.Groups); err != nil {
			return err
		}
	}
	return s.show(w, r, "search.html", title, b)
}

// searchVersions finds pages by any of their versions.
func (s *Server) searchVersions(ctx context.Context, b *searchBody) error {
	byRank := b.Sort == "rank"
	all, err := s.db.Search(ctx, b.query, store.SearchOptions{From: b.from, To: b.to, ByRank: byRank, After: b.after, Limit: resultsAPage})
	if err != nil {
		return err
	}
	b.Partial = all.Partial
	if all.Next != nil {
		b.Next = b.path("/search", "after", writeSearchMark(*all.Next))
	}
	if b.after != nil {
		b.First = b.path("/search")
	}
	b.Sorts = []tab{{"time", b.path("/search", "sort", ""), !byRank}, {"rank", b.path("/search", "sort", "rank"), byRank}}
	var g resultGroup
	for _, h := range all.Hits {
		shown, err := found.Version(ctx, s.db, h.Page, h.Version, b.since, b.query.Words())
		if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		one := resultOf(h.Page, h.URL, h.At, shown)
		one.Version, one.Gone, one.GoneAt, one.Times = h.Version, h.Gone, h.GoneAt, h.Times
		g.Results = append(g.Results, one)
	}
	if len(all.Hits) > 0 {
		b.Groups = []resultGroup{g}
	}
	return nil
}

// searchSeries draws paper T's Figure 11 and lists the pages behind it.
func (s *Server) searchSeries(ctx context.Context, b *searchBody) error {
	order := b.Sort
	if order == "" {
		order = "time"
	}
	table, figure, counts, pages, err := s.keyword(ctx, b.asked, store.KeywordOptions{
		Kind: store.KeywordKind(b.Kind), Snapshot: b.Snapshot, From: b.from, To: b.to, Order: order, After: b.behind, Rows: resultsAPage + 1,
	})
	if err != nil {
		return err
	}
	f := inline("novelty", "New pages over the snapshots", "", table, figure, 40)
	b.Figure = &f
	narrow, _ := fitting(figure, chart.Options{ID: "figure-novelty-narrow", Inline: true, Bare: true, Width: phoneWidth, Height: phoneHeight})
	b.Narrow = template.HTML(narrow) // chart escapes all that it is given
	b.FigureSVG, b.FigureCSV = b.path("/search.svg"), b.path("/search.csv")
	b.ByCount, b.ByShare = b.path("/search", "by", ""), b.path("/search", "by", "share")
	if len(pages) > resultsAPage {
		pages = pages[:resultsAPage]
		b.Next = b.path("/search", "after", writeKeywordMark(pages[resultsAPage-1].Mark())) + "#results"
	}
	if b.behind != nil {
		b.First = b.path("/search") + "#results"
	}
	if b.Snapshot > 0 {
		b.AllSnapshots = b.path("/search", "snapshot", "") + "#results"
	}
	for _, k := range []struct{ kind, words string }{
		{"", "all"}, {string(store.KindNewWord), "old page, new word"}, {string(store.KindNovel), "new page"}, {string(store.KindUncertain), "uncertain"},
	} {
		b.Kinds = append(b.Kinds, tab{k.words, b.path("/search", "kind", k.kind) + "#results", b.Kind == k.kind})
	}
	for _, o := range []struct{ order, words string }{{"time", "time"}, {"novelty", "novelty ↓"}, {"novelty up", "novelty ↑"}, {"rank", "rank"}} {
		b.Sorts = append(b.Sorts, tab{o.words, b.path("/search", "sort", o.order) + "#results", order == o.order})
	}
	started := map[int]time.Time{}
	for _, k := range counts {
		started[k.Snapshot] = k.At
	}
	group := 0
	for _, p := range pages {
		since := b.since
		if since.IsZero() {
			since = started[p.Snapshot-1]
		}
		shown, err := found.At(ctx, s.db, p.Page, p.At, since, b.query.Words())
		if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		one := resultOf(p.Page, p.URL, p.At, shown)
		one.Version, one.Kind, one.Novelty, one.FirstSeen, one.Bar = shown.Version, kindWords(p.Kind), p.Novelty, p.FirstSeen, noveltyBar(p.Novelty)
		if len(b.Groups) == 0 || p.Snapshot != group {
			group = p.Snapshot
			b.Groups = append(b.Groups, resultGroup{Heading: fmt.Sprintf("Snapshot %d", p.Snapshot), At: started[p.Snapshot]})
		}
		g := &b.Groups[len(b.Groups)-1]
		g.Results = append(g.Results, one)
	}
	return nil
}

// markCopies says of results which are copies of others.
func (s *Server) markCopies(ctx context.Context, groups []resultGroup) error {
	var pages []store.PageID
	for _, g := range groups {
		for _, r := range g.Results {
			pages = append(pages, r.Page)
		}
	}
	copies, err := s.db.Copies(ctx, pages)
	if err != nil {
		return err
	}
	for _, g := range groups {
		for i, r := range g.Results {
			if c, ok := copies[r.Page]; ok {
				g.Results[i].Copy = &copied{found.CopyWords(c.Kind), c.Source, c.SourceURL}
			}
		}
	}
	return nil
}

// copied is what a page is a copy of.
type copied struct {
	Words  string
	Source store.PageID
	URL    string
}

func resultOf(page store.PageID, url string, at time.Time, s found.Shown) result {
	r := result{Page: page, URL: url, Title: s.Title, At: at, Snippet: s.Snippet}
	if _, rest, ok := strings.Cut(url, "://"); ok {
		r.Host, _, _ = strings.Cut(rest, "/")
	}
	if !s.First {
		r.Since = s.Snippet.Since
	}
	return r
}

func kindWords(k store.KeywordKind) string {
	switch k {
	case store.KindNewWord:
		return "old page, new word"
	case store.KindNovel:
		return "new page"
	}
	return "uncertain"
}

// noveltyBar draws a novelty from 0 to 1.
func noveltyBar(v float64) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="novelty" width="80" height="10" viewBox="0 0 80 10" role="img" aria-label="novelty %[1]s"><title>novelty %[1]s</title><rect class="all" x=".5" y=".5" width="79" height="9"/><rect class="part" x="0" y="0" width="%.1f" height="10"/></svg>`,
		chart.ShareText(v), 80*min(max(v, 0), 1)))
}

// keyword counts the pages with the words over the snapshots of a series, and draws
// them; it also lists pages as opt asks. The sums begin behind the first snapshot: of
// its pages nothing is known.
func (s *Server) keyword(ctx context.Context, a *asked, opt store.KeywordOptions) (t *report.Table, f chart.Figure, counts []store.KeywordSnapshot, pages []store.KeywordPage, err error) {
	if a.novel != nil {
		opt.Threshold = *a.novel
	} else if opt.Threshold, err = s.db.Threshold(ctx, a.series.ID); err != nil {
		return nil, nil, nil, nil, err
	}
	if counts, pages, err = s.db.KeywordNovelty(ctx, a.series.ID, a.query, opt); err != nil {
		return nil, nil, nil, nil, err
	}
	sizes, err := s.db.Snapshots(ctx, a.series.ID)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	size := map[store.SnapshotID]store.SeriesSnapshot{}
	for _, one := range sizes {
		size[one.ID] = one
	}
	stack := chart.StackedNovelty{Query: a.Text, Series: "series " + a.Series, ByShare: a.By == "share"}
	stack.Between = func(first, last time.Time) (all, newWord, novel, uncertain string) {
		href := func(kind store.KeywordKind) string {
			return a.path("/search", "from", first.UTC().Format(time.DateOnly), "to", last.UTC().Format(time.DateOnly), "snapshot", "", "kind", string(kind)) + "#results"
		}
		return href(""), href(store.KindNewWord), href(store.KindNovel), href(store.KindUncertain)
	}
	var shown []store.KeywordSnapshot
	var before int64
	first := true
	for _, k := range counts {
		if !a.from.IsZero() && k.At.Before(a.from) || !a.to.IsZero() && !k.At.Before(a.to) || k.Status == store.SnapshotPlanned || k.Status == store.SnapshotRunning {
			if k.Known {
				before, first = k.Capture, false
			}
			continue
		}
		shown = append(shown, k)
		href := func(kind string) string {
			return a.path("/search", "snapshot", strconv.Itoa(k.Snapshot), "kind", kind) + "#results"
		}
		p := chart.NoveltySnapshot{
			At: k.At, Missing: !k.Known, Coverage: math.NaN(), Href: href(""),
			NewWordHref: href(string(store.KindNewWord)), NovelHref: href(string(store.KindNovel)), UncertainHref: href(string(store.KindUncertain)),
		}
		if k.Known {
			if !first {
				p.NewWord, p.Novel, p.Uncertain = float64(k.NewWord), float64(k.Novel), float64(k.Uncertain)
			}
			if before > 0 {
				p.Coverage = min(1, float64(size[k.ID].L2)/float64(before))
			}
			before, first = k.Capture, false
		}
		stack.Snapshots = append(stack.Snapshots, p)
	}
	t = found.Table(a.Series, a.Text, opt.Threshold, shown, measure.Unlike(sizes))
	t.Note("The figure leaves the first snapshot out of its sums. Coverage: share of the pages of the snapshot before that were crawled again.")
	return t, stack, counts, pages, nil
}

// searchFile answers with the figure as SVG or its counts as CSV.
func (s *Server) searchFile(w http.ResponseWriter, r *http.Request) error {
	a, err := s.readAsked(r)
	if err != nil {
		return err
	}
	if a.Series == "" {
		return badRequest("The figure belongs to a series: the address wants series=NAME.")
	}
	if a.query, err = lang.Parse(a.Text); err != nil {
		_, words, _ := strings.Cut(err.Error(), ": ")
		return badRequest("The words cannot be looked for: " + clean(words) + ".")
	}
	table, figure, _, _, err := s.keyword(r.Context(), a, store.KeywordOptions{})
	if err != nil {
		return err
	}
	if strings.HasSuffix(r.URL.Path, ".svg") {
		s.sendSVG(w, r, figure)
		return nil
	}
	return s.sendCSV(w, r, table, "strandline-search.csv")
}
