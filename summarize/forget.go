package summarize

import (
	"fmt"
	"slices"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/popular"
)

// forget lets pages leave whose up-to-date-ness stays low (SCIENCE J10): in each of
// their last LeaveAfter periods nothing was new, or D was below LeaveBelow of the mean
// D of the collection. A period in which the topic was not fetched takes no page
// away, and seeds stay.
func (p *period) forget() {
	n := p.set.LeaveAfter
	if p.run.Fetches == 0 || n <= 0 {
		return
	}
	pages := map[store.PageID]*reading{}
	for _, rd := range p.pages {
		pages[rd.Page] = rd
	}
	recent := make([][]float64, len(p.run.Scores)) // D of the last periods, the last one first
	mean, count := make([]float64, n), make([]float64, n)
	for i := range p.run.Scores {
		recent[i] = p.recent(&p.run.Scores[i], n)
		for back, d := range recent[i] {
			mean[back] += d
			count[back]++
		}
	}
	for i := range p.run.Scores {
		s := &p.run.Scores[i]
		past := p.past[s.Page]
		if pages[s.Page].member.AddedBy == store.AddedAsSeed || len(past) < n-1 {
			continue
		}
		last := past[len(past)-n+1:]
		low := true
		for back, d := range recent[i] {
			low = low && count[back] > 1 && d < p.set.LeaveBelow*mean[back]/count[back]
		}
		silent := s.Score+s.Linked == 0 && !slices.ContainsFunc(last, func(q store.PastScore) bool { return q.Score > 0 })
		seen := s.VersionTo > 0 || slices.ContainsFunc(last, func(q store.PastScore) bool { return q.Seen })
		switch {
		case !seen:
			p.run.Leaving[s.Page] = fmt.Sprintf("could not be fetched in %d periods", n)
		case silent:
			p.run.Leaving[s.Page] = fmt.Sprintf("nothing new in %d periods; up-to-date-ness %.3g", n, s.UpToDate)
		case low:
			p.run.Leaving[s.Page] = fmt.Sprintf("up-to-date-ness below %g of the collection's mean in %d periods; now %.3g of %.3g", p.set.LeaveBelow, n, s.UpToDate, mean[0]/count[0])
		default:
			continue
		}
		p.run.Departed++
	}
}

// recent is the up-to-date-ness of a page after each of its last n periods, of the
// last one first.
func (p *period) recent(s *store.TopicScore, n int) []float64 {
	series := make([]float64, 0, len(p.past[s.Page])+1)
	for _, q := range p.past[s.Page] {
		series = append(series, q.Score)
	}
	series = append(series, s.Score+s.Linked)
	out := make([]float64, 0, n)
	for back := range min(n, len(series)) {
		out = append(out, popular.Latest(series[:len(series)-back]))
	}
	return out
}
