package simweb

import "time"

// A link is an anchor of a page: to a page of the same host, or of another one.
type link struct {
	h         *host
	idx, part int
	label     string        // empty: the page's title
	at        time.Duration // of an article in a list
	teaser    bool          // the first sentence of the article stands under the link
}

func (l link) text() string {
	if l.label != "" {
		return l.label
	}
	return l.h.title(l.idx)
}
func (l link) path() string { return l.h.path(l.idx, l.part) }
func (l link) url() string  { return "http://" + l.h.Name + l.path() }

// navigation is the links on top of every page of the host.
func (h *host) navigation() []link {
	f := &h.lang.furniture
	nav := []link{{h: h, idx: homePage, label: f.home}}
	for s := range sections {
		nav = append(nav, link{h: h, idx: firstSection + s})
	}
	return append(nav, link{h: h, idx: livePage}, link{h: h, idx: archivePage}, link{h: h, idx: aboutPage})
}

const (
	homeList    = 20
	homeTeasers = 12
	sectionList = 8
	partSize    = 100 // standing pages on a list of a section
)

// list is the links that a page of kind Home, Section, Archive and so on is there for, in order.
func (p *page) list(t time.Duration) []link {
	h := p.h
	switch p.kind {
	case Home:
		out := h.newestArticles(t, homeList, -1)
		for i := range min(len(out), homeTeasers) {
			out[i].teaser = true
		}
		return out
	case Section:
		var out []link
		if p.part == 0 {
			out = h.newestArticles(t, sectionList, p.section)
			for part := 1; part < h.parts(p.section); part++ {
				out = append(out, link{h: h, idx: p.idx, part: part, label: monthName(part + 1)[4:]})
			}
		}
		return append(out, h.aliveOf(p.candidates(), t)...)
	case Archive:
		return h.months(t)
	case ArchiveMonth:
		var out []link
		from, to := h.w.offset(monthStart(p.part)), h.w.offset(monthStart(p.part+1))
		for n := h.newest(min(t, to-1)); n >= 0 && h.birth(n) >= from; n-- {
			if idx := h.standing + n; h.life(idx).alive(t) {
				out = append(out, link{h: h, idx: idx, at: h.birth(n)})
			}
		}
		return out
	case About, PrivateIndex:
		return h.aliveOf(p.candidates(), t)
	}
	return nil
}

// candidates are the standing pages that the page lists while they are alive.
func (p *page) candidates() []int {
	h := p.h
	var out []int
	switch p.kind {
	case About:
		return []int{loginPage, membersPage, chain1, loopA, temporary, movedPage, privatePage}
	case PrivateIndex:
		for idx := fixedPages; idx < h.standing; idx++ {
			if h.private(idx) {
				out = append(out, idx)
			}
		}
	case Section:
		first := fixedPages + p.section + p.part*partSize*sections
		for i := range partSize {
			idx := first + i*sections
			if idx >= h.standing {
				break
			}
			if !h.private(idx) {
				out = append(out, idx)
			}
		}
	}
	return out
}

// parts is the number of lists that a section's standing pages fill.
func (h *host) parts(section int) int {
	n := (h.standing - fixedPages - section + sections - 1) / sections
	return max((n+partSize-1)/partSize, 1)
}

func (h *host) aliveOf(indexes []int, t time.Duration) []link {
	var out []link
	for _, idx := range indexes {
		if h.life(idx).alive(t) {
			out = append(out, link{h: h, idx: idx})
		}
	}
	return out
}

// newestArticles lists up to limit articles, newest first, of one section or of all for -1.
func (h *host) newestArticles(t time.Duration, limit, section int) []link {
	var out []link
	for n := h.newest(t); n >= 0 && len(out) < limit; n-- {
		idx := h.standing + n
		if (section < 0 || n%sections == section) && h.life(idx).alive(t) {
			out = append(out, link{h: h, idx: idx, at: h.birth(n)})
		}
	}
	return out
}

// months lists the archive pages from the newest article's month back to the first's.
func (h *host) months(t time.Duration) []link {
	newest := h.newest(t)
	if newest < 0 {
		return nil
	}
	var out []link
	first := monthOf(h.w.time(h.birth(0)))
	for m := monthOf(h.w.time(h.birth(newest))); m >= first; m-- {
		if p, ok := h.monthPage(m); ok && p.born <= t {
			out = append(out, link{h: h, idx: archivePage, part: m, label: h.lang.month + " " + monthName(m)})
		}
	}
	return out
}

// mayLink lists the pages that a page recommends while they are alive: of its own host, of which
// low numbers get the most links, and of other hosts. The choice never changes.
func (p *page) mayLink() (own, others []link) {
	if p.kind == Redirect || p.kind == Login {
		return nil, nil
	}
	h, w := p.h, p.h.w
	d := dice{mix(p.seed, forLinks)}
	nOwn, nOthers := 12, 6
	if p.size > 24<<10 {
		nOwn, nOthers = 22, 9
	}
	for range nOwn {
		idx := h.skewed(&d)
		if p.kind == Article && d.chance(0.4) {
			n := p.idx - h.standing - 1 - int(d.float()*d.float()*30)
			if n < 0 {
				continue
			}
			idx = h.standing + n
		}
		if idx != p.idx && !h.private(idx) {
			own = append(own, link{h: h, idx: idx})
		}
	}
	for range nOthers {
		other := w.hosts[d.intn(len(w.hosts))]
		idx := other.skewed(&d)
		if d.chance(0.3) {
			idx = homePage
		}
		if other != h && !other.private(idx) {
			others = append(others, link{h: other, idx: idx})
		}
	}
	return own, others
}

func (h *host) skewed(d *dice) int {
	u := d.float()
	return fixedPages + int(u*u*float64(h.standing-fixedPages))
}

// recommended are the links of mayLink whose pages are alive, each once.
func (p *page) recommended(t time.Duration) (own, others []link) {
	mayOwn, mayOthers := p.mayLink()
	return onceAlive(mayOwn, t), onceAlive(mayOthers, t)
}

func onceAlive(links []link, t time.Duration) []link {
	kept := links[:0]
next:
	for _, l := range links {
		for _, k := range kept {
			if k.h == l.h && k.idx == l.idx {
				continue next
			}
		}
		if l.h.life(l.idx).alive(t) {
			kept = append(kept, l)
		}
	}
	return kept
}

// nextChange is the first time after t at which anything of the page may be different: its text, its lists, the
// pages it links to, or whether it exists. Nothing changes in between.
func (p *page) nextChange(t time.Duration) time.Duration {
	next := forever
	sooner := func(at time.Duration) {
		if at > t && at < next {
			next = at
		}
	}
	lifeOf := func(h *host, idx int) {
		l := h.life(idx)
		sooner(l.born)
		sooner(l.died)
	}
	sooner(p.born)
	sooner(p.died)
	if t >= p.died || p.kind == Redirect {
		return next
	}
	if c, ok := p.proc.after(t); ok {
		sooner(c.at)
	}
	switch h := p.h; p.kind {
	case Home, Section, Archive, ArchiveMonth:
		if p.kind != ArchiveMonth || t < h.w.offset(monthStart(p.part+1)) {
			sooner(h.birth(h.newest(t) + 1))
		}
		for _, l := range p.list(t) {
			if l.idx >= h.standing {
				sooner(h.life(l.idx).died)
			}
		}
	}
	for _, idx := range p.candidates() {
		lifeOf(p.h, idx)
	}
	own, others := p.mayLink()
	for _, l := range append(own, others...) {
		lifeOf(l.h, l.idx)
	}
	return next
}

// fingerprint names the content of a page at t without writing it: equal fingerprints mean equal text
// and links. lastModified is the time of the last change of what it names, as far as it is told by the
// page's own changes and the births and deaths of what it lists.
func (p *page) fingerprint(t time.Duration) (print uint64, lastModified time.Duration) {
	print, lastModified = p.seed, p.born
	later := func(at time.Duration) {
		if at <= t && at > lastModified {
			lastModified = at
		}
	}
	if c, last, ok := p.current(t); ok {
		print = mix(print, c.tick().id)
		later(last.at)
	}
	list := p.list(t)
	for _, l := range list {
		print = mix(print, uint64(l.idx), uint64(l.part))
	}
	switch p.kind {
	case Home, Section, Archive, ArchiveMonth:
		later(p.listChanged(t, list))
	}
	lives := func(l link) {
		life := l.h.life(l.idx)
		later(life.born)
		later(life.died)
		if life.alive(t) {
			print = mix(print, uint64(l.h.index), uint64(l.idx))
		}
	}
	for _, idx := range p.candidates() {
		lives(link{h: p.h, idx: idx})
	}
	own, others := p.mayLink()
	for _, l := range append(own, others...) {
		lives(l)
	}
	return print, lastModified
}

// listChanged is a time not before the last change of a list with articles, nor after t: the newest birth, or the
// latest death among the articles from the newest to the last in the list. An older one that died cannot
// have been the last change, as something newer has pushed it out since, or it would have let an older one in.
func (p *page) listChanged(t time.Duration, list []link) time.Duration {
	h := p.h
	newest, oldest := h.newest(t), -1
	for _, l := range list {
		if l.idx >= h.standing {
			oldest = l.idx - h.standing
		}
	}
	if p.kind == ArchiveMonth {
		newest = h.newest(min(t, h.w.offset(monthStart(p.part+1))-1))
		oldest = h.newest(h.w.offset(monthStart(p.part))-1) + 1
	}
	if newest < 0 || oldest < 0 {
		return p.born
	}
	at := h.birth(newest)
	for n := newest; n >= oldest; n-- {
		if died := h.life(h.standing + n).died; died <= t && died > at {
			at = died
		}
	}
	return at
}
