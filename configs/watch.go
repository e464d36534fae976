package configs

import (
	"strconv"
	"time"
)

// Watch is a list of pages that are fetched again and again on a schedule.
type Watch struct {
	// The stable key in SQL, feeds and logs.
	Name Name `yaml:"name" jsonschema:"required"`
	// Any word by which reports group pages, such as Government; auto finds it from the pages that have one.
	Category string `yaml:"category"`
	// The kind of page, a second word to group by, such as news or shop.
	Genre string `yaml:"genre"`
	// When the pages are due.
	Schedule Schedule `yaml:"schedule"`
	// What freshness of a page is worth to the others of the watch, for schedule auto; pages may have one of their own.
	Importance float64 `yaml:"importance" jsonschema:"minimum=0.001,maximum=1000"`
	// Each fetch comes up to this much later than due; by default a twelfth of the schedule's interval, 5m at most.
	Jitter Duration `yaml:"jitter"`
	// The pages.
	URLs []URL `yaml:"urls"`
	// Further pages, each with what is known of it.
	Known []KnownPage `yaml:"pages"`
	// File with one URL a line; empty lines and lines that start with # are passed over.
	URLsFile Path `yaml:"urls_file"`
	// Sitemaps whose pages are watched.
	Sitemaps []URL `yaml:"sitemaps"`
	// RSS and Atom feeds whose entries are watched.
	Feeds []URL `yaml:"feeds"`
	// The most pages that sitemaps and feeds may bring.
	MaxPages int `yaml:"max_pages" jsonschema:"minimum=1,maximum=100000000"`
	// Extra rounds below the hour for the pages that change all the time.
	Bursts *Bursts `yaml:"bursts"`
	// Whether pages that change within two minutes are also fetched twice at the same moment.
	Pairs bool `yaml:"pairs"`
	// What of a page is passed over: CSS selectors, and regular expressions between slashes.
	Ignore []Rule `yaml:"ignore"`
	// Whether parts learned to be noise (counters, clocks, advertisements) are passed over.
	Masks bool `yaml:"masks"`
	// Cookies sent with every fetch, by name.
	Cookies map[string]Secret `yaml:"cookies"`
	// Who is told of changes, and of which.
	Notify *Notify `yaml:"notify"`
	// A warning is given when nothing has changed for this long; 0s for never.
	ExpectChangeWithin Duration `yaml:"expect_change_within"`
	// What the stored contents of its pages may take; beyond that the oldest are given up, but for the first and the last of each page. 0 for no bound.
	Quota Size `yaml:"quota"`

	listed []URL
}

// Pages gives the pages of the watch, those of urls, pages and urls_file in this order, each once.
func (w *Watch) Pages() []URL {
	known := make([]URL, len(w.Known))
	for i, k := range w.Known {
		known[i] = k.URL
	}
	return once(w.URLs, known, w.listed)
}

// AutoCategory is the category that asks for one to be found.
const AutoCategory = "auto"

// KnownPage is a page with what is known of it, by which reports group it.
type KnownPage struct {
	// The page.
	URL URL `yaml:"url" jsonschema:"required"`
	// Its category, if it differs from that of the watch.
	Category string `yaml:"category"`
	// Its genre, if it differs from that of the watch.
	Genre string `yaml:"genre"`
	// How many people visited it, in the log that the page was drawn from; 0 where that is not known.
	Visitors int `yaml:"visitors" jsonschema:"minimum=0,maximum=2000000000"`
	// How many pages of the log it stands for in estimates; 0 where that is not known.
	Weight float64 `yaml:"weight" jsonschema:"minimum=0"`
	// What its freshness is worth, if it differs from the importance of the watch; 0 for that.
	Importance float64 `yaml:"importance" jsonschema:"minimum=0,maximum=1000"`
	// Whether it was added for its visitors and not drawn, so that it stands for itself only.
	Top bool `yaml:"top"`
}

func (k *KnownPage) check(s *section) {
	if k.URL == "" && !s.failed("url") {
		s.fault("url", "", "is missing", "an http or https address")
	}
}

// once joins lists and leaves out what came before.
func once(lists ...[]URL) []URL {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	all := make([]URL, 0, n)
	seen := make(map[URL]bool, n)
	for _, list := range lists {
		for _, u := range list {
			if !seen[u] {
				seen[u] = true
				all = append(all, u)
			}
		}
	}
	return all
}

func (w *Watch) setDefaults() {
	*w = Watch{Schedule: mustSchedule("@hourly"), Importance: 1, Jitter: Duration(5 * time.Minute), MaxPages: 1000, Masks: true}
}

func (w *Watch) check(s *section) {
	s.wantName(w.Name)
	if len(w.URLs)+len(w.Known)+len(w.Sitemaps)+len(w.Feeds) == 0 && w.URLsFile == "" && !s.failed("urls") && !s.failed("pages") && !s.failed("sitemaps") && !s.failed("feeds") {
		s.fault("", "", "watches nothing: none of urls, pages, urls_file, sitemaps and feeds is set", "")
	}
	s.warnTwice("urls", w.URLs)
	if w.ExpectChangeWithin > 0 && w.Notify == nil && !s.failed("notify") {
		s.warn("expect_change_within", w.ExpectChangeWithin.String(), "tells nobody, since notify is not set")
	}
	interval := w.Schedule.Interval()
	if w.Schedule.Auto != nil {
		interval = w.Schedule.Auto.Min.Std()
	}
	switch {
	case !s.has("jitter"):
		// Two fetches of one hourly page stay 45 minutes apart or more (SCIENCE A4).
		w.Jitter = min(w.Jitter, Duration((interval / 12).Truncate(time.Second)))
	case w.Jitter.Std() >= interval && !s.failed("schedule"):
		s.fault("jitter", w.Jitter.String(), "is not shorter than the schedule's interval", "less than "+Duration(interval).String())
	}
	s.warnClock("schedule", w.Schedule)
	for name := range w.Cookies {
		if !isToken(name) {
			s.fault("cookies."+name, name, "is not the name of a cookie (RFC 6265, 4.1.1)", "letters, digits and most signs but space, comma, semicolon and =")
		} else if !isCookieValue(w.Cookies[name].Reveal()) {
			s.fault("cookies."+name, redacted, "is not the value of a cookie (RFC 6265, 4.1.1)", "ASCII without space, quote, comma, semicolon and backslash")
		}
	}
}

// Bursts asks for rounds of several fetches within the hour on pages that change all the time (SCIENCE A5).
type Bursts struct {
	// Pages take part that changed in at least this share of their hourly fetches.
	When float64 `yaml:"when" jsonschema:"minimum=0,maximum=1"`
	// The fetches of one round, counted from its start.
	Offsets []Duration `yaml:"offsets"`
	// How many rounds are run.
	Rounds int `yaml:"rounds" jsonschema:"minimum=1,maximum=100"`
	// Time from the start of one round to the start of the next; by default 4h, with spread 10h.
	Every Duration `yaml:"every"`
	// Spreads the rounds over the hours of several days, so that no hour of the day is preferred.
	Spread bool `yaml:"spread"`
}

func (b *Bursts) setDefaults() {
	*b = Bursts{
		When:    0.9,
		Offsets: []Duration{0, Duration(2 * time.Minute), Duration(16 * time.Minute), Duration(32 * time.Minute)},
		Rounds:  8,
		Every:   Duration(4 * time.Hour),
	}
}

func (b *Bursts) check(s *section) {
	if b.Spread && !s.has("every") {
		b.Every = Duration(10 * time.Hour)
	}
	if len(b.Offsets) < 2 {
		s.fault("offsets", "", "has fewer than two times, so nothing can be compared", "such as [0s, 2m, 16m, 32m]")
		return
	}
	if len(b.Offsets) > mostOffsets {
		s.fault("offsets", strconv.Itoa(len(b.Offsets))+" times", "are too many for a round", "up to "+strconv.Itoa(mostOffsets))
	}
	if b.Offsets[0] != 0 {
		s.fault("offsets[0]", b.Offsets[0].String(), "is not the start of the round", "0s")
	}
	for i := 1; i < len(b.Offsets); i++ {
		switch least := b.Offsets[i-1] + leastOffset; {
		case b.Offsets[i] <= b.Offsets[i-1]:
			s.fault("offsets["+strconv.Itoa(i)+"]", b.Offsets[i].String(), "does not come after the one before", "at least "+least.String())
		case b.Offsets[i] < least:
			s.fault("offsets["+strconv.Itoa(i)+"]", b.Offsets[i].String(), "comes too soon after the one before", "at least "+least.String())
		}
	}
	if s.failed("offsets") {
		return
	}
	last := len(b.Offsets) - 1
	least := b.Offsets[last] + mostTolerance + min(mostTolerance, (b.Offsets[last]-b.Offsets[last-1])/8)
	if b.Every < least || b.Every > Duration(year) {
		s.fault("every", b.Every.String(), "is not longer than a round with what its fetches may be early or late", "from "+least.String()+" to 1y")
	}
}

// The bounds of rounds; crawler/burst has the same, which a test of cmd/strandline holds. The first fetch of a round may be
// a minute early or late, and each other one an eighth of the time since the one before, a minute at most.
const (
	mostOffsets   = 16
	leastOffset   = Duration(10 * time.Second)
	mostTolerance = Duration(time.Minute)
)

// Notify says who is told of what.
type Notify struct {
	// Names of targets.
	To []Name `yaml:"to" jsonschema:"required"`
	// Which changes are told; all conditions that are given must hold. Every change when left out.
	When *When `yaml:"when"`
	// A cron line: messages are gathered and sent as one at these times; each at once when left out.
	Digest Times `yaml:"digest"`
	// Silence when a page goes back to one of so many last texts; 0 tells it.
	FlapStates int `yaml:"flap_states" jsonschema:"minimum=0,maximum=100"`
	// A page that fails so many times in a row is told once, and once when it answers again; 0 tells neither.
	Failures int `yaml:"failures" jsonschema:"minimum=0,maximum=1000"`
}

func (n *Notify) setDefaults() { *n = Notify{FlapStates: 3, Failures: 3} }

func (n *Notify) check(s *section) {
	if len(n.To) == 0 {
		s.fault("to", "", "names no target", "names of targets such as [ops]")
	}
}

// When picks changes by their measure and words.
type When struct {
	// The Dice value of the word sets before and after is below this; 0 does not ask.
	DiceBelow float64 `yaml:"dice_below" jsonschema:"minimum=0,maximum=1"`
	// A sentence that came matches this regular expression.
	AddedMatches Pattern `yaml:"added_matches"`
	// A sentence that went matches this regular expression.
	RemovedMatches Pattern `yaml:"removed_matches"`
	// The significance of the change is at least this; 0 does not ask.
	Significance float64 `yaml:"significance" jsonschema:"minimum=0,maximum=1"`
}
