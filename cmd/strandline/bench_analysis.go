package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/curve"
	"github.com/strandlinehq/strandline/monitor/dice"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/monitor/terms"
	"github.com/strandlinehq/strandline/store"
)

// benchAnalysisCmd measures what the measures of how a page changes cost for each
// version of a page with a long history.
type benchAnalysisCmd struct {
	Versions int    `help:"How many versions the page has." default:"840"`
	Size     int    `help:"Bytes of a version." default:"48000"`
	Pages    int    `help:"How many such pages there are; their versions come together, one of each." default:"8"`
	Live     int    `help:"How many of the last versions come one at a time, and are measured." default:"40"`
	Profile  string `help:"Write a processor profile of these to this file." placeholder:"FILE"`
}

// analysisFigures is what the command prints. All times are processor time.
type analysisFigures struct {
	Versions  int           `json:"versions"`
	MeanBytes int           `json:"mean_bytes"`
	Words     int           `json:"distinct_words_of_the_last_version"`
	Measured  int           `json:"versions_measured"`
	Total     float64       `json:"all_measures_cpu_ms"` // in the program, with reading and writing the database
	Database  *float64      `json:"postgresql_cpu_ms"`   // of the server's processes meanwhile; null where they cannot be told
	Model     float64       `json:"language_model_cpu_ms"`
	Parts     analysisParts `json:"parts_cpu_ms"`
	Stored    int           `json:"stored_analysis_bytes"`
	Lifespans float64       `json:"term_lifespans_cpu_ms"` // of the whole history, from the state
	Scratch   float64       `json:"baseline_from_scratch_cpu_ms"`
}

// analysisParts has the parts of a version's cost, without the database.
type analysisParts struct {
	Decode   float64 `json:"decode_two_records"`
	Count    float64 `json:"count_words"`
	Dice     float64 `json:"dice"`
	Curve    float64 `json:"curve"`
	Terms    float64 `json:"terms"`
	Elements float64 `json:"elements"`
}

// Run prints the figures as one JSON document.
func (c *benchAnalysisCmd) Run(ctx context.Context, a *app) error {
	if c.Versions < 2 || c.Versions > 20_000 || c.Live < 1 || c.Live >= c.Versions || c.Pages < 1 || c.Pages > 1000 || c.Size < 1000 || c.Size > 4<<20 {
		return usagef("want 2 to 20000 versions of 1000 to 4194304 bytes, some of which come one at a time")
	}
	url, bodies, err := hourlyPage(ctx, c.Versions, c.Size)
	if err != nil {
		return err
	}
	out := analysisFigures{Versions: c.Versions, MeanBytes: meanBytes(bodies), Measured: c.Live * c.Pages}
	records := make([][]byte, len(bodies))
	captures := make([][]*store.Capture, len(bodies))
	for i, b := range bodies {
		for k := range c.Pages {
			captures[i] = append(captures[i], hourlyCapture(fmt.Sprintf("http://host-%d.bench.test/", k), i, b))
		}
		records[i] = captures[i][0].Extract(b).Record
	}
	if err := c.parts(&out, url, records); err != nil {
		return err
	}
	if err := c.whole(ctx, a, &out, captures); err != nil {
		return err
	}
	return a.printJSON(out)
}

// hourlyCapture is a fetch in the given hour.
func hourlyCapture(url string, hour int, payload []byte) *store.Capture {
	at := time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC)
	return &store.Capture{
		URL: url, Kind: store.KindImport, StartedAt: at, FinishedAt: at, Status: http.StatusOK, MediaType: "text/html",
		Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Payload: payload,
		Extract: func(payload []byte) store.Extract {
			var x extract.Extractor
			p := x.Extract(extract.Input{Body: payload, ContentType: "text/html; charset=utf-8", URL: url})
			return store.Extract{Record: p.AppendRecord(nil), TextHash: p.TextHash(), WordsHash: p.WordsHash(), Rules: 1}
		},
	}
}

// parts measures each measure by itself, as it is continued from its stored state.
// The states are stored and read back for each of the last versions only.
func (c *benchAnalysisCmd) parts(out *analysisFigures, url string, records [][]byte) error {
	line, words, elements := curve.NewAccumulator(url, curve.Options{}), terms.NewState(0), dom.NewState(0)
	var counter extract.Counter
	var builder dice.Builder
	var before dice.WordSet
	var decode, count, compare, onCurve, onTerms, onElements time.Duration
	for i, record := range records {
		live := i >= len(records)-c.Live
		var page *extract.Page
		var set dice.WordSet
		steps := []struct {
			sum  *time.Duration
			work func() error
		}{
			{&decode, func() (err error) {
				page, err = extract.DecodeRecord(record)
				return err
			}},
			{&decode, func() (err error) {
				_, err = extract.DecodeRecord(records[max(0, i-1)])
				return err
			}},
			{&count, func() error {
				counter.Reset()
				counter.Add(page.Text())
				counter.Each(func(_ []byte, hash uint64, _ int) { builder.AddHash(hash) })
				set = builder.Set()
				return nil
			}},
			{&compare, func() error {
				before.Changes(set)
				return nil
			}},
			{&onCurve, func() error {
				if !live {
					return line.Add(i, set)
				}
				state, err := line.MarshalBinary()
				if err != nil {
					return err
				}
				sets := line.MarshalSets(1 << 20)
				if err := line.UnmarshalBinary(state); err != nil {
					return err
				}
				if err := line.UnmarshalSets(sets); err != nil {
					return err
				}
				return line.Add(i, set)
			}},
			{&onTerms, func() error {
				if live {
					if err := again(words); err != nil {
						return err
					}
				}
				return words.Add(i, counter.Each)
			}},
			{&onElements, func() error {
				if live {
					if err := again(elements); err != nil {
						return err
					}
				}
				return elements.Add(i, page.Nodes)
			}},
		}
		for _, s := range steps {
			start := processorTime()
			if err := s.work(); err != nil {
				return err
			}
			d := processorTime() - start
			out.Scratch += millis(d, 1)
			if live {
				*s.sum += d
			}
		}
		before = set
		out.Words = len(set)
	}
	out.Parts = analysisParts{
		Decode: millis(decode, c.Live), Count: millis(count, c.Live), Dice: millis(compare, c.Live),
		Curve: millis(onCurve, c.Live), Terms: millis(onTerms, c.Live), Elements: millis(onElements, c.Live),
	}
	const times = 5
	start := processorTime()
	for range times {
		words.Rows()
	}
	out.Lifespans = millis(processorTime()-start, times)
	return nil
}

// state is what is stored of a measure.
type state interface {
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

// again stores a state and reads it back.
func again(s state) error {
	b, err := s.MarshalBinary()
	if err != nil {
		return err
	}
	return s.UnmarshalBinary(b)
}

// serverTime returns a function that tells the processor time which PostgreSQL's processes have had so far, if
// they are of this machine.
func serverTime(ctx context.Context, o *opened) (func() (time.Duration, bool), error) {
	var backend int
	if err := o.Pool().QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	processes := bench.Processes()
	postgres, err := processes.Parent(backend)
	return func() (time.Duration, bool) {
		if err != nil || postgres <= 1 {
			return 0, false
		}
		d, err := processes.Family(postgres)
		return d, err == nil
	}, nil
}

// whole measures the runner: the last versions come one at a time.
func (c *benchAnalysisCmd) whole(ctx context.Context, a *app, out *analysisFigures, captures [][]*store.Capture) error {
	o, err := a.benchDatabase(ctx, "")
	if err != nil {
		return err
	}
	defer o.Close()
	m := monitor.New(o.DB, monitor.Options{Workers: 1})
	first := len(captures) - c.Live
	for from := 0; from < first; from += 32 {
		if _, err := o.Write(ctx, slices.Concat(captures[from:min(from+32, first)]...)); err != nil {
			return err
		}
	}
	if _, err := m.Drain(ctx); err != nil {
		return err
	}
	endProfile, err := startProfile(c.Profile)
	if err != nil {
		return err
	}
	server, err := serverTime(ctx, o.opened)
	if err != nil {
		return err
	}
	var total, database time.Duration
	known := true
	for i := range c.Live {
		if _, err = o.Write(ctx, captures[first+i]); err != nil {
			break
		}
		served, before := server()
		start := processorTime()
		if _, err = m.DrainVersions(ctx); err != nil {
			break
		}
		if _, err = m.ShowStale(ctx); err != nil { // as a daemon does on the side
			break
		}
		total += processorTime() - start
		after, later := server()
		database, known = database+after-served, known && before && later
	}
	if err = errors.Join(err, endProfile()); err != nil {
		return err
	}
	start := processorTime()
	if err := m.Collect(ctx); err != nil {
		return err
	}
	n := c.Live * c.Pages
	out.Total, out.Model = millis(total, n), millis(processorTime()-start, n)
	if known {
		ms := millis(database, n)
		out.Database = &ms
	}
	page, err := o.PageByURL(ctx, captures[0][0].URL)
	if err != nil {
		return err
	}
	s, err := o.Analysis(ctx, page.ID)
	if err != nil {
		return err
	}
	out.Stored = len(s.Curve) + len(s.Sets) + len(s.Terms) + len(s.Elements)
	return nil
}
