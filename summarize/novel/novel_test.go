package novel

import (
	"fmt"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/internal/topicweb"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/choose"
	"github.com/strandlinehq/strandline/summarize/feature"
	"github.com/strandlinehq/strandline/summarize/popular"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

var start = time.Date(2021, 3, 1, 6, 0, 0, 0, time.UTC)

// planted is a period of a simulated web as a topic sees it: the new sentences
// of its pages (SCIENCE J7), with what each is in truth.
type planted struct {
	sentences []Sentence
	truth     []topicweb.Sentence
	events    []int // of the period
}

func periods(web *topicweb.Web) []planted {
	before := map[string][]string{}
	var out []planted
	for t, p := range web.Periods {
		pl := planted{events: p.Events}
		for n, page := range p.Pages {
			truth := map[string]topicweb.Sentence{}
			var now []string
			for _, s := range page.Sentences {
				now = append(now, s.Text)
				truth[s.Text] = s
			}
			for _, s := range popular.New(before[page.URL], now, 0) {
				x := Sentence{Page: int64(n), Host: page.Host, Site: page.Host, Text: s, At: start.Add(time.Duration(24*t) * time.Hour)}
				x.Read("en")
				pl.sentences = append(pl.sentences, x)
				pl.truth = append(pl.truth, truth[s])
			}
			before[page.URL] = now
		}
		out = append(out, pl)
	}
	return out
}

// paperRanking is mode paper on a period.
func paperRanking(p planted, pages int) []popular.RankedSentence {
	texts := map[string][]string{}
	var list []popular.Sentence
	for i, s := range p.sentences {
		terms := text.Terms(s.Text, "en")
		page := fmt.Sprint(s.Page)
		texts[page] = append(texts[page], terms...)
		list = append(list, popular.Sentence{Page: fmt.Sprint(i), Text: s.Text, Terms: terms})
	}
	return popular.Rank(list, popular.Weights(texts, pages))
}

// TestPlantedEvents holds mode novel against mode paper on simulated webs of ten
// periods, five that the method was made with and five that it had not seen: of the
// three best sentences of a period, how many tell an event of it (new@3); how many of
// the events that two hosts tell of are told within 100 words; and how like the
// chosen sentences are.
func TestPlantedEvents(t *testing.T) {
	t.Parallel()
	for name, webs := range map[string][]topicweb.Options{
		"made with": {{Seed: 0}, {Seed: 1}, {Seed: 2}, {Seed: 3}, {Seed: 4}},
		"held out":  {{Seed: 2101}, {Seed: 2102}, {Seed: 2103, Hosts: 20}, {Seed: 2104, Filler: 12}, {Seed: 2105, Events: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plantedEvents(t, webs)
		})
	}
}

func plantedEvents(t *testing.T, webs []topicweb.Options) {
	t.Helper()
	var novel3, paper3, slots, told, nuggets, redundancy, summaries, paperTold float64
	for _, opt := range webs {
		seed, web := opt.Seed, topicweb.Make(opt)
		past := repeat.NewIndex(repeat.Options{})
		for n, p := range periods(web) {
			if n == 0 { // nothing is old yet
				Remember(past, p.sentences, 0, 0)
				continue
			}
			slots += 3
			for i, r := range paperRanking(p, len(web.Periods[n].Pages)) {
				var k int
				fmt.Sscan(r.Page, &k)
				if i < 3 && p.truth[k].Kind == topicweb.News {
					paper3++
				}
			}
			got := Summarize(p.sentences, past, Options{Query: "river flood", Language: "en", Words: 100})
			checkCounts(t, got, len(p.sentences))
			seen := map[int]bool{}
			var units []choose.Item
			var counts feature.Counts
			for _, s := range p.sentences {
				counts.Add(s.Terms)
			}
			var all []int
			for i, it := range got.Ranked() {
				truth := p.truth[it.Sentence]
				if i < 3 && truth.Kind == topicweb.News {
					novel3++
				}
				if i < 3 && truth.Kind != topicweb.News {
					t.Logf("seed %d period %d place %d: %s %q kind %d (cosine %.2f)", seed, n, i+1, it.Label, truth.Text, truth.Kind, it.Nearest.Cosine)
				}
				if truth.Kind == topicweb.News {
					seen[truth.Event] = true
				}
				all = append(all, len(units))
				units = append(units, choose.Item{Terms: counts.Weigh(p.sentences[it.Sentence].Terms)})
			}
			redundancy += choose.Redundancy(units, all)
			summaries++
			paperSeen, words := map[int]bool{}, 0
			for _, r := range paperRanking(p, len(web.Periods[n].Pages)) {
				var k int
				fmt.Sscan(r.Page, &k)
				if words += countWords(r.Text); words > 100 {
					break
				}
				if p.truth[k].Kind == topicweb.News {
					paperSeen[p.truth[k].Event] = true
				}
			}
			for _, e := range p.events {
				hosts := map[string]bool{}
				for i, s := range p.truth {
					if s.Kind == topicweb.News && s.Event == e {
						hosts[p.sentences[i].Host] = true
					}
				}
				if len(hosts) >= 2 {
					nuggets++
					if seen[e] {
						told++
					}
					if paperSeen[e] {
						paperTold++
					}
				}
			}
			Remember(past, p.sentences, int64(n), 0)
		}
	}
	n3, p3 := novel3/slots, paper3/slots
	t.Logf("new@3 %.3f, mode paper %.3f; nugget recall at 100 words %.3f, mode paper %.3f; redundancy %.3f", n3, p3, told/nuggets, paperTold/nuggets, redundancy/summaries)
	if n3 < 0.9 || n3 < p3+0.15 {
		t.Errorf("new@3 = %.3f, mode paper %.3f: want at least .90 and .15 more", n3, p3)
	}
	if r := told / nuggets; r < 0.85 {
		t.Errorf("nugget recall at 100 words %.3f, want at least .85", r)
	}
	if r := redundancy / summaries; r >= 0.3 {
		t.Errorf("redundancy %.3f, want below .3", r)
	}
}

func checkCounts(t *testing.T, s *Summary, sentences int) {
	t.Helper()
	if s.Boilerplate+s.Copies+s.Empty+s.Repeats+s.Fresh != sentences {
		t.Errorf("counts %+v do not add up to %d", s, sentences)
	}
}
