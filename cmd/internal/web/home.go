package web

import (
	"net/http"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// What the first page counts and shows.
const (
	homeSpan    = 24 * time.Hour
	homeChanges = 30
	homeTrouble = 8
	// worth is the significance from which a change is worth reading: some twelve
	// words of a hundred that came or went.
	worth = 0.05
	// lateGrace is how long a page may be due before it is called late.
	lateGrace = 15 * time.Minute
)

func (s *Server) homeRoutes() []route {
	return []route{
		{"GET /{$}", s.home, viewer, false},
		{"GET /load", s.loadFigure, viewer, false},
		{"GET /load.svg", s.loadFigure, viewer, false},
		{"GET /load.csv", s.loadFigure, viewer, false},
	}
}

// headed is a change with the longest sentence that it brought.
type headed struct {
	store.TopChange
	Headline string
}

// homeBody is what the first page shows.
type homeBody struct {
	From, To   time.Time
	Current    bool // the span ends now, not with the last change of an archive
	Count      int64
	Worth      int64
	Changes    []headed
	Heads      []head
	Most       int     // changes at most
	WorthFrom  float64 // significance of what is worth reading
	Trouble    store.Trouble
	Late       []store.DueRow
	Failing    []store.DueRow
	Sizes      store.Sizes
	LoadTotal  int64
	LoadMost   int64
	Load       *figureBody // nil: nothing was fetched
	Watches    int
	LastChange time.Time
	Topics     []topicLine
}

func (s *Server) home(w http.ResponseWriter, r *http.Request) error {
	ctx, now := r.Context(), s.now().UTC()
	b := homeBody{From: now.Add(-homeSpan), To: now, Current: true, Most: homeChanges, WorthFrom: worth}
	var err error
	if b.LastChange, err = s.db.LastChange(ctx); err != nil {
		return err
	}
	if !b.LastChange.IsZero() && b.LastChange.Before(b.From) {
		b.Current, b.From, b.To = false, b.LastChange.Add(-homeSpan), b.LastChange
	}
	if b.Count, b.Worth, err = s.db.CountChanges(ctx, b.From, b.To, worth); err != nil {
		return err
	}
	changes, err := s.db.TopChanges(ctx, b.From, b.To, homeChanges)
	if err != nil {
		return err
	}
	for _, c := range changes {
		line, err := s.headlines.of(ctx, s.db, c.Page, c.Version, c.At)
		if err != nil {
			return err
		}
		b.Changes = append(b.Changes, headed{c, line})
	}
	if b.Heads, err = heads(r.URL, "order", "significance", b.Changes, []column[headed]{
		{key: "when", name: "When", order: byTime(func(c headed) time.Time { return c.At })},
		{name: "Page"},
		{key: "significance", name: "Significance", note: "share of the words that changed, less where few did", number: true, order: by(func(c headed) float64 { return c.Significance })},
		{key: "dice", name: "Dice", note: "1: the same words, 0: none of them", number: true, rises: true, order: by(func(c headed) float64 { return c.Dice })},
		{name: "Last changes", note: "Dice of each of the last 48 changes"},
		{},
	}); err != nil {
		return err
	}
	late := now.Add(-lateGrace)
	if b.Trouble, err = s.db.Trouble(ctx, late); err != nil {
		return err
	}
	if b.Trouble.Late > 0 {
		if b.Late, err = s.db.DuePages(ctx, late, now, nil, homeTrouble); err != nil {
			return err
		}
	}
	if b.Trouble.Failing > 0 {
		if b.Failing, err = s.db.FailingPages(ctx, now, nil, homeTrouble); err != nil {
			return err
		}
	}
	if b.Sizes, err = s.db.Sizes(ctx); err != nil {
		return err
	}
	load, err := s.load(ctx, now)
	if err != nil {
		return err
	}
	b.LoadTotal, b.LoadMost = load.total()
	if b.LoadTotal > 0 {
		f := inline("load", "Fetches an hour", "/load", load.table(), load.figure(), homeHours)
		b.Load = &f
	}
	watches, err := s.db.Watches(ctx)
	if err != nil {
		return err
	}
	for _, w := range watches {
		if !w.Paused {
			b.Watches++
		}
	}
	if b.Topics, err = s.topicLines(ctx, homeSentences); err != nil {
		return err
	}
	return s.show(w, r, "home.html", "What changed", b)
}
