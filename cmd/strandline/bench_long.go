package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/simweb"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/store"
)

// longHistories are the versions of the pages that were watched for long: the first
// changed at each hour of a year.
func longHistories() []int { return []int{8760, 4000, 2000, 2000, 1000, 1000} }

// fillYear imports pages that changed at each hour until now, each on a host of its
// own, for so many hours as longHistories says, and measures them.
func (d *benchDatabase) fillYear(ctx context.Context) error {
	end := time.Now().UTC().Truncate(time.Hour)
	histories := longHistories()
	now := end
	world, err := simweb.New(func() time.Time { return now }, simweb.Options{
		Seed: 3, Hosts: 4 * len(histories), PagesPerHost: 60, Size: 12 << 10, Epoch: end.AddDate(-1, 0, 0), Rates: simweb.Rates{Minutes: 1}, Births: -1, Deaths: -1,
		PlainRobots: true, EnglishOnly: true,
	})
	if err != nil {
		return err
	}
	file := filepath.Join(d.dir, "year.warc.gz")
	defer os.Remove(file)
	if err := writeYear(ctx, file, world, &now, histories); err != nil {
		return fmt.Errorf("long histories: %w", err)
	}
	if _, err := archive.Import(ctx, d.DB, d.reader, []string{file}, archive.ImportOptions{}); err != nil {
		return err
	}
	_, err = monitor.New(d.DB, monitor.Options{}).Drain(ctx)
	return err
}

// writeYear writes the captures, those of a page after those of another, and turns the
// world's clock for it.
func writeYear(ctx context.Context, file string, world *simweb.World, now *time.Time, histories []int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := warc.NewWriter(f, warc.WriterOptions{Reproducible: true})
	if err != nil {
		return err
	}
	end := *now
	s := sampler{client: &http.Client{Transport: world.Transport()}, out: out, last: map[string]payloadRef{}}
	hosts := map[string]bool{}
	for p := range world.Pages(end, end.Add(time.Second)) {
		if len(histories) == 0 {
			break
		}
		if hosts[p.Host] || p.Redirect != "" || p.Private || p.Rate != simweb.Minutes {
			continue
		}
		hosts[p.Host] = true
		for hour := range histories[0] {
			*now = end.Add(time.Duration(hour+1-histories[0]) * time.Hour)
			if err := s.capture(ctx, p.URL, *now); err != nil {
				return fmt.Errorf("%s: %w", p.URL, err)
			}
		}
		histories = histories[1:]
	}
	if len(histories) > 0 {
		return fmt.Errorf("the simulated web has no %d pages more that change within the hour", len(histories))
	}
	return f.Close()
}

// longAddresses are those of the pages with long histories: of the longest, and of one of
// the others after the other.
func longAddresses(ctx context.Context, db *store.DB) ([]addressKind, error) {
	rows, err := db.Pool().Query(ctx, `select s.page_id, p.url, s.version from core.page_state s join core.page p using (bucket, page_id)
		where s.version >= 1000 order by s.version desc, s.page_id`)
	if err != nil {
		return nil, err
	}
	type history struct {
		Page    int64
		URL     string
		Version int32
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[history])
	if err != nil || len(all) < 2 {
		return nil, err // the database was made without
	}
	var out []addressKind
	for _, group := range []struct {
		name string
		of   []history
	}{{fmt.Sprintf("of %d versions", all[0].Version), all[:1]}, {"of 1000 to 4000 versions", all[1:]}} {
		turn := 0
		add := func(base, suffix string, address func(h history) string) {
			out = append(out, addressKind{base + suffix + " " + group.name, func() string {
				turn++
				return address(group.of[turn%len(group.of)])
			}})
		}
		for _, base := range []string{"/pages/", "/api/v1/pages/"} {
			suffixes := []string{
				"", "?before=500", "?order=dice", "?order=-bytes&after=8000_100", "/curve", "/curve.svg", "/changes", "/changes.csv", "/lifespans", "/lifespans.svg", "/lifespans.csv", "/calendar.svg",
				"/calendar.csv", "/staying-power", "/blocks", "/blocks.svg", "/diff", "/diff?a=1&b=LAST", "/diff?a=1&b=LAST&by=sentences&view=side", "/diff?a=1&b=LAST&by=links", "/versions/1", "/versions/MIDDLE",
			}
			if base != "/pages/" {
				suffixes = []string{
					"", "/versions", "/versions?limit=1000", "/versions/MIDDLE", "/diff?a=1&b=LAST", "/diff?a=1&b=LAST&by=sentences", "/changes?limit=1000", "/curve", "/terms", "/elements", "/blocks", "/fetches?limit=1000",
				}
			}
			for _, suffix := range suffixes {
				add(base+"..", suffix, func(h history) string {
					words := strings.NewReplacer("LAST", strconv.Itoa(int(h.Version)), "MIDDLE", strconv.Itoa(int(h.Version)/2))
					return fmt.Sprintf("%s%d%s", base, h.Page, words.Replace(suffix))
				})
			}
		}
		add("/cdx?url=..", "", func(h history) string { return "/cdx?url=" + url.QueryEscape(h.URL) })
		add("/cdx?url=..", "&limit=100", func(h history) string { return "/cdx?limit=100&url=" + url.QueryEscape(h.URL) })
		add("/timegate/..", "", func(h history) string { return "/timegate/" + h.URL })
		add("/timemap/link/..", "", func(h history) string { return "/timemap/link/" + h.URL })
		add("/timemap/json/..", "", func(h history) string { return "/timemap/json/" + h.URL })
		add("/web/..id_/..", "", func(h history) string {
			at := time.Now().UTC().Truncate(time.Hour).Add(-time.Duration(1+turn*37%int(h.Version-1)) * time.Hour)
			return "/web/" + memento.Stamp(at) + "id_/" + h.URL
		})
	}
	return out, nil
}
