package summarize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/boilerplate"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// period is a period of a topic while it is computed.
type period struct {
	*Runner
	topic    store.Topic
	set      Settings
	from, to time.Time

	pages   []*reading // the collection, by page
	lang    string     // of the topic, or of most of its pages
	past    map[store.PageID][]store.PastScore
	history *history

	template map[voice]bool // what stands on many pages of a site
	forms    popular.Forms
	terms    map[store.PageID][]string // of the new sentences
	weights  map[string]popular.Weight
	run      store.TopicRun
}

// voice is a text of a site.
type voice struct {
	site   string
	normal uint64
}

// Period sums up one period of a topic and stores it; the same pages give the same
// period again. advance makes the time after it the start of the topic's next one.
// The collection grows and forgets at the end of the last period only, so that
// computing an older one anew changes no later one.
func (r *Runner) Period(ctx context.Context, t store.Topic, set Settings, from, to time.Time, advance bool) (store.TopicPeriod, error) {
	done, err := r.period(ctx, t, set.withDefaults(), from, to, advance)
	if err != nil {
		return done, fmt.Errorf("topic %s, period from %s: %w", t.Name, from.UTC().Format(time.RFC3339), err)
	}
	return done, nil
}

func (r *Runner) period(ctx context.Context, t store.Topic, set Settings, from, to time.Time, advance bool) (store.TopicPeriod, error) {
	if !from.Before(to) {
		return store.TopicPeriod{}, errors.New("it ends before it starts")
	}
	last, err := r.db.TopicPeriods(ctx, t.ID, 1)
	if err != nil {
		return store.TopicPeriod{}, err
	}
	newest := len(last) == 0 || !last[0].From.After(from)
	if newest {
		if err := r.db.ReopenTopic(ctx, t.ID, to); err != nil {
			return store.TopicPeriod{}, err
		}
	}
	p := &period{Runner: r, topic: t, set: set, from: from, to: to, lang: text.Base(t.Language)}
	p.run.TopicPeriod = store.TopicPeriod{From: from, To: to, ComputedAt: r.now().UTC(), Rank: t.Rank}
	if err := p.load(ctx); err != nil {
		return p.run.TopicPeriod, err
	}
	if err := p.compute(ctx, newest); err != nil {
		return p.run.TopicPeriod, err
	}
	var next *store.TopicState
	if advance {
		state := t.TopicState
		state.StartsAt = to
		next = &state
	}
	return p.run.TopicPeriod, r.db.PutTopicRun(ctx, t.ID, &p.run, next)
}

// belongs reports whether a page is of the collection in a period: it joined before
// its end and did not leave before that. What was found when the topic was formed
// counts for all of history.
func belongs(p *store.TopicPage, to time.Time) bool {
	formed := p.AddedBy == store.AddedAsBase || p.AddedBy == store.AddedAsSeed || p.AddedBy == store.AddedByLink
	return !p.AddedAt.IsZero() && (formed || p.AddedAt.Before(to)) && (p.LeftAt.IsZero() || !p.LeftAt.Before(to))
}

func (p *period) load(ctx context.Context) error {
	all, err := p.db.TopicPages(ctx, p.topic.ID)
	if err != nil {
		return err
	}
	var pages []store.TopicPage
	for _, m := range all {
		if belongs(&m, p.to) {
			pages = append(pages, m)
		}
	}
	slices.SortFunc(pages, func(a, b store.TopicPage) int { return cmp.Compare(a.Page, b.Page) })
	if p.past, err = p.db.PastScores(ctx, p.topic.ID, p.from); err != nil {
		return err
	}
	if p.history, err = p.readHistory(ctx, p.topic.ID, p.from); err != nil {
		return err
	}
	p.pages, err = p.read(ctx, p.lang, p.set, pages, p.past, p.from, p.to)
	return err
}

// compute fills in the run.
func (p *period) compute(ctx context.Context, newest bool) error {
	if err := p.findBorn(ctx); err != nil {
		return err
	}
	p.turnAway()
	p.findTemplates()
	p.count()
	if err := p.score(ctx); err != nil {
		return err
	}
	if err := p.trends(ctx); err != nil {
		return err
	}
	before, after := p.background()
	if _, err := p.history.add(before, number(p.from)); err != nil {
		return err
	}
	known := slices.Concat(before, after, p.summary())
	if len(known) > 0 {
		own := history{index: newIndex()}
		data, err := own.add(known, number(p.from))
		if err != nil {
			return err
		}
		p.run.History, p.run.HistorySentences = data, len(known)
	}
	if newest {
		if err := p.grow(ctx); err != nil {
			return err
		}
		p.forget()
	}
	p.note()
	return nil
}

// count gives the numbers of pages, and reads the terms of new sentences.
func (p *period) count() {
	run := &p.run.TopicPeriod
	p.terms = map[store.PageID][]string{}
	texts := map[string][]string{}
	hosts := map[string]bool{}
	run.Pages = len(p.pages)
	for _, rd := range p.pages {
		run.Fetches += int64(rd.fetches.Tried)
		run.Failed += int64(rd.fetches.Tried - rd.fetches.Good)
		if !rd.seen() {
			continue
		}
		run.Checked++
		if rd.first {
			run.FirstRead++
		}
		lang := p.languageOf(rd)
		var terms []string
		for _, s := range rd.fresh {
			terms = append(terms, p.forms.Terms(s.Text, lang)...)
		}
		if len(rd.fresh) > 0 {
			run.Changed++
			hosts[rd.Host] = true
		}
		if len(terms) > 0 {
			p.terms[rd.Page] = terms
			texts[key(rd.Page)] = terms
		}
	}
	run.HostsChanged = len(hosts)
	n := run.Checked
	if p.set.ChangedOnly {
		n = run.Changed
	}
	p.weights = popular.Weights(texts, n)
}

func (p *period) languageOf(rd *reading) string {
	if p.topic.Language != "" {
		return p.lang
	}
	return cmp.Or(rd.language, p.lang)
}

func key(id store.PageID) string { return strconv.FormatInt(int64(id), 10) }

// findTemplates finds what the pages of a site have in common, and drops it from their
// new sentences unless texts are taken plainly. It looks at the pages in full: what is new on one may be old on others.
func (p *period) findTemplates() {
	var all []boilerplate.Sentence
	languages := map[string]int{}
	for _, rd := range p.pages {
		for _, s := range rd.last {
			all = append(all, boilerplate.Sentence{Site: s.Site, Page: s.Page, Normal: s.Normal})
		}
		languages[rd.language]++
	}
	p.template = map[voice]bool{}
	for i, found := range boilerplate.Find(all, boilerplate.Options{}) {
		if found {
			p.template[voice{all[i].Site, all[i].Normal}] = true
		}
	}
	for _, rd := range p.pages {
		if p.set.Plain {
			break
		}
		n := len(rd.fresh)
		rd.fresh = slices.DeleteFunc(rd.fresh, func(s sentence) bool { return p.template[voice{s.Site, s.Normal}] })
		p.run.Boilerplate += n - len(rd.fresh)
	}
	if p.lang == "" {
		most := 0
		for l, n := range languages {
			if l != "" && (n > most || n == most && l < p.lang) {
				p.lang, most = l, n
			}
		}
	}
}

// score gives every page its S, its portion of linked pages, its D and its rank.
func (p *period) score(ctx context.Context) error {
	scores := map[string]float64{}
	for _, rd := range p.pages {
		scores[key(rd.Page)] = popular.Score(p.terms[rd.Page], p.weights)
	}
	links, err := p.siteLinks(ctx)
	if err != nil {
		return err
	}
	if err := p.addArticles(ctx, scores, links); err != nil {
		return err
	}
	with := popular.WithLinked(scores, links, p.set.Portion)
	for _, rd := range p.pages {
		terms := p.terms[rd.Page]
		s := store.TopicScore{
			Page: rd.Page, Fetches: rd.fetches.Good, Sentences: len(rd.fresh), Terms: len(terms), Score: scores[key(rd.Page)],
			Linked: with[key(rd.Page)] - scores[key(rd.Page)],
		}
		if rd.seen() {
			s.VersionFrom, s.VersionTo = rd.from.Version, rd.to.Version
		}
		for _, t := range terms {
			s.Weights += p.weights[t].W
		}
		series := make([]float64, 0, len(p.past[rd.Page])+1)
		for _, past := range p.past[rd.Page] {
			series = append(series, past.Score)
		}
		s.UpToDate = popular.Latest(append(series, s.Score+s.Linked))
		p.run.Scores = append(p.run.Scores, s)
	}
	slices.SortFunc(p.run.Scores, func(a, b store.TopicScore) int {
		return cmp.Or(cmp.Compare(b.UpToDate, a.UpToDate), cmp.Compare(a.Page, b.Page))
	})
	for i := range p.run.Scores {
		s := &p.run.Scores[i]
		s.Rank, s.Tracked = i+1, i < p.set.Track
		if s.Tracked {
			p.run.Tracked++
		}
	}
	return nil
}

// note says what a reader has to know of a period that has little to tell.
func (p *period) note() {
	run := &p.run.TopicPeriod
	switch {
	case run.Pages == 0:
		run.Note = "The collection has no pages: " + cmp.Or(p.topic.Note, "none was found yet") + "."
	case run.Fetches == 0:
		run.Note = "No page was fetched in this period."
	case run.Checked == 0:
		run.Note = "No page could be read: all " + strconv.FormatInt(run.Fetches, 10) + " attempts failed."
	case run.FirstRead == run.Checked && run.Changed == 0:
		run.Note = "All pages were read for the first time; what is new from now on will be told."
	case run.Changed == 0:
		run.Note = "Nothing new on " + strconv.Itoa(run.Checked) + " pages."
	}
}
