package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize"
)

// benchTopicsCmd measures a period of a topic, and the growth of its collection.
type benchTopicsCmd struct {
	Pages     int    `help:"Pages of the collection." default:"200"`
	Sentences int    `help:"Sentences that the pages gain in the period; about three quarters of them count as new." default:"13600"`
	Known     int    `help:"Sentences that the pages had before." default:"25200"`
	Links     int    `help:"Other pages of the web with a set of links each; 0 leaves growth out." default:"1000000"`
	PerPage   int    `help:"Links of each of these." default:"10"`
	Dir       string `help:"Keep the database in this directory and use it again; default a temporary one." placeholder:"DIR"`
}

// topicFigures is what bench topics prints.
type topicFigures struct {
	Pages     int        `json:"pages"`
	Sentences int        `json:"new_sentences"`
	Known     int        `json:"known_sentences"`
	Period    topicSpent `json:"period"` // from the stored pages to the stored summary, without growth
	Peak      uint64     `json:"peak_rss_bytes"`
	LinkRows  int64      `json:"link_rows"`
	Links     int64      `json:"links"`
	WithGrow  topicSpent `json:"period_with_growth"`
	Growth    topicSpent `json:"growth"` // the difference of the two
	Added     int        `json:"added"`
}

// topicSpent is the time that something took by the clock, and of the processors: of the program, and of PostgreSQL.
type topicSpent struct {
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_seconds"`
	Database float64 `json:"database_cpu_seconds"`
}

// Run prints the figures as JSON. The program works on one processor.
func (c *benchTopicsCmd) Run(ctx context.Context, a *app) error {
	if c.Pages < 2 || c.Sentences < c.Pages || c.Known < c.Pages || c.Links < 0 || c.Links > 10_000_000 || c.PerPage < 1 || c.PerPage > 1000 {
		return usagef("want two pages or more, as many sentences at least, and up to 10,000,000 pages of 1 to 1000 links")
	}
	o, err := a.benchDatabase(ctx, c.Dir)
	if err != nil {
		return err
	}
	defer o.Close()
	var rows int64
	if err := o.Pool().QueryRow(ctx, `select count(*) from core.link_set`).Scan(&rows); err != nil {
		return err
	}
	seeds, err := c.fill(ctx, o, rows == 0)
	if err != nil {
		return fmt.Errorf("make the pages: %w", err)
	}
	debug.FreeOSMemory()
	topic, err := o.EnsureTopic(ctx, time.Now(), store.Topic{Name: "bench", Query: "river flood", Language: "en", Provider: "seeds", Rank: summarize.Novel})
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runner := summarize.New(o.DB, summarize.Options{Logger: a.log, Patience: -1})
	set := summarize.Settings{Provider: seeds, Track: c.Pages, Parents: 200, Add: 10}
	if topic, err = runner.Form(ctx, topic, set); err != nil {
		return err
	}
	out := topicFigures{Known: c.Known}
	run := func(top, day int, into *topicSpent) (p store.TopicPeriod, err error) {
		set.Top = top
		err = c.measure(ctx, o.opened, into, func() error {
			p, err = runner.Period(ctx, topic, set, benchTopicEpoch.AddDate(0, 0, day), benchTopicEpoch.AddDate(0, 0, day+1), false)
			return err
		})
		return p, err
	}
	var ignored topicSpent
	if _, err := run(0, 0, &ignored); err != nil { // its sentences are known from then on
		return err
	}
	p, err := run(0, 1, &out.Period)
	if err != nil {
		return err
	}
	out.Pages, out.Sentences, out.Peak = p.Pages, p.Sentences, peakMemory()
	if c.Links > 0 {
		if p, err = run(10, 1, &out.WithGrow); err != nil {
			return err
		}
		out.Added = p.Added
		out.Growth = topicSpent{out.WithGrow.Seconds - out.Period.Seconds, out.WithGrow.CPU - out.Period.CPU, out.WithGrow.Database - out.Period.Database}
		if err := o.Pool().QueryRow(ctx, `select count(*), sum(links) from core.link_set`).Scan(&out.LinkRows, &out.Links); err != nil {
			return err
		}
	}
	return a.printJSON(out)
}

func (c *benchTopicsCmd) measure(ctx context.Context, o *opened, into *topicSpent, work func() error) error {
	server, err := serverTime(ctx, o)
	if err != nil {
		return err
	}
	family := func() time.Duration {
		d, _ := server() // another account's processes cannot be read
		return d
	}
	start, cpu, database := time.Now(), processorTime(), family()
	err = work()
	*into = topicSpent{time.Since(start).Seconds(), (processorTime() - cpu).Seconds(), (family() - database).Seconds()}
	return err
}

var benchTopicEpoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// fill stores two versions of each page of the collection, and the web that links to them, and returns the URLs of the collection.
func (c *benchTopicsCmd) fill(ctx context.Context, o *benchDatabase, empty bool) (summarize.Seeds, error) {
	var seeds summarize.Seeds
	var file bytes.Buffer
	out, err := warc.NewWriter(&file, warc.WriterOptions{Reproducible: true, Plain: true})
	if err != nil {
		return nil, err
	}
	told := 0
	paragraphs := func(n int) string {
		var b strings.Builder
		for range n {
			// Each event is told three times, each time in other words.
			b.WriteString("<p>" + benchSentence(told%max((c.Sentences+c.Known)/3, 1), told) + "</p>\n")
			told++
		}
		return b.String()
	}
	bodies := make([]string, c.Pages)
	for day := range 2 {
		for i := range c.Pages {
			url := fmt.Sprintf("https://host%d.bench.example/page/%d", i/2, i)
			if day == 0 {
				seeds = append(seeds, url)
				bodies[i] = paragraphs(c.Known / c.Pages)
			} else {
				bodies[i] += paragraphs(c.Sentences / c.Pages)
			}
			body := "<html lang=en><title>River</title><h1>River " + fmt.Sprint(i) + "</h1>" + bodies[i]
			at := benchTopicEpoch.AddDate(0, 0, day).Add(time.Duration(i) * time.Second)
			if _, err := out.Response(url, at, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"), []byte(body), nil); err != nil {
				return nil, err
			}
		}
	}
	if !empty {
		return seeds, nil
	}
	name := filepath.Join(o.dir, "topic.warc")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(name)
	if _, err := archive.Import(ctx, o.DB, o.reader, []string{name}, archive.ImportOptions{}); err != nil {
		return nil, err
	}
	if err := c.fillLinks(ctx, o.DB); err != nil {
		return nil, err
	}
	return seeds, o.Analyze(ctx)
}

// benchSentence tells of an event in one of several ways.
func benchSentence(event, way int) string {
	pick := func(n int, words string) string {
		list := strings.Fields(words)
		return list[n%len(list)]
	}
	town := pick(event, "Kirk Lund Mar Oak Pell Quarr Red Stan Thorn Ulver Vex Wester Yarm Ash") + pick(event/14, "dale by wick ham worth field ford hope ton ley")
	number := 3 + event*7%5000
	what := pick(event/5, "homes schools farms shops roads bridges cellars barns")
	how := pick(event/3, "flooded closed damaged emptied cut buried lost searched")
	switch (way / 7) % 4 {
	case 0:
		return fmt.Sprintf("The river %s %d %s in the town of %s.", how, number, what, town)
	case 1:
		return fmt.Sprintf("In %s %d %s were %s by the water, officials said on %s.", town, number, what, how, pick(way, "Monday Tuesday Friday Sunday"))
	case 2:
		return fmt.Sprintf("After the %s rain %d %s of %s are %s.", pick(way, "heavy long sudden"), number, what, town, how)
	}
	return fmt.Sprintf("%d %s were %s in %s because of the %s flood.", number, what, how, town, pick(way, "latest great winter"))
}
