package web

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/strandlinehq/strandline/store"
)

type apiChange struct {
	Page             int64     `json:"page"`
	URL              string    `json:"url"`
	Title            string    `json:"title"`
	Version          int32     `json:"version"`
	ChangedAt        time.Time `json:"changed_at"`
	Hours            float64   `json:"hours"`
	Dice             float64   `json:"dice"`
	WordsAdded       int       `json:"words_added"`
	WordsRemoved     int       `json:"words_removed"`
	SentencesAdded   int       `json:"sentences_added"`
	SentencesRemoved int       `json:"sentences_removed"`
	Significance     float64   `json:"significance"`
}

func apiPageChanges(s *Server, r *http.Request) (out apiList[apiChange], err error) {
	p, _, err := s.paged(r)
	if err != nil {
		return out, err
	}
	return s.changeList(r, store.ChangeFilter{Page: p.Page})
}

func apiChanges(s *Server, r *http.Request) (out apiList[apiChange], err error) {
	f := store.ChangeFilter{Host: r.URL.Query().Get("host")}
	if len(f.Host) > 255 {
		return out, badRequest("No host has so long a name.")
	}
	if f.Watches, err = s.watchNamed(r); err != nil {
		return out, err
	}
	return s.changeList(r, f)
}

// changeList reads the rest of a filter and the changes.
func (s *Server) changeList(r *http.Request, f store.ChangeFilter) (out apiList[apiChange], err error) {
	q := r.URL.Query()
	if f.From, err = timeOf(r, "from"); err != nil {
		return out, err
	}
	if f.To, err = timeOf(r, "to"); err != nil {
		return out, err
	}
	if text := q.Get("significance"); text != "" {
		if f.Significance, err = strconv.ParseFloat(text, 64); err != nil || !(f.Significance >= 0 && f.Significance <= 1) {
			return out, badRequest("A significance is a number from 0 to 1.")
		}
	}
	if f.After, err = readChangeMark(q.Get("after")); err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	f.Limit = limit + 1
	rows, err := s.db.ListChanges(r.Context(), f)
	if err != nil {
		return out, err
	}
	return listOf(r, rows, limit, func(c *store.ChangeRow) apiChange {
		return apiChange{
			int64(c.Page), c.URL, c.Title, c.Version, c.At.UTC(), c.Hours, c.Dice, c.WordsAdded, c.WordsRemoved, c.SentencesAdded, c.SentencesRemoved, c.Significance,
		}
	}, func(c *store.ChangeRow) string { return writeChangeMark(c.Mark()) }), nil
}

type apiFetch struct {
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt time.Time  `json:"finished_at"`
	DueAt      *time.Time `json:"due_at"`
	Outcome    string     `json:"outcome"`
	Kind       string     `json:"kind"`
	Status     int        `json:"status"`
	Version    int32      `json:"version"`
	Bytes      int64      `json:"bytes"`
	Error      string     `json:"error"`
}

func apiFetches(s *Server, r *http.Request) (out apiList[apiFetch], err error) {
	p, limit, err := s.paged(r)
	if err != nil {
		return out, err
	}
	before := store.MementoMark{At: endOfTime()}
	mark, err := readTimeMark(r.URL.Query().Get("after"))
	if err != nil {
		return out, err
	}
	if mark != nil {
		before = store.MementoMark{At: mark.At, Attempt: int16(min(max(int64(mark.Page), 0), 1<<15-1))}
	}
	rows, err := s.db.ListFetches(r.Context(), p.Page, before, limit+1)
	if err != nil {
		return out, err
	}
	return listOf(r, rows, limit, func(f *store.FetchRow) apiFetch {
		return apiFetch{f.At.UTC(), f.FinishedAt.UTC(), timeOrNil(f.DueAt), string(f.Outcome), string(f.Kind), f.Status, f.Version, f.Bytes, f.Error}
	}, func(f *store.FetchRow) string { return fmt.Sprintf("%d_%d", f.At.UnixMicro(), f.Attempt) }), nil
}

type apiWatch struct {
	Name     string `json:"name"`
	Category string `json:"category"`
	Genre    string `json:"genre"`
	Paused   bool   `json:"paused"`
}

func apiWatches(s *Server, r *http.Request) (out apiList[apiWatch], err error) {
	rows, err := s.db.Watches(r.Context())
	return listOf(r, rows, len(rows), func(w *store.WatchRow) apiWatch { return apiWatch{w.Name, w.Category, w.Genre, w.Paused} }, nil), err
}

type apiHealth struct {
	Kind        string     `json:"kind"`
	Name        string     `json:"name"`
	Due         int        `json:"due"`
	Late        int        `json:"late"`
	Failing     int        `json:"failing"`
	OldestDueAt *time.Time `json:"oldest_due_at"`
	LagP50      float64    `json:"lag_p50_seconds"`
	LagP99      float64    `json:"lag_p99_seconds"`
}

func apiSchedule(s *Server, r *http.Request) (out apiList[apiHealth], err error) {
	status, err := s.work(r.Context())
	rows := status.Schedule
	return listOf(r, rows, len(rows), func(h *store.ScheduleHealth) apiHealth {
		return apiHealth{h.Kind, h.Name, h.Due, h.Late, h.Failing, timeOrNil(h.OldestDueAt), h.LagP50.Seconds(), h.LagP99.Seconds()}
	}, nil), err
}

// apiDue is a watched page in a list of the schedule.
type apiDue struct {
	Page         int64      `json:"page"`
	URL          string     `json:"url"`
	Host         string     `json:"host"`
	NextDueAt    *time.Time `json:"next_due_at"`
	Claimed      bool       `json:"claimed"`
	DeferredAt   *time.Time `json:"deferred_at"`
	FailingSince *time.Time `json:"failing_since"`
	SetAsideAt   *time.Time `json:"set_aside_at"`
	Reason       string     `json:"reason"`
}

func apiSchedulePages(s *Server, r *http.Request) (out apiList[apiDue], err error) {
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	after, err := readTimeMark(r.URL.Query().Get("after"))
	if err != nil {
		return out, err
	}
	rows, at, err := s.dueList(r.Context(), r.PathValue("list"), after, limit+1)
	return listOf(r, rows, limit, func(d *store.DueRow) apiDue {
		return apiDue{int64(d.Page), d.URL, d.Host, timeOrNil(d.NextDueAt), d.Running, timeOrNil(d.DeferredAt), timeOrNil(d.FailingSince), timeOrNil(d.SetAsideAt), d.Reason}
	}, func(d *store.DueRow) string { return dueMark(d, at) }), err
}

// apiHost is the queue of a host.
type apiHost struct {
	Host        string    `json:"host"`
	Due         int64     `json:"due"`
	Late        int64     `json:"late"`
	Claimed     int64     `json:"claimed"`
	OldestDueAt time.Time `json:"oldest_due_at"`
}

func apiScheduleHosts(s *Server, r *http.Request) (out apiList[apiHost], err error) {
	now := s.now().UTC()
	rows, err := s.db.HostQueues(r.Context(), now, now.Add(-lateGrace), hostsMost)
	return listOf(r, rows, len(rows), func(h *store.HostQueue) apiHost {
		return apiHost{h.Host, h.Due, h.Late, h.Running, h.OldestAt.UTC()}
	}, nil), err
}

type apiOneSeries struct {
	Name    string     `json:"name"`
	AddedAt time.Time  `json:"added_at"`
	Paused  *time.Time `json:"paused_at"`
}

func apiSeries(s *Server, r *http.Request) (out apiList[apiOneSeries], err error) {
	rows, err := s.db.AllSeries(r.Context())
	return listOf(r, rows, len(rows), func(x *store.Series) apiOneSeries {
		return apiOneSeries{x.Name, x.AddedAt.UTC(), timeOrNil(x.PausedAt)}
	}, nil), err
}

type apiSnapshot struct {
	Number       int        `json:"number"`
	Status       string     `json:"status"`
	Origin       string     `json:"origin"`
	StartedAt    time.Time  `json:"started_at"`
	FinishedAt   *time.Time `json:"finished_at"`
	Pages        int64      `json:"pages"`
	Links        int64      `json:"links"`
	L2           int64      `json:"l2"`
	OldOther     int64      `json:"old_other"`
	Unidentified int64      `json:"unidentified"`
	Delta        float64    `json:"delta"`
	ComputedAt   *time.Time `json:"computed_at"`
}

func apiSnapshots(s *Server, r *http.Request) (out apiList[apiSnapshot], err error) {
	series, err := s.seriesNamed(r)
	if err != nil {
		return out, err
	}
	rows, err := s.db.Snapshots(r.Context(), series.ID)
	return listOf(r, rows, len(rows), func(x *store.SeriesSnapshot) apiSnapshot {
		return apiSnapshot{
			x.Number, string(x.Status), x.Origin, x.StartedAt.UTC(), timeOrNil(x.FinishedAt), x.Pages, x.Links, x.L2, x.OldOther, x.Unidentified, x.Delta, timeOrNil(x.ComputedAt),
		}
	}, nil), err
}

type apiSnapshotPage struct {
	Page      int64     `json:"page"`
	URL       string    `json:"url"`
	CrawledAt time.Time `json:"crawled_at"`
	Class     string    `json:"class"`
	Novelty   *float64  `json:"novelty"`
	InLinks   int       `json:"in_links"`
	Status    int       `json:"status"`
}

func apiSnapshotPages(s *Server, r *http.Request) (out apiList[apiSnapshotPage], err error) {
	series, err := s.seriesNamed(r)
	if err != nil {
		return out, err
	}
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return out, notFound("Snapshots of a series are counted from 1.")
	}
	snapshots, err := s.db.Snapshots(r.Context(), series.ID)
	if err != nil {
		return out, err
	}
	limit, err := limitOf(r)
	if err != nil {
		return out, err
	}
	after, err := numberAfter(r, 0)
	if err != nil {
		return out, err
	}
	for _, x := range snapshots {
		if x.Number != number {
			continue
		}
		rows, err := s.db.ListSnapshot(r.Context(), x.ID, store.PageID(after), limit+1)
		return listOf(r, rows, limit, func(p *store.SnapshotRow) apiSnapshotPage {
			return apiSnapshotPage{int64(p.Page), p.URL, p.At.UTC(), p.Class, p.Novelty, p.InLinks, p.Status}
		}, func(p *store.SnapshotRow) string { return strconv.FormatInt(int64(p.Page), 10) }), err
	}
	return out, notFound("The series has no such snapshot.")
}
