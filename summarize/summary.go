package summarize

import (
	"cmp"
	"context"
	"slices"

	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/feature"
	"github.com/strandlinehq/strandline/summarize/figures"
	"github.com/strandlinehq/strandline/summarize/novel"
	"github.com/strandlinehq/strandline/summarize/passage"
	"github.com/strandlinehq/strandline/summarize/popular"
	"github.com/strandlinehq/strandline/summarize/repeat"
	"github.com/strandlinehq/strandline/summarize/trend"
)

// Modes of a summary, and kinds of what it tells, as the views have them.
const (
	Novel = "novel"
	Paper = "paper"

	KindSentence  = "sentence"
	KindRow       = "row"
	KindRetracted = "retracted"
)

// Bounds of what a summary holds beside its sentences, and of the terms kept.
const (
	mostRows       = 8
	rowsOfPage     = 3
	mostRetracted  = 10
	mostTerms      = 2000
	mostTrendTerms = 500
)

func newIndex() *repeat.Index { return repeat.NewIndex(repeat.Options{}) }

// summary makes the summaries of both modes, and returns all new sentences of the
// period for the history.
func (p *period) summary() []novel.Sentence {
	tracked := map[store.PageID]bool{}
	for _, s := range p.run.Scores {
		tracked[s.Page] = s.Tracked
	}
	var all []novel.Sentence
	var list []sentence // of the tracked pages
	for _, rd := range p.pages {
		for _, s := range rd.fresh {
			all = append(all, s.Sentence)
			if tracked[rd.Page] {
				list = append(list, s)
			}
		}
	}
	p.run.TopicPeriod.Sentences = len(list)
	p.paper(list)
	p.novel(slices.DeleteFunc(slices.Clone(list), func(s sentence) bool { return p.set.Plain && !passage.Prose(s.Text, p.lang) }))
	p.rows(tracked)
	p.retracted(tracked)
	return all
}

// paper ranks as paper J does (SCIENCE J11).
func (p *period) paper(list []sentence) {
	in := make([]popular.Sentence, len(list))
	at := map[popularKey]int{}
	for i, s := range list {
		in[i] = popular.Sentence{Page: key(store.PageID(s.Page)), Text: s.Text, Before: s.Before, After: s.After, Terms: text.Terms(s.Text, p.lang)}
		if k := (popularKey{in[i].Page, s.Text}); at[k] == 0 {
			at[k] = i + 1
		}
	}
	words := 0
	for rank, r := range popular.Rank(in, p.weights) {
		if words += wordsIn(r.Text); rank == p.set.Sentences || rank > 0 && p.set.Words > 0 && words > p.set.Words {
			break
		}
		s := list[at[popularKey{r.Page, r.Text}]-1]
		m := p.history.index.Nearest(s.Terms, s.Normal)
		out := p.told(s, m)
		out.Mode, out.Rank, out.Place, out.Cluster, out.Weight, out.Pages = Paper, rank+1, rank+1, rank+1, r.Weight, len(r.Pages)
		hosts := map[string]bool{}
		for _, rd := range p.pages {
			if slices.Contains(r.Pages, key(rd.Page)) {
				hosts[rd.Host] = true
				out.SaidBy = append(out.SaidBy, rd.Page)
			}
		}
		out.Hosts = len(hosts)
		p.run.Sentences = append(p.run.Sentences, out)
	}
}

func wordsIn(s string) int {
	n := 0
	text.EachWord(s, func([]byte) { n++ })
	return n
}

type popularKey struct{ page, text string }

// told is a sentence as a summary has it.
func (p *period) told(s sentence, m repeat.Match) store.TopicSentence {
	out := store.TopicSentence{
		Kind: KindSentence, Sentence: s.Text, Before: s.Before, After: s.After, Page: store.PageID(s.Page), Version: s.version, At: s.At,
		Label: string(repeat.Judge(m)), Cosine: m.Cosine,
	}
	if out.Label != string(repeat.New) {
		out.Earlier = p.history.text(m.Key)
	}
	return out
}

// novel ranks by what is popular and new.
func (p *period) novel(list []sentence) {
	in := make([]novel.Sentence, len(list))
	for i, s := range list {
		in[i] = s.Sentence
	}
	sum := novel.Summarize(in, p.history.index, novel.Options{
		Sentences: p.set.Sentences, Words: p.set.Words, Query: alternativesOf(p.topic.Query), Language: p.lang,
		Boilerplate: func(site string, normal uint64) bool { return p.template[voice{site, normal}] },
		Focus:       p.focus(),
	})
	run := &p.run.TopicPeriod
	run.Boilerplate += sum.Boilerplate
	run.Copies, run.Repeats, run.Fresh = sum.Copies, sum.Repeats, sum.Fresh
	for place, it := range sum.Items {
		out := p.told(list[it.Sentence], it.Nearest)
		out.Mode, out.Rank, out.Place, out.Cluster, out.Weight, out.Pages, out.Hosts = Novel, it.Rank, place+1, it.Rank, it.Value, it.Pages, it.Hosts
		for _, m := range it.Members {
			if id := store.PageID(list[m].Page); !slices.Contains(out.SaidBy, id) {
				out.SaidBy = append(out.SaidBy, id)
			}
		}
		p.run.Sentences = append(p.run.Sentences, out)
	}
}

// titleFocus is how far a page is on the topic whose title names it.
const titleFocus = 0.75

// focus gives how far each page is on the topic: the share of its sentences that have
// a word of the query, all of it from a half on, and titleFocus at least if its title
// has one. The front page of a newspaper names the topic too, and is not on it.
func (p *period) focus() func(page int64) float64 {
	asked := map[uint64]bool{}
	for _, t := range feature.Of(wordsOf(p.topic.Query), p.lang) {
		asked[t.Hash] = true
	}
	names := func(v feature.Vector) bool {
		return slices.ContainsFunc(v, func(t feature.Term) bool { return asked[t.Hash] })
	}
	of := make(map[int64]float64, len(p.pages))
	for _, rd := range p.pages {
		n := 0
		for _, s := range rd.last {
			if names(s.Terms) {
				n++
			}
		}
		if len(rd.last) > 0 {
			of[int64(rd.Page)] = min(1, 2*float64(n)/float64(len(rd.last)))
		}
		if names(feature.Of(rd.Title, p.lang)) {
			of[int64(rd.Page)] = max(of[int64(rd.Page)], titleFocus)
		}
	}
	return func(page int64) float64 { return of[page] }
}

// rows adds figures of tables that changed.
func (p *period) rows(tracked map[store.PageID]bool) {
	asked := map[string]bool{}
	for _, t := range text.Terms(wordsOf(p.topic.Query), p.lang) {
		asked[t] = true
	}
	about := func(name string) bool {
		return slices.ContainsFunc(text.Terms(name, p.lang), func(t string) bool { return asked[t] })
	}
	type row struct {
		figures.Change
		of     *reading
		weight float64
	}
	var rows []row
	for _, rd := range p.pages {
		if !tracked[rd.Page] {
			continue
		}
		figures.Sort(rd.changed, about)
		taken := 0
		for _, c := range rd.changed {
			if w := figures.Weigh(c, about); w >= 1 && taken < rowsOfPage {
				taken++
				rows = append(rows, row{c, rd, w - float64(taken-1)/2}) // each page's first goes before the second of another
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.weight, a.weight) })
	for i, r := range rows[:min(len(rows), mostRows)] {
		out := store.TopicSentence{
			Kind: KindRow, Rank: i + 1, Place: i + 1, Sentence: r.Name() + ": " + r.Value, Weight: r.weight, Pages: 1, Hosts: 1, Page: r.of.Page,
			Version: r.of.to.Version, At: r.of.to.FirstSeen, Label: KindRow, Cluster: i + 1, Earlier: r.Before,
		}
		p.both(out)
	}
}

// both adds what stands in both modes.
func (p *period) both(s store.TopicSentence) {
	for _, mode := range []string{Novel, Paper} {
		s.Mode = mode
		p.run.Sentences = append(p.run.Sentences, s)
	}
}

// retracted adds sentences that pages took back.
func (p *period) retracted(tracked map[store.PageID]bool) {
	n := 0
	for _, rd := range p.pages {
		if !tracked[rd.Page] || !rd.seen() || rd.from.Version == rd.to.Version {
			continue
		}
		for _, s := range rd.retracted() {
			if p.template[voice{s.Site, s.Normal}] || n == mostRetracted {
				continue
			}
			n++
			p.both(store.TopicSentence{
				Kind: KindRetracted, Rank: n, Place: n, Sentence: s.Text, Before: s.Before, After: s.After, Pages: 1, Hosts: 1, Page: rd.Page,
				Version: s.version, At: s.At, Label: string(repeat.Withdrawn), Cluster: n,
			})
		}
	}
}

// trends gives the terms with their trends: counted in hosts, against the periods
// before (SCIENCE 2.7).
func (p *period) trends(ctx context.Context) error {
	hosts := map[string]map[string]bool{}
	for _, rd := range p.pages {
		for _, t := range p.terms[rd.Page] {
			if hosts[t] == nil {
				hosts[t] = map[string]bool{}
			}
			hosts[t][rd.Host] = true
		}
	}
	top := popular.Top(p.weights, mostTerms)
	var names []string
	for _, t := range top[:min(len(top), mostTrendTerms)] {
		names = append(names, t.Term)
	}
	past, err := p.db.PastTerms(ctx, p.topic.ID, p.from, names)
	if err != nil {
		return err
	}
	before, err := p.db.TopicPeriods(ctx, p.topic.ID, 1000)
	if err != nil {
		return err
	}
	slices.Reverse(before)
	before = slices.DeleteFunc(before, func(q store.TopicPeriod) bool { return !q.From.Before(p.from) })
	for i, t := range top {
		row := store.TopicTerm{
			Rank: i + 1, Term: t.Term, Word: p.forms.Show(t.Term), Occurrences: t.Count, Pages: t.Pages, Weight: t.W, Hosts: len(hosts[t.Term]),
			Trend: string(trend.Steady),
		}
		if i < mostTrendTerms && len(before) > 0 {
			series := make([]trend.Count, 0, len(before)+1)
			for _, q := range before {
				series = append(series, trend.Count{Hits: past[t.Term][q.From.UTC()], Of: q.HostsChanged})
			}
			judged := trend.Of(append(series, trend.Count{Hits: row.Hosts, Of: p.run.HostsChanged}), trend.Options{})
			row.G2, row.Trend = judged.G2, string(judged.Direction)
			if judged.Bursting {
				row.BurstSince = p.from
				if judged.Since < len(before) {
					row.BurstSince = before[judged.Since].From
				}
			}
		}
		p.run.Terms = append(p.run.Terms, row)
	}
	return nil
}
