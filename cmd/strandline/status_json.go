package main

import (
	"time"

	"github.com/strandlinehq/strandline/store"
)

// What status --json prints of the database, in the words of the SQL views: times that are not
// known are null, spans are seconds.

type statusJSON struct {
	Now      time.Time    `json:"now"`
	Daemons  []daemonJSON `json:"daemons"`
	Claimed  int          `json:"claimed"` // pages that a daemon has taken and that are due
	Schedule []healthJSON `json:"schedule"`
	Stages   []stageJSON  `json:"stages"`
}

type daemonJSON struct {
	ID        int32     `json:"daemon_id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
	SeenAt    time.Time `json:"seen_at"`
	Until     time.Time `json:"until"`
	Speed     float64   `json:"speed"`
	Buckets   int       `json:"buckets"`
}

type healthJSON struct {
	Kind           string     `json:"kind"`
	Name           string     `json:"name"`
	Pages          int        `json:"pages"`
	Due            int        `json:"due"`
	Late           int        `json:"late"`
	Failing        int        `json:"failing"`
	SetAside       int        `json:"set_aside"`
	SetAsideReason string     `json:"set_aside_reason"`
	OldestDueAt    *time.Time `json:"oldest_due_at"`
	NextDueAt      *time.Time `json:"next_due_at"`
	LagP50         float64    `json:"lag_p50"`
	LagP99         float64    `json:"lag_p99"`
}

type stageJSON struct {
	Stage    string    `json:"stage"`
	Queued   int       `json:"queued"`
	OldestAt time.Time `json:"oldest_at"`
}

// statusOf translates what the store knows.
func statusOf(s store.Status) statusJSON {
	out := statusJSON{Now: s.Now, Claimed: s.Running, Daemons: []daemonJSON{}, Schedule: []healthJSON{}, Stages: []stageJSON{}}
	for _, d := range s.Daemons {
		out.Daemons = append(out.Daemons, daemonJSON(d))
	}
	for _, h := range s.Schedule {
		out.Schedule = append(out.Schedule, healthJSON{
			Kind: h.Kind, Name: h.Name, Pages: h.Pages, Due: h.Due, Late: h.Late, Failing: h.Failing, SetAside: h.SetAside, SetAsideReason: h.Reason,
			OldestDueAt: timeOrNull(h.OldestDueAt), NextDueAt: timeOrNull(h.NextDueAt), LagP50: round3(h.LagP50.Seconds()), LagP99: round3(h.LagP99.Seconds()),
		})
	}
	for _, l := range s.Stages {
		out.Stages = append(out.Stages, stageJSON(l))
	}
	return out
}

// timeOrNull is null in JSON for a time that is not known.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
