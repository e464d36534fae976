package simweb

import "time"

// Kind is what a page is.
type Kind uint8

const (
	Home Kind = iota
	Section
	Article
	Document
	Product
	Table
	Live
	PerRequest // a document with a part that differs on every request
	About
	Archive      // the list of months
	ArchiveMonth // the articles of one month
	Login        // 200, but only a form
	PrivateIndex
	Redirect
)

func (k Kind) String() string {
	return [...]string{
		"home", "section", "article", "document", "product", "table", "live", "per-request", "about", "archive",
		"archive-month", "login", "private-index", "redirect",
	}[k]
}

// Rate is how often a page changes.
type Rate uint8

const (
	Static Rate = iota
	Weekly
	Daily
	Hourly
	Minutes
	Request
)

func (r Rate) String() string {
	return [...]string{"static", "weekly", "daily", "hourly", "minutes", "request"}[r]
}

// Death is what a page answers after its end.
type Death uint8

const (
	NotFound     Death = iota // 404
	Gone                      // 410
	SoftNotFound              // 200 with the text of an error page
	ToHome                    // 302 to the home page
	Moved                     // 301 to another page of the host
)

func (d Death) String() string {
	return [...]string{"not-found", "gone", "soft-not-found", "to-home", "moved"}[d]
}

// Validator is what a page's ETag and Last-Modified are worth.
type Validator uint8

const (
	Exact       Validator = iota // strong ETag and Last-Modified, both right
	Weak                         // weak ETag, right
	DateOnly                     // Last-Modified only, right
	NoValidator                  // neither
	StaleETag                    // an ETag that never changes: answers 304 wrongly
	FreshDate                    // Last-Modified is always the time of the request
	RandomETag                   // an ETag that never repeats
)

func (v Validator) String() string {
	return [...]string{"exact", "weak", "date-only", "none", "stale-etag", "fresh-date", "random-etag"}[v]
}

// The indexes of a host's fixed pages. From fixedPages on to host.standing follow the other standing pages, and
// from there the articles, in order of birth.
const (
	homePage     = 0
	firstSection = 1 // to 6
	aboutPage    = 7
	livePage     = 8
	archivePage  = 9
	loginPage    = 10
	privatePage  = 11
	loopA        = 12
	loopB        = 13
	chain1       = 14
	chain2       = 15
	chain3       = 16
	temporary    = 17
	movedPage    = 18
	membersPage  = 19
)

// A page is all that does not change about a page. It is worked out when it is needed and not kept.
type page struct {
	h         *host
	idx, part int // part: the number of a further list of a section, or an archive month
	seed      uint64
	kind      Kind
	rate      Rate
	topic     int
	section   int
	report    report // of an article
	life
	proc      process
	target    int // of a redirect
	private   bool
	reverts   bool
	moves     bool
	rolling   bool
	size      int // bytes that are aimed at
	slots     int
	perBlock  int
	hot       int // how many of the slots change
	hotOff    int
	hotStep   int
	noise     noiseSet
	validator Validator
}

// A life is when a page exists: from born until before died.
type life struct {
	born, died time.Duration
	death      Death
}

func (l life) alive(t time.Duration) bool { return l.born <= t && t < l.died }

// longAgo is when the fixed pages began.
const longAgo = -1000 * 24 * time.Hour

// life works out the life of a standing page or an article.
func (h *host) life(idx int) life {
	o := &h.w.opts
	if idx < fixedPages {
		return life{born: longAgo, died: forever}
	}
	d := dice{mix(h.seed, forLife, uint64(idx))}
	l := life{died: forever, death: [...]Death{NotFound, NotFound, NotFound, Gone, Gone, Gone, SoftNotFound, SoftNotFound, ToHome, Moved}[d.intn(10)]}
	if idx >= h.standing {
		l.born = h.birth(idx - h.standing)
		if d.chance(o.Deaths) {
			l.died = l.born + d.span(10*24*time.Hour, 90*24*time.Hour)
		}
		return l
	}
	if l.born = -d.span(24*time.Hour, 900*24*time.Hour); d.chance(o.Births) {
		l.born = d.span(time.Second, o.Span)
	}
	if d.chance(o.Deaths) {
		if at := d.span(time.Second, o.Span); at > l.born+24*time.Hour {
			l.died = at
		}
	}
	return l
}

// page works out a page. The caller vouches for idx >= 0 and a part that exists.
func (h *host) page(idx, part int) page {
	p := page{h: h, idx: idx, part: part, life: h.life(idx), section: h.sectionOf(idx)}
	p.seed = mix(h.seed, forPage, uint64(idx), uint64(part))
	if p.topic = h.topics[p.section]; idx >= h.standing {
		p.report = h.report(idx - h.standing)
		p.topic = p.report.topic
	}
	d := dice{mix(p.seed, forShape)}
	p.perBlock = d.between(4, 9)
	p.kind, p.rate = h.kindOf(idx, part)
	p.size = h.w.drawSize(&d)
	switch {
	case idx < fixedPages:
		p.size = h.w.opts.Size / 3
	case p.kind == Article:
		p.size = p.size * 2 / 3
	}
	p.target = redirectTarget(idx)
	p.rolling = p.kind == Live
	p.private = h.private(idx)
	p.slots = p.slotCount(d.float())
	p.layProcess(&d)
	p.noise = p.drawNoise(&d)
	p.validator = p.drawValidator(&d)
	return p
}

// kindOf decides what a page is and how often it changes.
func (h *host) kindOf(idx, part int) (Kind, Rate) {
	switch {
	case idx == homePage:
		return Home, [...]Rate{News: Hourly, Government: Daily, Shop: Daily, Forum: Hourly, Blog: Weekly, Reference: Weekly}[h.Kind]
	case idx < firstSection+sections:
		return Section, Static
	case idx == aboutPage:
		return About, Static
	case idx == livePage:
		return Live, Minutes
	case idx == archivePage && part > 0:
		return ArchiveMonth, Static
	case idx == archivePage:
		return Archive, Static
	case idx == loginPage || idx == membersPage:
		return Login, Static
	case idx == privatePage:
		return PrivateIndex, Static
	case idx < fixedPages:
		return Redirect, Static
	}
	d := dice{mix(h.seed, forRate, uint64(idx))}
	rate := h.w.drawRate(&d)
	if idx >= h.standing {
		if d.chance(0.6) || rate == Request {
			rate = Static
		}
		return Article, rate
	}
	share := d.float()
	switch {
	case rate == Request:
		return PerRequest, rate
	case h.Kind == Shop && share < 0.65:
		return Product, rate
	case (h.Kind == Government || h.Kind == Reference) && share < 0.25, share > 0.94:
		return Table, rate
	case rate == Minutes && share < 0.7:
		return Live, rate
	}
	return Document, rate
}

func (w *World) drawRate(d *dice) Rate {
	weights, total := w.opts.Rates.weights(), 0.0
	for _, x := range weights {
		total += x
	}
	at := d.float() * total
	for r, x := range weights {
		if at -= x; at < 0 {
			return Rate(r)
		}
	}
	return Static
}

// sectionOf is the section that lists the page, 0 to 5.
func (h *host) sectionOf(idx int) int {
	switch {
	case idx >= firstSection && idx < firstSection+sections:
		return idx - firstSection
	case idx < fixedPages:
		return 0
	case idx < h.standing:
		return (idx - fixedPages) % sections
	}
	return (idx - h.standing) % sections
}

// private pages lie under /private/, which most robots.txt forbid.
func (h *host) private(idx int) bool {
	return idx == privatePage || idx >= fixedPages && idx < h.standing && mix(h.seed, forShape, uint64(idx))%20 == 0
}

func (h *host) topicOf(idx, section int) int {
	if idx >= h.standing {
		return h.report(idx - h.standing).topic
	}
	return h.topics[section]
}

func redirectTarget(idx int) int {
	switch idx {
	case loopA:
		return loopB
	case loopB:
		return loopA
	case chain1, chain2:
		return idx + 1
	case chain3, movedPage:
		return aboutPage
	}
	return livePage
}

// layProcess decides when the page changes and which of its slots.
func (p *page) layProcess(d *dice) {
	period := [...]time.Duration{Weekly: 7 * 24 * time.Hour, Daily: 24 * time.Hour, Hourly: time.Hour, Minutes: 5 * time.Minute, Request: 0}[p.rate]
	period = time.Duration(float64(period) * (0.5 + d.float())).Truncate(time.Second)
	poisson := d.chance(0.5)
	p.reverts, p.moves = d.chance(0.12), d.chance(0.15)
	p.hot = max(min(int(float64(p.slots)*(0.15+0.6*d.float())), 24), min(p.slots, 3))
	p.hotOff, p.hotStep = d.intn(max(p.slots, 1)), 1
	if d.chance(0.5) { // changing slots spread over the page, not in one place
		for p.hotStep = d.between(2, 17); gcd(p.hotStep, max(p.slots, 1)) != 1; p.hotStep++ {
		}
	}
	if p.slots == 0 || period == 0 {
		return
	}
	p.proc = process{seed: p.seed, start: p.born + time.Second, until: p.died, cell: period}
	if p.kind == Article {
		p.proc.until = min(p.died, p.born+eventActive)
	}
	if poisson && p.kind != Home {
		p.proc.cell, p.proc.mean = period*poissonMean, poissonMean
	}
}

// period is the mean time between changes.
func (p *page) period() time.Duration {
	if p.proc.mean > 0 {
		return time.Duration(float64(p.proc.cell) / p.proc.mean)
	}
	return p.proc.cell
}

func (p *page) drawValidator(d *dice) Validator {
	v := [...]Validator{Exact, Exact, Exact, Exact, Weak, Weak, DateOnly, DateOnly, NoValidator, NoValidator, StaleETag, FreshDate, RandomETag}[d.intn(13)]
	switch {
	case p.rate == Request || p.kind == Login || p.kind == Redirect:
		return NoValidator
	case v == Exact && p.noise != 0:
		return Weak // bytes differ, the content does not
	case v == StaleETag && (p.kind == Home || p.kind == Section || p.kind == Archive || p.kind == ArchiveMonth):
		return DateOnly // what leads to other pages does not lie
	}
	return v
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
