package simweb

import (
	"fmt"
	"strconv"
	"time"
)

// NoiseKind is a part of a page that changes without being content.
type NoiseKind struct {
	Name string
	// Class is the class of the element that holds it; empty for noise inside tags and comments.
	Class string
	// Every is how long it stays the same; zero: it is new on every request.
	Every time.Duration
}

// A noiseSet has a bit for each kind of noise that a page carries.
type noiseSet uint16

const (
	noiseVisits  noiseSet = 1 << iota // a counter that goes up
	noiseClock                        // the time, to the minute
	noiseTiming                       // "Page served in 0.123 secs"
	noiseAdvert                       // a line of advertising
	noiseSession                      // a link with a session id
	noiseToken                        // a hidden field with a token
	noiseNonce                        // the nonce of a script
	noiseOnline                       // the number of readers
	noiseQuote                        // a saying for the day
	noiseShuffle                      // recommended links in another order
	noiseComment                      // a request id in a comment
	noiseTicker                       // a price that moves every five minutes
)

const noiseKinds = 12

// Noises lists the kinds of noise in the order of their bits.
func Noises() []NoiseKind {
	return []NoiseKind{
		{"visits", "visit-counter", 0},
		{"clock", "page-clock", time.Minute},
		{"timing", "served-in", 0},
		{"advert", "ad-slot", 0},
		{"session", "session", 0},
		{"token", "", 0},
		{"nonce", "", 0},
		{"online", "readers-online", 0},
		{"quote", "quote-of-the-day", 24 * time.Hour},
		{"shuffle", "", 0},
		{"comment", "", 0},
		{"ticker", "ticker", 5 * time.Minute},
	}
}

func (s noiseSet) names() []string {
	var out []string
	for i, k := range Noises() {
		if s>>i&1 == 1 {
			out = append(out, k.Name)
		}
	}
	return out
}

// drawNoise gives pages of rate request three to five kinds of noise, at least one of which is new on every
// request, and one page in twelve of the others a single kind.
func (p *page) drawNoise(d *dice) noiseSet {
	var s noiseSet
	if p.kind == Redirect {
		return 0
	}
	if p.rate == Request {
		s |= [...]noiseSet{noiseVisits, noiseTiming, noiseAdvert, noiseOnline}[d.intn(4)]
		for range d.between(2, 4) {
			s |= 1 << d.intn(noiseKinds)
		}
	} else if d.intn(12) == 0 {
		s |= 1 << d.intn(noiseKinds)
	}
	if p.h.w.opts.Volatile {
		s |= noiseVisits | noiseAdvert
	}
	return s
}

// noise writes the parts that stand at the end of the body, for request number n.
func (p *page) appendNoise(b []byte, t time.Duration, n int) []byte {
	l := p.h.lang
	d := dice{mix(p.seed, forNoise, uint64(n))}
	now := p.h.w.time(t)
	if p.noise&noiseAdvert != 0 {
		teller := l.teller(d.next())
		text := l.finish(teller.write(nil, l.adverts[teller.intn(len(l.adverts))]))
		b = append(b, `<div class="ad-slot" id="ad-`...)
		b = append(strconv.AppendUint(b, d.next()>>40, 36), `"><small>`...)
		b = append(append(b, l.advert...), "</small> "...)
		b = append(appendEscaped(b, text), "</div>\n"...)
	}
	if p.noise&noiseVisits != 0 {
		b = fmt.Appendf(b, "<p class=\"visit-counter\">%s: %d</p>\n", l.visits, 1000+p.seed%90000+uint64(n))
	}
	if p.noise&noiseClock != 0 {
		b = fmt.Appendf(b, "<p class=\"page-clock\">%s %s</p>\n", l.updated, now.Format("2006-01-02 15:04"))
	}
	if p.noise&noiseTiming != 0 {
		b = fmt.Appendf(b, "<p class=\"served-in\">Page served in %.3f secs</p>\n", 0.01+d.float())
	}
	if p.noise&noiseOnline != 0 {
		b = fmt.Appendf(b, "<p class=\"readers-online\">%d online</p>\n", d.between(3, 900))
	}
	if p.noise&noiseSession != 0 {
		b = fmt.Appendf(b, "<p class=\"session\"><a href=\"/account/?sid=%016x\" rel=\"nofollow\">Account</a></p>\n", d.next())
	}
	if p.noise&noiseToken != 0 {
		b = fmt.Appendf(b, "<form action=\"/account/\"><input type=\"hidden\" name=\"token\" value=\"%016x\"></form>\n", d.next())
	}
	if p.noise&noiseQuote != 0 {
		teller := l.teller(mix(p.seed, forNoise, 1<<40, uint64(t/(24*time.Hour))))
		b = append(b, `<blockquote class="quote-of-the-day">`...)
		b = appendEscaped(b, l.finish(teller.write(nil, l.adverts[teller.intn(len(l.adverts))])))
		b = append(b, "</blockquote>\n"...)
	}
	if p.noise&noiseTicker != 0 {
		x := dice{mix(p.h.w.seed, forNoise, 1<<41, uint64(t/(5*time.Minute)))}
		b = fmt.Appendf(b, "<p class=\"ticker\">SIM 30: %.2f</p>\n", 2000+200*x.float())
	}
	if p.noise&noiseComment != 0 {
		b = fmt.Appendf(b, "<!-- request %016x -->\n", d.next())
	}
	return b
}

// shuffle changes the order of links where that is the page's noise.
func (p *page) shuffle(links []link, n int) {
	if p.noise&noiseShuffle == 0 {
		return
	}
	d := dice{mix(p.seed, forNoise, uint64(n), 1)}
	for i := len(links) - 1; i > 0; i-- {
		j := d.intn(i + 1)
		links[i], links[j] = links[j], links[i]
	}
}
