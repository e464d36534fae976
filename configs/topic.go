package configs

import "strings"

// Topic is a query and the collection of pages that serves it, summed up each period (SCIENCE J5, J9 to J13).
type Topic struct {
	// The stable key in SQL, feeds and logs.
	Name Name `yaml:"name" jsonschema:"required"`
	// What the pages are about: words, "quoted phrases", OR between alternatives.
	Query string `yaml:"query"`
	// The language of the sentences; empty finds it page by page.
	Language Language `yaml:"language"`
	// Where the first pages come from.
	Search Search `yaml:"search"`
	// How the collection grows.
	Grow Grow `yaml:"grow"`
	// How many of the best pages are read for the summary; all others are still scored, so that they can return.
	Track int `yaml:"track" jsonschema:"minimum=1,maximum=100000"`
	// When its best pages are fetched; the others are fetched once a day.
	Schedule Schedule `yaml:"schedule"`
	// When a period ends and its summary is made.
	Period Schedule `yaml:"period"`
	// How the summary is made.
	Summary Summary `yaml:"summary"`
	// Who gets the summary.
	Notify *TopicNotify `yaml:"notify"`
}

// Search says where the first pages of a topic come from. Setting searxng or seeds sets the provider too.
type Search struct {
	// Our own archive, a SearXNG server, or a list of pages.
	Provider string `yaml:"provider" jsonschema:"enum=archive,enum=searxng,enum=seeds"`
	// How many hits are taken.
	Results int `yaml:"results" jsonschema:"minimum=1,maximum=10000"`
	// A SearXNG server to ask.
	SearXNG *SearXNG `yaml:"searxng"`
	// The first pages themselves.
	Seeds []URL `yaml:"seeds"`
}

// SearXNG names a search server.
type SearXNG struct {
	// Its address, such as http://127.0.0.1:8888/.
	URL URL `yaml:"url" jsonschema:"required"`
}

func (x *SearXNG) check(s *section) {
	if x.URL == "" {
		s.fault("url", "", "is missing", "the address of a SearXNG server")
	}
}

func (p *Search) check(s *section) {
	if p.SearXNG != nil && s.has("seeds") {
		s.fault("seeds", "", "stands beside searxng", "one of the two")
		return
	}
	implied := ""
	switch {
	case p.SearXNG != nil:
		implied = "searxng"
	case s.has("seeds"):
		implied = "seeds"
	}
	switch {
	case s.failed("provider"):
	case !s.has("provider") && implied != "":
		p.Provider = implied
	case s.has("provider") && implied != "" && p.Provider != implied:
		s.fault("provider", p.Provider, "does not go with the key "+implied, implied)
	case p.Provider == "searxng" && p.SearXNG == nil:
		s.fault("provider", p.Provider, "needs its server", "searxng: {url: ..} beside it")
	case p.Provider == "seeds" && implied == "":
		s.fault("provider", p.Provider, "needs its pages", "seeds: [..] beside it")
	}
	if s.has("seeds") && len(p.Seeds) == 0 {
		s.fault("seeds", "", "is empty", "a list of URLs")
	}
}

// Grow says how a collection gains pages: at the start from links of the hits, then each period from the parents of its best pages.
type Grow struct {
	// How many of the most linked pages are fetched with each click.
	Links int `yaml:"links" jsonschema:"minimum=0,maximum=10000"`
	// How many clicks from the hits.
	Clicks int `yaml:"clicks" jsonschema:"minimum=0,maximum=10"`
	// How many of the best pages are asked for their parents each period.
	Top int `yaml:"top" jsonschema:"minimum=0,maximum=10000"`
	// How many of the most frequent parents are read.
	Parents int `yaml:"parents" jsonschema:"minimum=0,maximum=100000"`
	// How many of the pages that several parents link to are taken, before duplicates and known sites are left out; so fewer join.
	Add int `yaml:"add" jsonschema:"minimum=0,maximum=10000"`
	// Whether a site is a host; otherwise it is a registrable domain.
	ExactHost bool `yaml:"exact_host"`
	// After how many periods of low up-to-date-ness a page leaves.
	LeaveAfter int `yaml:"leave_after" jsonschema:"minimum=1,maximum=1000"`
	// What is low: this share of the mean of the collection; 0 lets only pages go that bring nothing new.
	LeaveBelow float64 `yaml:"leave_below" jsonschema:"minimum=0,maximum=1"`
	// Whether new pages join at once or wait for a person's word.
	Accept string `yaml:"accept" jsonschema:"enum=auto,enum=review"`
}

// Summary says how a period is summed up.
type Summary struct {
	// How many sentences.
	Sentences int `yaml:"sentences" jsonschema:"minimum=1,maximum=1000"`
	// How many words its own sentences may have in all; 0 sets no limit.
	Words int `yaml:"words" jsonschema:"minimum=0,maximum=100000"`
	// How many sentences before and after each are shown with it.
	Context int `yaml:"context" jsonschema:"minimum=0,maximum=10"`
	// One that prefers what no page said before, or the paper's. With paper texts are taken as the paper does, every sentence, and no score has
	// a portion of linked pages.
	Rank string `yaml:"rank" jsonschema:"enum=novel,enum=paper"`
	// The share of a page's score that counts for the pages of its site that link to it.
	Portion float64 `yaml:"portion" jsonschema:"minimum=0,maximum=1"`
	// Whether the weights of terms count the changed pages only, not all that were read.
	ChangedOnly bool `yaml:"changed_only"`
	// The share of common words from which on a sentence is taken for one that the page had; 0 wants the same words.
	Fuzzy float64 `yaml:"fuzzy" jsonschema:"minimum=0,maximum=1"`
}

// TopicNotify says who gets the summaries.
type TopicNotify struct {
	// Names of targets.
	To []Name `yaml:"to" jsonschema:"required"`
}

func (n *TopicNotify) check(s *section) {
	if len(n.To) == 0 {
		s.fault("to", "", "names no target", "names of targets such as [ops]")
	}
}

func (t *Topic) setDefaults() {
	*t = Topic{
		Search:   Search{Provider: "archive", Results: 200},
		Grow:     Grow{Links: 50, Clicks: 2, Top: 10, Parents: 200, Add: 10, LeaveAfter: 8, LeaveBelow: 0.05, Accept: "auto"},
		Track:    150,
		Schedule: mustSchedule("@hourly"),
		Period:   mustSchedule("0 6 */3 * *"),
		Summary:  Summary{Sentences: 10, Context: 1, Rank: "novel", Portion: 0.25},
	}
}

func (t *Topic) check(s *section) {
	s.wantName(t.Name)
	if strings.TrimSpace(t.Query) == "" && t.Search.Provider != "seeds" {
		s.fault("query", "", "is missing", `words such as pfas OR "forever chemicals"`)
	}
	if strings.Count(t.Query, `"`)%2 == 1 {
		s.fault("query", t.Query, "has a quote that is not closed", "")
	}
	s.refuseAuto("schedule", t.Schedule)
	s.refuseAuto("period", t.Period)
	s.warnClock("period", t.Period)
}
