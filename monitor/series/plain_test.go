package series_test

import (
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/monitor/novelty"
	"github.com/strandlinehq/strandline/monitor/series"
	"github.com/strandlinehq/strandline/store"
)

// plain is a snapshot computed by the letter of the definition, on URLs.
type plain struct {
	start  time.Time
	class  map[string]string // of W
	score  map[string]float64
	in     map[string]map[string]bool
	seen   map[string]bool // V, under the linked names too
	counts store.NoveltyCounts
}

func define(sights []sight, before *plain, known map[string]bool, opt series.Options) *plain {
	p := &plain{class: map[string]string{}, score: map[string]float64{}, in: map[string]map[string]bool{}, seen: map[string]bool{}}
	redirects := map[string]string{}
	for i, s := range sights {
		if i == 0 || s.at.Before(p.start) {
			p.start = s.at
		}
		if s.redirect != "" {
			redirects[s.url] = s.redirect
		}
	}
	end := func(url string) string {
		for to, n := url, 0; n <= len(redirects); n++ {
			next, ok := redirects[to]
			if !ok {
				return to
			}
			to = next
		}
		return url // a circle
	}
	alias := map[string]string{}
	for from := range redirects {
		if to := end(from); to != from {
			alias[from] = to
		}
	}
	old := func(s sight) bool { return before != nil && s.valid && s.modified.Before(before.start) }
	byOld := map[string]bool{}
	fringe := map[string]bool{}
	for _, s := range sights {
		switch {
		case s.failed:
			p.counts.Failed++
			continue
		case s.redirect != "":
			continue
		}
		p.class[s.url], p.seen[s.url] = "U", true
		targets := map[string]bool{}
		for _, l := range s.links {
			targets[end(l)] = true
			p.seen[l], p.seen[end(l)] = true, true
		}
		p.counts.Links += int64(len(targets))
		for l := range targets {
			if p.in[l] == nil {
				p.in[l] = map[string]bool{}
			}
			p.in[l][s.url] = true
			byOld[l] = byOld[l] || old(s)
			fringe[l] = true
		}
	}
	p.counts.Aliases = int64(len(alias))
	wasKnown := map[string]bool{}
	for from, to := range alias {
		wasKnown[to] = wasKnown[to] || known[from]
	}
	for _, s := range sights {
		if p.class[s.url] == "" {
			continue
		}
		p.counts.Pages++
		delete(fringe, s.url)
		crawledBefore := before != nil && before.class[s.url] != ""
		isOld := opt.Rules&novelty.RuleKnown != 0 && (known[s.url] || wasKnown[s.url]) || opt.Rules&novelty.RuleModified != 0 && old(s) || opt.Rules&novelty.RuleLinked != 0 && byOld[s.url] ||
			opt.Rules&novelty.RuleDated != 0 && before != nil && dated(s.url, before.start)
		switch {
		case isOld && crawledBefore:
			p.class[s.url], p.score[s.url] = "L2", 1
			p.counts.L2++
		case isOld:
			p.class[s.url] = "O"
			p.counts.OldOther++
		default:
			p.counts.Unidentified++
		}
	}
	p.counts.Fringe = int64(len(fringe))
	for range opt.Iterations {
		next := map[string]float64{}
		for url, class := range p.class {
			next[url] = p.score[url]
			if class != "U" {
				continue
			}
			sum := 0.0
			for q := range p.in[url] {
				sum += p.score[q]
			}
			if len(p.in[url]) > 0 {
				next[url] = (1 - opt.Delta) * sum / float64(len(p.in[url]))
			}
		}
		p.score = next
	}
	return p
}

// dated reports whether a URL of the test's web has a month before that of t.
func dated(url string, t time.Time) bool {
	var host, year, month, page int
	n, _ := fmt.Sscanf(url, "http://h%d.test/%d/%d/p%d", &host, &year, &month, &page)
	return n == 4 && time.Date(year, time.Month(month), 28, 0, 0, 0, 0, time.UTC).Before(time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC))
}
