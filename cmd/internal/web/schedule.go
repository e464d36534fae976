package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/store"
)

// What the schedule shows.
const (
	nextSpan  = time.Hour
	nextSlot  = 2 * time.Minute
	hostsMost = 20
)

func (s *Server) scheduleRoutes() []route {
	return []route{
		{"GET /schedule", s.schedule, viewer, false},
		{"GET /schedule.svg", s.scheduleFile, viewer, false},
		{"GET /schedule.csv", s.scheduleFile, viewer, false},
	}
}

// scheduleBody is the page of the schedule.
type scheduleBody struct {
	Health  []store.ScheduleHealth
	Status  store.Status
	Trouble store.Trouble
	Next    figureBody
	Hosts   []store.HostQueue
	Grace   int    // minutes from which a due page is late
	List    string // due, late, failing or aside
	Lists   []tab
	Rows    []store.DueRow
	More    string // address of the rows after these
	First   string
	Any     bool // a watch is configured

	WatchHeads, HostHeads []head
}

func (s *Server) schedule(w http.ResponseWriter, r *http.Request) error {
	ctx, q, now := r.Context(), r.URL.Query(), s.now().UTC()
	late := now.Add(-lateGrace)
	b := scheduleBody{List: q.Get("list"), Grace: int(lateGrace.Minutes())}
	if b.List == "" {
		b.List = "due"
	}
	after, err := readTimeMark(q.Get("after"))
	if err != nil {
		return err
	}
	var of func(*store.DueRow) time.Time
	if b.Rows, of, err = s.dueList(ctx, b.List, after, rowsAPage+1); err != nil {
		return err
	}
	if len(b.Rows) > rowsAPage {
		b.Rows = b.Rows[:rowsAPage]
		b.More = query("/schedule", "list", b.List, "after", dueMark(&b.Rows[rowsAPage-1], of)) + "#list"
	}
	if after != nil {
		b.First = query("/schedule", "list", b.List) + "#list"
	}
	if b.Status, err = s.work(ctx); err != nil {
		return err
	}
	counts, err := s.counts.read(ctx, func(ctx context.Context) (out scheduleCounts, err error) {
		if out.trouble, err = s.db.Trouble(ctx, late); err != nil {
			return out, err
		}
		out.hosts, err = s.db.HostQueues(ctx, now, late, hostsMost)
		return out, err
	})
	if err != nil {
		return err
	}
	b.Trouble = counts.trouble
	b.Health, b.Hosts = slices.Clone(b.Status.Schedule), slices.Clone(counts.hosts) // they are sorted as this address asks
	b.Any = len(b.Health) > 0
	table, figure, err := s.nextHour(r, now)
	if err != nil {
		return err
	}
	b.Next = inline("next", "The next hour", "/schedule", table, figure, 40)
	if err := b.heads(r.URL); err != nil {
		return err
	}
	for _, l := range []struct{ value, words string }{
		{"due", "due"}, {"late", "late " + count(b.Trouble.Late)}, {"failing", "failing " + count(b.Trouble.Failing)}, {"aside", "set aside " + count(b.Trouble.SetAside)},
	} {
		b.Lists = append(b.Lists, tab{l.words, query("/schedule", "list", l.value) + "#list", l.value == b.List})
	}
	return s.show(w, r, "schedule.html", "Schedule", b)
}

// countsKept is how long, in the machine's time, the counts of the schedule are told again
// before they are taken anew. They read all pages that are due, which are many when a
// daemon was away for long; the lists of pages below them are always read.
const countsKept = 2 * time.Second

// scheduleCounts are what the page of the schedule tells of all pages that are due,
// besides what the daemons do.
type scheduleCounts struct {
	trouble store.Trouble
	hosts   []store.HostQueue
}

// work returns what the daemons do, taken less than countsKept ago: the page of the
// schedule and the API tell the same.
func (s *Server) work(ctx context.Context) (store.Status, error) {
	return s.status.read(ctx, s.db.Work)
}

// kept keeps a value of the database for a span of the machine's time. Whoever comes
// while it is taken waits for it.
type kept[T any] struct {
	span  time.Duration
	mu    chan struct{} // holds a value while somebody takes it; guards what follows
	at    time.Time     // of the machine; zero: never
	value T
}

func newKept[T any](span time.Duration) *kept[T] {
	return &kept[T]{span: span, mu: make(chan struct{}, 1)}
}

// read returns the value, which readers share and must not change; take takes it anew.
func (k *kept[T]) read(ctx context.Context, take func(context.Context) (T, error)) (T, error) {
	select {
	case k.mu <- struct{}{}:
		defer func() { <-k.mu }()
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
	if !k.at.IsZero() && time.Since(k.at) < k.span {
		return k.value, nil
	}
	value, err := take(ctx)
	if err != nil {
		return value, err
	}
	k.at, k.value = time.Now(), value
	return value, nil
}

// dueList reads a list of pages, and says by which time it is ordered.
func (s *Server) dueList(ctx context.Context, list string, after *store.TimeMark, limit int) (rows []store.DueRow, of func(*store.DueRow) time.Time, err error) {
	now := s.now().UTC()
	switch list {
	case "due", "late":
		before := now
		if list == "late" {
			before = now.Add(-lateGrace)
		}
		rows, err = s.db.DuePages(ctx, before, now, after, limit)
		return rows, func(r *store.DueRow) time.Time { return r.NextDueAt }, err
	case "failing":
		rows, err = s.db.FailingPages(ctx, now, after, limit)
		return rows, func(r *store.DueRow) time.Time { return r.FailingSince }, err
	case "aside":
		rows, err = s.db.AsidePages(ctx, after, limit)
		return rows, func(r *store.DueRow) time.Time { return r.SetAsideAt }, err
	}
	return nil, nil, badRequest("The lists are due, late, failing and aside.")
}

// dueMark writes the place of a row for an address.
func dueMark(r *store.DueRow, of func(*store.DueRow) time.Time) string {
	return fmt.Sprintf("%d_%d", of(r).UnixMicro(), r.Page)
}

// heads sorts the watches and the hosts as the address asks.
func (b *scheduleBody) heads(at *url.URL) (err error) {
	type (
		watch = store.ScheduleHealth
		host  = store.HostQueue
	)
	b.WatchHeads, err = heads(at, "watches", "watch", b.Health, []column[watch]{
		{key: "watch", name: "Watch", rises: true, order: by(func(h watch) string { return h.Name })},
		{key: "due", name: "Due", number: true, order: by(func(h watch) int { return h.Due })},
		{key: "late", name: "Late", note: "by the watch's own measure: due for more than a quarter of its interval", number: true, order: by(func(h watch) int { return h.Late })},
		{key: "failing", name: "Failing", number: true, order: by(func(h watch) int { return h.Failing })},
		{key: "aside", name: "Set aside", number: true, order: by(func(h watch) int { return h.SetAside })},
		{key: "oldest", name: "Longest due", number: true, rises: true, order: byTime(func(h watch) time.Time { return h.OldestDueAt })},
		{key: "median", name: "Lag, median", note: "from when a page was due until it was fetched", number: true, order: by(func(h watch) time.Duration { return h.LagP50 })},
		{key: "most", name: "Lag, 99 %", note: "from when a page was due until it was fetched", number: true, order: by(func(h watch) time.Duration { return h.LagP99 })},
	})
	if err != nil {
		return err
	}
	b.HostHeads, err = heads(at, "hosts", "due", b.Hosts, []column[host]{
		{key: "host", name: "Host", rises: true, order: by(func(h host) string { return h.Host })},
		{key: "due", name: "Due", number: true, order: by(func(h host) int64 { return h.Due })},
		{key: "late", name: "Late", number: true, order: by(func(h host) int64 { return h.Late })},
		{key: "claimed", name: "Claimed", note: "being fetched, or in line at the host", number: true, order: by(func(h host) int64 { return h.Running })},
		{key: "oldest", name: "Longest due", number: true, rises: true, order: byTime(func(h host) time.Time { return h.OldestAt })},
	})
	return err
}

// nextHour draws how many pages are due in the next hour.
func (s *Server) nextHour(r *http.Request, now time.Time) (*report.Table, chart.Figure, error) {
	now = now.Truncate(nextSlot)
	slots, err := s.db.DueSlots(r.Context(), now, now.Add(nextSpan), nextSlot)
	if err != nil {
		return nil, nil, err
	}
	t := &report.Table{Title: "Pages due in the next hour", Columns: []string{"from (UTC)", "pages due"}}
	bars := chart.Bars{Hover: func(from, _, n float64) string {
		return plural(int64(n), "page", "pages") + " from " + time.Unix(int64(from), 0).UTC().Format("15:04")
	}}
	total := int64(0)
	for at := now; at.Before(now.Add(nextSpan)); at = at.Add(nextSlot) {
		n := int64(0)
		if i := slices.IndexFunc(slots, func(d store.DueSlot) bool { return d.At.Equal(at) }); i >= 0 {
			n = slots[i].Pages
		}
		total += n
		t.Add(at, n)
		bars.Edges, bars.Counts = append(bars.Edges, chart.Seconds(at)), append(bars.Counts, float64(n))
	}
	bars.Edges = append(bars.Edges, chart.Seconds(now.Add(nextSpan)))
	c := chart.Chart{
		Title:    "The next hour: " + plural(total, "page is", "pages are") + " due",
		Subtitle: fmt.Sprintf("pages due in each %d minutes", int(nextSlot.Minutes())),
		Empty:    "No page is due in the next hour.",
		X:        chart.Axis{Kind: chart.Time}, Y: chart.Axis{Label: "pages", Zero: true},
	}
	if total > 0 {
		c.Panels = []chart.Panel{{Marks: []chart.Mark{bars}}}
	}
	return t, strip{c}, nil
}

// strip is a chart that is wide and low.
type strip struct{ chart.Chart }

// SVG draws the chart.
func (s strip) SVG(opt chart.Options) []byte {
	if opt.Height == 0 {
		opt.Height = 190
	}
	return s.Chart.SVG(opt)
}

// scheduleFile answers with the next hour as SVG or CSV.
func (s *Server) scheduleFile(w http.ResponseWriter, r *http.Request) error {
	table, figure, err := s.nextHour(r, s.now().UTC())
	if err != nil {
		return err
	}
	if strings.HasSuffix(r.URL.Path, ".svg") {
		s.sendSVG(w, r, figure)
		return nil
	}
	return s.sendCSV(w, r, table, "strandline-schedule.csv")
}

// readTimeMark reads the place of a row in a list ordered by time.
func readTimeMark(text string) (*store.TimeMark, error) {
	if text == "" {
		return nil, nil
	}
	at, page, ok := strings.Cut(text, "_")
	micros, err := strconv.ParseInt(at, 10, 64)
	id, err2 := strconv.ParseInt(page, 10, 64)
	if !ok || err != nil || err2 != nil || micros < 0 || micros > 1e17 {
		return nil, badRequest("The place to go on from is not one that a list has given out.")
	}
	return &store.TimeMark{At: time.UnixMicro(micros).UTC(), Page: store.PageID(id)}, nil
}
