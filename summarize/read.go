package summarize

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/neardup"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/figures"
	"github.com/strandlinehq/strandline/summarize/novel"
	"github.com/strandlinehq/strandline/summarize/passage"
	"github.com/strandlinehq/strandline/summarize/popular"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

// reading is what the versions of a page in a period hold.
type reading struct {
	store.Place
	member  store.TopicPage
	fetches store.PeriodFetches
	first   bool // it is read for the first time in its topic
	born    bool // and it was published in the period: all of it is new

	from, to store.PeriodVersion // the version before, or the first; the last one
	language string              // of the last version
	sketch   neardup.Sketch      // of its text
	known    []sentence          // of the first of these versions
	last     []sentence          // of the last one
	fresh    []sentence          // new ones (SCIENCE J7)
	changed  []figures.Change
	damaged  int // versions that could not be read
}

// sentence is a sentence of a page with the version that first had it.
type sentence struct {
	novel.Sentence
	version int32
}

// seen reports whether a version of the page could be read.
func (p *reading) seen() bool { return p.to.Version > 0 }

// versionsAtOnce bounds the records that are in memory at a time.
const versionsAtOnce = 32

// read reads the pages of a collection in a period.
func (r *Runner) read(ctx context.Context, lang string, set Settings, pages []store.TopicPage, past map[store.PageID][]store.PastScore, from, to time.Time) ([]*reading, error) {
	ids := make([]store.PageID, len(pages))
	for i, p := range pages {
		ids[i] = p.Page
	}
	places, err := r.db.Places(ctx, ids)
	if err != nil {
		return nil, err
	}
	fetches, err := r.db.PeriodFetches(ctx, ids, from, to)
	if err != nil {
		return nil, err
	}
	versions := map[store.PageID][]store.PeriodVersion{}
	for part := range slices.Chunk(ids, 200) {
		list, err := r.db.PeriodVersions(ctx, part, from, to)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			versions[v.Page] = append(versions[v.Page], v)
		}
	}
	out := make([]*reading, 0, len(pages))
	for _, p := range pages {
		rd := &reading{Place: places[p.Page], member: p, fetches: fetches[p.Page], first: true}
		for _, s := range past[p.Page] {
			rd.first = rd.first && !s.Seen
		}
		if rd.fetches.Good > 0 && len(versions[p.Page]) > 0 {
			if err := r.readPage(ctx, rd, lang, set, versions[p.Page], from); err != nil {
				return nil, fmt.Errorf("read %s: %w", rd.URL, err)
			}
		}
		out = append(out, rd)
	}
	return out, nil
}

// readPage reads the versions of a page: the one before the period, or the first of
// all, is what it said; what later ones say that none before did is new.
func (r *Runner) readPage(ctx context.Context, rd *reading, lang string, set Settings, versions []store.PeriodVersion, from time.Time) error {
	base := 0
	for i, v := range versions {
		if v.FirstSeen.Before(from) {
			base = i
		}
	}
	list := versions[base : base+1 : base+1]
	for _, v := range versions[base+1:] {
		if v.Changed {
			list = append(list, v)
		}
	}
	var before []figures.Figure
	seen, read := map[uint64]bool{}, 0
	var said []string // what the version before said, for SCIENCE J7's fuzzy comparison
	gather := gathering{byForm: map[string][]int{}, all: set.Plain}
	for part := range slices.Chunk(list, versionsAtOnce) {
		keys := make([]store.ContentKey, len(part))
		for i, v := range part {
			keys[i] = v.Record
		}
		records, err := r.db.GoodRecords(ctx, keys)
		if err != nil {
			return err
		}
		for i, v := range part {
			p, err := extract.DecodeRecord(records[keys[i]])
			if err != nil {
				rd.damaged++
				continue
			}
			now := sentencesOf(rd, p, lang, set, v)
			if read == 0 {
				rd.from, rd.known, before = v, now, figures.Of(p)
			}
			here := make(map[uint64]bool, len(now))
			for _, s := range now {
				here[s.Normal] = true
			}
			fresh, texts := unlike(said, now, set.Fuzzy)
			for i, s := range now {
				if read > 0 && !seen[s.Normal] && fresh(i) {
					gather.add(s, here)
				}
				seen[s.Normal] = true
			}
			said = texts
			read++
			rd.to, rd.last, rd.language = v, now, languageOf(p, v)
			if v.Version == list[len(list)-1].Version {
				rd.sketch = neardup.Of(p.Text())
				if read > 1 {
					rd.changed = figures.Changed(before, figures.Of(p))
				}
			}
		}
	}
	rd.fresh = gather.left()
	return nil
}

// unlike tells of the sentences of a version which have words unlike all that it said
// before (SCIENCE J7), and gives their texts. Without a threshold all have.
func unlike(before []string, now []sentence, threshold float64) (fresh func(i int) bool, texts []string) {
	if threshold <= 0 {
		return func(int) bool { return true }, nil
	}
	texts = make([]string, len(now))
	for i, s := range now {
		texts[i] = s.Text
	}
	left := map[string]bool{}
	for _, s := range popular.New(before, texts, threshold) {
		left[s] = true
	}
	return func(i int) bool { return left[texts[i]] }, texts
}

// gathering collects the new sentences of a page, version by version.
type gathering struct {
	fresh   []sentence
	dropped []bool
	all     bool             // earlier states stay too
	byForm  map[string][]int // places in fresh, by the sentence without its figures
}

// add takes in a new sentence of a version that has the sentences now. One that had other figures and
// is gone from this version was an earlier state of it ("47 cases", "49 cases"): the last one of the period
// stands for all.
func (g *gathering) add(s sentence, now map[uint64]bool) {
	form := withoutFigures(s.Text)
	if form != s.Text && !g.all {
		for _, i := range g.byForm[form] {
			if old := &g.fresh[i]; !g.dropped[i] && old.version != s.version && !now[old.Normal] {
				g.dropped[i] = true
				break
			}
		}
	}
	g.byForm[form] = append(g.byForm[form], len(g.fresh))
	g.fresh, g.dropped = append(g.fresh, s), append(g.dropped, false)
}

// left are the sentences that stand at the end.
func (g *gathering) left() []sentence {
	var out []sentence
	for i, s := range g.fresh {
		if !g.dropped[i] {
			out = append(out, s)
		}
	}
	return out
}

func withoutFigures(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c == ',' || c == '.' {
			return -1
		}
		return c
	}, s)
}

// languageOf is the language of a version where it is sure of it.
func languageOf(p *extract.Page, v store.PeriodVersion) string {
	if p.Has(extract.Reliable) {
		return text.Base(p.Detected)
	}
	return ""
}

// sentencesOf cuts a version into its sentences of prose, or all if they are taken plainly.
func sentencesOf(rd *reading, p *extract.Page, lang string, set Settings, v store.PeriodVersion) []sentence {
	if lang == "" {
		lang = text.Base(p.Detected)
	}
	var out []sentence
	find := passage.Of
	if set.Plain {
		find = passage.Plain
	}
	for _, s := range find(p, lang, set.Context) {
		x := sentence{novel.Sentence{
			Page: int64(rd.Page), Host: rd.Host, Site: rd.Site, Text: s.Text, Before: s.Before, After: s.After, At: v.FirstSeen,
		}, v.Version}
		x.Read(lang)
		if x.Normal != 0 {
			out = append(out, x)
		}
	}
	return out
}

// retracted lists the sentences that a page took back (SCIENCE 3.3). Where much of
// a page went it was laid out anew, and took nothing back.
func (p *reading) retracted() []sentence {
	old := make([]repeat.Sentence, len(p.known))
	for i, s := range p.known {
		old[i] = repeat.Sentence{Normal: s.Normal, Terms: s.Terms}
	}
	now := make([]repeat.Sentence, len(p.last))
	for i, s := range p.last {
		now[i] = repeat.Sentence{Normal: s.Normal, Terms: s.Terms}
	}
	list := repeat.Retracted(old, now)
	if 5*len(list) > len(old) {
		return nil
	}
	var out []sentence
	for _, i := range list {
		s := p.known[i]
		if s.Before == "" || s.After == "" {
			continue // an item of a list that scrolls has no text of its own around it
		}
		s.version = p.from.Version
		out = append(out, s)
	}
	return out
}
