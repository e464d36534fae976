package mask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// server makes one page with every kind of noise. What is true of it (stories,
// prices, names) changes only when told; the noise is new with each request.
type server struct {
	rng     *rand.Rand
	noise   map[string]bool
	visits  int
	views   []int
	stories []string
	prices  []int
	label   string // of the counter
	related []string
	ads     int // next one
}

var noiseKinds = []string{"visitors", "clock", "stamp", "ad", "session", "quote", "served", "related", "nonce", "views", "temperature", "captcha"}

var vocabulary = strings.Fields(`harbour council bridge winter market river student engine school budget village glacier
	farmer signal library garden hospital tunnel festival reactor museum mountain captain orchard station factory
	painter concert railway coast measure province lantern village archive planet kitchen season valley copper
	teacher windmill election border survey forest voyage machine summit island ferry quarry cathedral harvest`)

func newServer(seed uint64, noise ...string) *server {
	s := &server{rng: rand.New(rand.NewPCG(seed, 17)), noise: map[string]bool{}, visits: 10000 + int(seed), label: "Visitors so far"}
	for _, n := range noise {
		s.noise[n] = true
	}
	for range 6 {
		s.stories = append(s.stories, s.sentence(14)+" "+s.sentence(12))
		s.prices = append(s.prices, 100+s.rng.IntN(900))
		s.views = append(s.views, s.rng.IntN(5000))
	}
	for range 5 {
		s.related = append(s.related, s.sentence(5))
	}
	return s
}

func (s *server) word() string { return vocabulary[s.rng.IntN(len(vocabulary))] }

func (s *server) sentence(n int) string {
	words := []string{"The"}
	for range n {
		words = append(words, s.word())
	}
	return strings.Join(words, " ") + "."
}

func (s *server) hex(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%x", s.rng.IntN(16))
	}
	return b.String()
}

// get answers one request.
func (s *server) get(now time.Time) *extract.Page {
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	on := func(kind string) bool { return s.noise[kind] }
	put(`<html><head><title>The Daily Tide</title></head><body><header><h1>The Daily Tide</h1>`)
	if on("clock") {
		put(`<span class="clock">%s</span>`, now.Format("15:04:05"))
	}
	if on("temperature") {
		put(`<p>Harbour: <b>%.1f</b> °C, wind from the west</p>`, 11+s.rng.Float64()*3)
	}
	put(`</header><nav><a href="/">Front</a> <a href="/sport">Sport</a></nav><div id="main"><ul class="stories">`)
	for i, story := range s.stories {
		if on("views") {
			s.views[i] += 1 + s.rng.IntN(3)
		}
		put(`<li><h2>Story of the %s</h2><p>%s</p><em>%d views</em> <i>%d EUR</i></li>`, strings.Fields(story)[1], story, s.views[i], s.prices[i])
	}
	put(`</ul>`)
	if on("quote") {
		put(`<blockquote>%s</blockquote>`, s.sentence(6+s.rng.IntN(6)))
	}
	put(`</div><aside>`)
	if on("ad") {
		if s.ads++; s.ads%2 == 0 {
			put(`<div class="sponsor"><a href="/x">%s</a></div>`, s.sentence(6))
		} else {
			put(`<div class="sponsor"><h4>%s</h4><p>%s</p></div>`, s.word()+" "+s.word(), s.sentence(4))
		}
	}
	put(`<div class="related"><h3>Related</h3><ol>`)
	related := s.related
	if on("related") {
		related = slices.Clone(related)
		s.rng.Shuffle(len(related), func(i, j int) { related[i], related[j] = related[j], related[i] })
	}
	for _, r := range related {
		put(`<li><a href="/r">%s</a></li>`, r)
	}
	put(`</ol></div></aside><form>`)
	if on("captcha") {
		put(`<label>What is %d plus %d?</label>`, s.rng.IntN(90), s.rng.IntN(90))
	}
	put(`</form><footer>`)
	if on("visitors") {
		s.visits += 1 + s.rng.IntN(9)
	}
	put(`<p>%s: %d since 1998</p>`, s.label, s.visits)
	if on("stamp") {
		put(`<p>Generated on %s by the press</p>`, now.Format("Mon, 02 Jan 2006 15:04:05 MST"))
	}
	if on("session") {
		put(`<p>Your session: sid=%s%dk, keep it</p>`, s.hex(8), s.rng.IntN(10))
	}
	if on("served") {
		put(`<small>Page served in %.3f secs with %d queries</small>`, s.rng.Float64(), 20+s.rng.IntN(20))
	}
	if on("nonce") {
		put(`<div>Request %s-%s-4%s-a%s-%s</div>`, s.hex(8), s.hex(4), s.hex(3), s.hex(3), s.hex(12))
	}
	put(`<p>Office: 12 Quay Street, telephone 555 0100</p></footer></body></html>`)
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(b.String()), ContentType: "text/html; charset=utf-8"})
}

var start = time.Date(2026, 3, 2, 8, 1, 7, 0, time.UTC)

// teach gives a mask pairs of the server, one each four hours.
func (s *server) teach(m *Mask, from time.Time, pairs int) time.Time {
	for range pairs {
		a := s.get(from)
		m.Learn(a, s.get(from.Add(150*time.Millisecond)), from, Options{})
		from = from.Add(4*time.Hour + time.Duration(s.rng.IntN(100))*time.Second)
	}
	return from
}

// falseChanges compares fetches an hour apart between which nothing true happens.
func (s *server) falseChanges(f *Filter, from time.Time, fetches int) (raw, left int) {
	before := s.get(from)
	for range fetches {
		from = from.Add(time.Hour + time.Duration(s.rng.IntN(600))*time.Second)
		after := s.get(from)
		switch f.Compare(before, after) {
		case Changed:
			left++
			raw++
		case Masked:
			raw++
		}
		before = after
	}
	return raw, left
}

func TestFalseChangesFall(t *testing.T) {
	t.Parallel()
	sets := [][]string{noiseKinds}
	for _, k := range noiseKinds {
		sets = append(sets, []string{k})
	}
	allRaw, allLeft := 0, 0
	for _, set := range sets {
		raw, left := 0, 0
		var m Mask
		for seed := range uint64(3) {
			s := newServer(seed, set...)
			m = Mask{}
			now := s.teach(&m, start, 8)
			r, l := s.falseChanges(m.Filter(now, Options{}), now, 25)
			raw, left = raw+r, left+l
		}
		t.Logf("%-60s false changes %4d -> %3d", strings.Join(set, " "), raw, left)
		if float64(left) > 0.05*float64(raw) || raw < 65 {
			for _, r := range m.Active(start.Add(1000*time.Hour), Options{}) {
				t.Log(r)
			}
			t.Errorf("%v: of %d false changes %d are left", set, raw, left)
		}
		allRaw, allLeft = allRaw+raw, allLeft+left
	}
	t.Logf("all: %d -> %d, %.2f %% fewer", allRaw, allLeft, 100*(1-float64(allLeft)/float64(allRaw)))
}

// edits are true changes, beside the noise and in the very element of it.
var edits = map[string]func(s *server){
	"story edited":        func(s *server) { s.stories[s.rng.IntN(6)] += " " + s.sentence(3) },
	"word of a story":     func(s *server) { s.stories[2] = strings.Replace(s.stories[2], " ", " not ", 1) },
	"new story on top":    func(s *server) { s.stories = append([]string{s.sentence(20)}, s.stories[:5]...) },
	"stories swapped":     func(s *server) { s.stories[0], s.stories[4] = s.stories[4], s.stories[0] },
	"price":               func(s *server) { s.prices[s.rng.IntN(6)]++ },
	"label of a counter":  func(s *server) { s.label = "Readers so far" },
	"related story new":   func(s *server) { s.related[s.rng.IntN(5)] = s.sentence(5) },
	"number in the label": func(s *server) { s.label = "Visitors since week 7" },
}

func TestNoTrueChangeIsLost(t *testing.T) {
	t.Parallel()
	for name, edit := range edits {
		for seed := range uint64(3) {
			s := newServer(seed, noiseKinds...)
			var m Mask
			now := s.teach(&m, start, 8)
			f := m.Filter(now, Options{})
			before := s.get(now)
			edit(s)
			after := s.get(now.Add(time.Hour))
			if v := f.Compare(before, after); v != Changed {
				t.Errorf("%s, seed %d: %v", name, seed, v)
			}
			if share := f.Share(after); share > 0.3 {
				t.Errorf("seed %d: %.2f of the text is masked", seed, share)
			}
		}
	}
}

// True changes between the pairs, at every step, do not become noise.
func TestChangesBetweenPairsTeachNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		s := newServer(seed, "views", "visitors", "clock", "related")
		var m Mask
		now := start
		for range 30 {
			for _, name := range []string{"price", "story edited", "related story new"} {
				edits[name](s)
			}
			s.stories[0] = s.sentence(20)
			now = s.teach(&m, now, 1)
		}
		f := m.Filter(now, Options{})
		for _, name := range []string{"price", "story edited", "related story new", "word of a story"} {
			before := s.get(now)
			edits[name](s)
			if v := f.Compare(before, s.get(now)); v != Changed {
				t.Errorf("seed %d, %s: %v", seed, name, v)
			}
		}
		if raw, left := s.falseChanges(f, now, 40); left > 2 {
			t.Errorf("seed %d: %d of %d false changes are left", seed, left, raw)
		}
	}
}
