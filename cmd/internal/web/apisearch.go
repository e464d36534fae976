package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	lang "github.com/strandlinehq/strandline/monitor/query"
	"github.com/strandlinehq/strandline/store"
)

// apiHit is a page with the last stretch of its versions that fit.
type apiHit struct {
	Page    int64      `json:"page"`
	URL     string     `json:"url"`
	Version int32      `json:"version"` // the first of the stretch
	At      time.Time  `json:"at"`
	Rank    float64    `json:"rank"`         // 0 in the order by time
	Gone    int32      `json:"gone_version"` // the first version that no longer fits; 0: the last one does
	GoneAt  *time.Time `json:"gone_at"`
	Times   int32      `json:"times"` // stretches of the page
}

// apiHits is one page of a search.
type apiHits struct {
	Items   []apiHit `json:"items"`
	Next    string   `json:"next,omitempty"`
	Partial bool     `json:"partial"` // the words are too frequent for all pages to be looked at
}

// queryOf reads what is looked for.
func queryOf(r *http.Request) (lang.Query, error) {
	q, err := lang.Parse(r.URL.Query().Get("q"))
	if err != nil {
		_, words, _ := strings.Cut(err.Error(), ": ")
		return q, badRequest("The words cannot be looked for: " + clean(words) + ".")
	}
	return q, nil
}

func apiSearch(s *Server, r *http.Request) (out apiHits, err error) {
	q, err := queryOf(r)
	if err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	opt := store.SearchOptions{Limit: limit}
	if opt.From, err = timeOf(r, "from"); err != nil {
		return out, err
	}
	if opt.To, err = timeOf(r, "to"); err != nil {
		return out, err
	}
	switch r.URL.Query().Get("sort") {
	case "", "time":
	case "rank":
		opt.ByRank = true
	default:
		return out, badRequest("Hits are sorted by time or rank.")
	}
	if opt.After, err = readSearchMark(r.URL.Query().Get("after")); err != nil {
		return out, err
	}
	found, err := s.db.Search(r.Context(), q, opt)
	if err != nil {
		return out, err
	}
	list := listOf(r, found.Hits, limit, func(h *store.SearchHit) apiHit {
		return apiHit{int64(h.Page), h.URL, h.Version, h.At.UTC(), h.Rank, h.Gone, timeOrNil(h.GoneAt), h.Times}
	}, nil)
	out = apiHits{list.Items, "", found.Partial}
	if found.Next != nil {
		out.Next = nextOf(r, writeSearchMark(*found.Next))
	}
	return out, nil
}

// apiNovelty counts the pages of a snapshot that fit (SCIENCE T11); the counts are
// null where the snapshot failed or is not computed.
type apiNovelty struct {
	Snapshot  int       `json:"snapshot"`
	At        time.Time `json:"at"`
	Status    string    `json:"status"`
	NewWord   *int64    `json:"old_new_keyword"`
	Novel     *int64    `json:"novel"`
	Uncertain *int64    `json:"uncertain"`
	Captured  *int64    `json:"captured"`
	Delta     *float64  `json:"delta"`
}

// threshold is the novelty from which pages are judged novel: as asked for, or that of the
// series.
func (s *Server) threshold(r *http.Request, of store.SeriesID) (float64, error) {
	t, err := noveltyFrom(r)
	switch {
	case err != nil:
		return 0, err
	case t != nil:
		return *t, nil
	}
	return s.db.Threshold(r.Context(), of)
}

func apiSeriesSearch(s *Server, r *http.Request) (out apiList[apiNovelty], err error) {
	series, err := s.seriesNamed(r)
	if err != nil {
		return out, err
	}
	q, err := queryOf(r)
	if err != nil {
		return out, err
	}
	threshold, err := s.threshold(r, series.ID)
	if err != nil {
		return out, err
	}
	rows, _, err := s.db.KeywordNovelty(r.Context(), series.ID, q, store.KeywordOptions{Threshold: threshold})
	if err != nil {
		return out, err
	}
	return part(r, rows, func(k *store.KeywordSnapshot) string { return strconv.Itoa(k.Snapshot) }, func(k *store.KeywordSnapshot) apiNovelty {
		n := apiNovelty{Snapshot: k.Snapshot, At: k.At.UTC(), Status: string(k.Status)}
		if k.Known {
			n.NewWord, n.Novel, n.Uncertain, n.Captured, n.Delta = &k.NewWord, &k.Novel, &k.Uncertain, &k.Capture, &k.Delta
		}
		return n
	})
}

// apiNewPage is a page behind the counts of a series.
type apiNewPage struct {
	Page      int64     `json:"page"`
	URL       string    `json:"url"`
	Snapshot  int       `json:"snapshot"`
	CrawledAt time.Time `json:"crawled_at"`
	Class     string    `json:"class"`
	Kind      string    `json:"kind"`
	Novelty   float64   `json:"novelty"`
	FirstSeen time.Time `json:"first_seen"`
}

func apiSeriesFound(s *Server, r *http.Request) (out apiList[apiNewPage], err error) {
	series, err := s.seriesNamed(r)
	if err != nil {
		return out, err
	}
	q, err := queryOf(r)
	if err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	v := r.URL.Query()
	opt := store.KeywordOptions{Kind: store.KeywordKind(v.Get("kind")), Order: v.Get("sort"), Rows: limit + 1}
	if opt.Kind != "" && !slices.Contains(keywordKinds(), string(opt.Kind)) {
		return out, badRequest("The kinds of pages are new word, novel and uncertain.")
	}
	if opt.Order == "" {
		opt.Order = keywordOrders()[0]
	}
	if !slices.Contains(keywordOrders(), opt.Order) {
		return out, badRequest("Pages are sorted by time, novelty, novelty up or rank.")
	}
	if text := v.Get("snapshot"); text != "" {
		if opt.Snapshot, err = strconv.Atoi(text); err != nil || opt.Snapshot < 1 || opt.Snapshot > maxSnapshot {
			return out, badRequest("Snapshots of a series are counted from 1.")
		}
	}
	if opt.From, err = timeOf(r, "from"); err != nil {
		return out, err
	}
	if opt.To, err = timeOf(r, "to"); err != nil {
		return out, err
	}
	if opt.After, err = readKeywordMark(v.Get("after")); err != nil {
		return out, err
	}
	if opt.Threshold, err = s.threshold(r, series.ID); err != nil {
		return out, err
	}
	_, rows, err := s.db.KeywordNovelty(r.Context(), series.ID, q, opt)
	return listOf(r, rows, limit, func(p *store.KeywordPage) apiNewPage {
		return apiNewPage{int64(p.Page), p.URL, p.Snapshot, p.At.UTC(), p.Class, string(p.Kind), p.Novelty, p.FirstSeen.UTC()}
	}, func(p *store.KeywordPage) string { return writeKeywordMark(p.Mark()) }), err
}

// keywordKinds are the kinds of pages of a search in a series, keywordOrders its orders,
// the one that is taken without another first.
func keywordKinds() []string {
	return []string{string(store.KindNewWord), string(store.KindNovel), string(store.KindUncertain)}
}

func keywordOrders() []string { return []string{"time", "novelty", "novelty up", "rank"} }

// writeKeywordMark writes the place of a page of a series' search for an address.
func writeKeywordMark(m store.KeywordMark) string {
	return fmt.Sprintf("%s_%d_%d", strconv.FormatFloat(m.Value, 'g', -1, 64), m.Snapshot, m.Page)
}

func readKeywordMark(text string) (*store.KeywordMark, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, "_")
	if len(parts) == 3 {
		f, err := strconv.ParseFloat(parts[0], 64)
		n, err2 := strconv.Atoi(parts[1])
		id, err3 := strconv.ParseInt(parts[2], 10, 64)
		if err == nil && err2 == nil && err3 == nil && f > -1e11 && f < 1e11 && n >= 0 && n <= maxSnapshot && id >= 0 && id < 1<<52 {
			return &store.KeywordMark{Value: f, Snapshot: n, Page: store.PageID(id)}, nil
		}
	}
	return nil, badRequest("The place to go on from is not one that a list has given out.")
}

// writeSearchMark writes the place of a hit for an address.
func writeSearchMark(m store.SearchMark) string {
	return fmt.Sprintf("%s_%d", strconv.FormatFloat(m.Value, 'g', -1, 64), m.Page)
}

func readSearchMark(text string) (*store.SearchMark, error) {
	if text == "" {
		return nil, nil
	}
	value, page, ok := strings.Cut(text, "_")
	f, err := strconv.ParseFloat(value, 64)
	id, err2 := strconv.ParseInt(page, 10, 64)
	if !ok || err != nil || err2 != nil || !(f > -1e11 && f < 1e11) || id < 0 || id >= 1<<52 {
		return nil, badRequest("The place to go on from is not one that a list has given out.")
	}
	return &store.SearchMark{Value: f, Page: store.PageID(id)}, nil
}
