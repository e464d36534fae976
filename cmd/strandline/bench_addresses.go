package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/bench"
	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/store"
)

// addressKind is a kind of address that the benchmark asks for.
type addressKind struct {
	name string
	make func() string
}

// addresses lists the kinds of addresses that the program answers at.
func (c *benchPagesCmd) addresses(ctx context.Context, db *store.DB) ([]addressKind, error) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []store.PageRow
	for _, f := range []store.PageFilter{{Limit: 500}, {Limit: 500, Order: store.ByEvery}, {Limit: 500, Order: store.ByKnot}} {
		some, err := db.ListPages(ctx, f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	rows = slices.DeleteFunc(rows, func(r store.PageRow) bool { return r.Version < 3 })
	if len(rows) == 0 {
		return nil, fmt.Errorf("no page has versions")
	}
	one := func() *store.PageRow { return &rows[random.IntN(len(rows))] }
	var out []addressKind
	add := func(addresses ...string) {
		for _, a := range addresses {
			out = append(out, addressKind{a, func() string { return a }})
		}
	}
	below := func(base string, suffixes ...string) {
		for _, suffix := range suffixes {
			out = append(out, addressKind{base + ".." + suffix, func() string { return fmt.Sprintf("%s%d%s", base, one().Page, suffix) }})
		}
	}
	of := func(name string, address func(*store.PageRow) string) {
		out = append(out, addressKind{name, func() string { return address(one()) }})
	}
	add("/", "/pages", "/pages?sort=changed&dir=reverse", "/pages?sort=every", "/pages?sort=knot")
	out = append(out, addressKind{"/pages?after=.. (far down)", func() string { return fmt.Sprintf("/pages?after=%d_1", time.Now().AddDate(0, 0, -30).UnixMicro()) }})
	of("/pages?host=..", func(r *store.PageRow) string { return "/pages?host=" + r.Host })
	add("/pages?watch=bench&sort=every", "/pages?category=News", "/pages?state=failing", "/pages?state=late", "/pages?q=election", "/pages?q=nothing-has-this&sort=knot")
	below("/pages/", "", "/lifespans.svg", "/calendar.csv", "/blocks", "/diff", "/diff?by=sentences&view=side", "/diff?by=links", "/versions/2")
	add("/schedule", "/schedule?list=failing")
	if err := searchAddresses(ctx, db, add); err != nil {
		return nil, err
	}
	periods, err := topicPeriods(ctx, db)
	if err != nil {
		return nil, err
	}
	topic := "/topics/" + benchTopic
	add("/topics", topic, topic+"/"+periods[len(periods)/2], topic+"?mode=paper")
	series := "/snapshots/" + benchSeries
	add("/snapshots", series, series+"/convergence.svg", series+"/sizes.csv", "/feeds/all.atom", "/feeds/watch/bench.atom", "/feeds/topic/"+benchTopic+".atom")
	for _, a := range []string{
		"/pages", "/pages?limit=1000", "/changes", "/changes?limit=1000", "/changes?watch=bench&significance=0.2", "/watches", "/schedule", "/series",
		"/series/" + benchSeries + "/snapshots", "/series/" + benchSeries + "/snapshots/24/pages?limit=1000",
		"/topics", "/topics/" + benchTopic, "/topics/" + benchTopic + "/pages", "/topics/" + benchTopic + "/periods", "/topics/" + benchTopic + "/periods/" + periods[0],
		"/topics/" + benchTopic + "/periods/" + periods[0] + "/terms", "/topics/" + benchTopic + "/periods/" + periods[0] + "/sentences", "/openapi.json",
	} {
		add("/api/v1" + a)
	}
	below("/api/v1/pages/", "", "/versions", "/versions/2", "/diff", "/diff?by=sentences", "/changes", "/curve", "/terms", "/elements", "/blocks", "/fetches")
	of("/cdx?url=..", func(r *store.PageRow) string { return "/cdx?url=" + url.QueryEscape(r.URL) })
	of("/cdx?url=..&matchType=host", func(r *store.PageRow) string {
		return "/cdx?matchType=host&url=" + url.QueryEscape("http://"+r.Host+"/")
	})
	of("/cdx?url=..*&limit=100", func(r *store.PageRow) string {
		return "/cdx?limit=100&url=" + url.QueryEscape(r.URL[:strings.LastIndexByte(r.URL, '/')+1]+"*")
	})
	add("/cdx?url=*.bench.test&limit=100", "/cdx?url=*.bench.test&limit=10000&collapse=digest&output=json")
	of("/timegate/..", func(r *store.PageRow) string { return "/timegate/" + r.URL })
	of("/timemap/link/..", func(r *store.PageRow) string { return "/timemap/link/" + r.URL })
	of("/timemap/json/..", func(r *store.PageRow) string { return "/timemap/json/" + r.URL })
	out = append(out, addressKind{"/web/..id_/..", captureAddress(ctx, db, one)})
	long, err := longAddresses(ctx, db)
	return append(out, long...), err
}

// searchAddresses adds searches for words that many and few pages have, alone and
// together, in all versions and in the snapshots of a series.
func searchAddresses(ctx context.Context, db *store.DB, add func(...string)) error {
	w, err := benchWords(ctx, db)
	if err != nil {
		return err
	}
	q := func(base, text string, more ...string) string {
		v := url.Values{"q": {text}}
		for i := 0; i+1 < len(more); i += 2 {
			v.Set(more[i], more[i+1])
		}
		return base + "?" + v.Encode()
	}
	rare := fmt.Sprintf("copy%d", copyNumber) // what the pages of one host have
	day := time.Now().AddDate(0, 0, -20).Format(time.DateOnly)
	for _, text := range []string{
		w.common, w.usual, w.seldom, rare, w.common + " " + w.usual, w.common + " " + rare, w.usual + " OR " + w.seldom, `"` + w.common + " " + w.usual + `"`, w.usual + " -" + w.seldom, "nothinghasthisword",
	} {
		add(q("/search", text), q("/search", text, "sort", "rank"))
	}
	add(q("/search", w.common, "to", day), q("/search", w.usual, "from", day), q("/search", w.common, "after", fmt.Sprintf("%d_1", time.Now().AddDate(0, 0, -20).Unix())))
	for _, text := range []string{w.common, w.usual, rare, w.common + " " + rare} {
		add(q("/search", text, "series", benchSeries))
	}
	add(q("/search", w.usual, "series", benchSeries, "sort", "novelty", "by", "share"), q("/search.svg", w.usual, "series", benchSeries), q("/search.csv", w.common, "series", benchSeries))
	return nil
}

// topicPeriods returns the names of the topic's periods.
func topicPeriods(ctx context.Context, db *store.DB) ([]string, error) {
	t, err := db.TopicByName(ctx, benchTopic)
	if err != nil {
		return nil, err
	}
	list, err := db.TopicPeriods(ctx, t.ID, benchPeriods)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the topic has no period")
	}
	var out []string
	for _, p := range list {
		out = append(out, digest.Stamp(p.From))
	}
	return out, nil
}

// captureAddress makes the address of a page's last capture that has content: that of a page which was answered
// with an error answers with the same error.
func captureAddress(ctx context.Context, db *store.DB, one func() *store.PageRow) func() string {
	return func() string {
		r := one()
		list, err := db.MementosBefore(ctx, r.Page, store.MementoMark{At: time.Now().AddDate(1, 0, 0)}, 100)
		i := slices.IndexFunc(list, func(m store.Memento) bool { return m.Version != 0 })
		if err != nil || i < 0 {
			return "/web/1id_/" + r.URL // it answers with an error, which ends the benchmark
		}
		return "/web/" + memento.Stamp(list[i].At) + "id_/" + r.URL
	}
}

// ask asks for each kind of address and measures what comes.
func (c *benchPagesCmd) ask(ctx context.Context, db *store.DB, server http.Handler) ([]addressFigure, error) {
	kinds, err := c.addresses(ctx, db)
	if err != nil {
		return nil, err
	}
	var backend int
	if err := db.Pool().QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
		return nil, err
	}
	postgres, err := bench.Processes().Parent(backend)
	if err != nil {
		postgres = 0 // on another machine, or in another container
	}
	used := func() (own, db time.Duration) {
		if d, err := bench.Processes().Process(os.Getpid()); err == nil {
			own = d
		}
		if d, err := bench.Processes().Family(postgres); err == nil && postgres > 1 {
			db = d
		}
		return own, db
	}
	var out []addressFigure
	for _, k := range kinds {
		if !strings.Contains(k.name, c.Only) {
			continue
		}
		f := addressFigure{Address: k.name}
		times := make([]float64, c.Requests)
		ownBefore, dbBefore := used()
		for i := range times {
			address := k.make()
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+strings.ReplaceAll(address, " ", "%20"), http.NoBody)
			w := httptest.NewRecorder()
			start := time.Now()
			server.ServeHTTP(w, r)
			times[i] = float64(time.Since(start).Microseconds()) / 1000
			if w.Code == http.StatusServiceUnavailable {
				f.GivenUp++
				continue
			}
			if w.Code != http.StatusOK && w.Code != http.StatusFound {
				return nil, fmt.Errorf("GET %s: status %d: %.300s", address, w.Code, w.Body)
			}
			f.Largest = max(f.Largest, w.Body.Len())
		}
		own, db := used()
		f.Postgres = millis(db-dbBefore, c.Requests)
		f.CPU = f.Postgres + millis(own-ownBefore, c.Requests)
		slices.Sort(times)
		f.Median, f.P99 = times[len(times)/2], times[min(len(times)-1, len(times)*99/100)]
		out = append(out, f)
	}
	return out, nil
}
