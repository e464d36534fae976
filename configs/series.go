package configs

// Series is a part of the web of which snapshots are taken, one whole breadth-first crawl each (SCIENCE T1, T13).
type Series struct {
	// The stable key in SQL and logs.
	Name Name `yaml:"name" jsonschema:"required"`
	// When a snapshot is taken.
	Schedule Schedule `yaml:"schedule"`
	// The pages at which each crawl starts.
	Seeds []URL `yaml:"seeds"`
	// File with one seed a line; empty lines and lines that start with # are passed over.
	SeedsFile Path `yaml:"seeds_file"`
	// What belongs to the part.
	Scope Scope `yaml:"scope"`
	// Restricts the crawl to sites in one language.
	Language SiteLanguage `yaml:"language"`
	// How new pages are told from old ones found late.
	Novelty Novelty `yaml:"novelty"`
	// What is fetched first: breadth-first, or novelty for hosts and folders that gave novel pages before.
	Order string `yaml:"order" jsonschema:"enum=breadth-first,enum=novelty"`

	listed []URL
}

// Pages gives the seeds, those of seeds and then those of seeds_file, each once.
func (s *Series) Pages() []URL { return once(s.Seeds, s.listed) }

// Scope bounds a crawl. A limit of 0 does not bound.
type Scope struct {
	// Registrable domains such as example.jp, or whole endings such as jp; with hosts empty too, the sites of the seeds.
	Sites []Host `yaml:"sites"`
	// Single hosts, in addition to sites.
	Hosts []Host `yaml:"hosts"`
	// Beginnings of paths, such as /news/; empty for all.
	Paths []string `yaml:"paths"`
	// Pages whose path and query contain one of these texts are left out; a * stands for any run of letters.
	Exclude []string `yaml:"exclude"`
	// The most links from a seed to a page.
	MaxDepth int `yaml:"max_depth" jsonschema:"minimum=0,maximum=1000"`
	// The most pages of one snapshot.
	MaxPages int `yaml:"max_pages" jsonschema:"minimum=0,maximum=10000000000"`
	// The most pages of one host.
	MaxPagesPerHost int `yaml:"max_pages_per_host" jsonschema:"minimum=0,maximum=10000000000"`
}

func (o *Scope) check(s *section) {
	for i, p := range o.Paths {
		if len(p) == 0 || p[0] != '/' {
			s.fault(item("paths", i), p, "is not the beginning of a path", "a text that starts with /, such as /news/")
		}
	}
	for i, e := range o.Exclude {
		if e == "" || e == "*" {
			s.fault(item("exclude", i), e, "would leave out every page", "a part of a path, such as /calendar/")
		}
	}
}

// SiteLanguage stops the crawl of a site none of whose first pages is in the language (SCIENCE T12).
type SiteLanguage struct {
	// The language wanted; empty for any.
	Want Language `yaml:"want"`
	// How many pages of a site are looked at.
	FirstPages int `yaml:"first_pages" jsonschema:"minimum=1,maximum=1000"`
}

// Novelty holds the parameters of the novelty measure (SCIENCE T2, T3, T10).
type Novelty struct {
	// Damping: the share of a page's novelty lost with each link.
	Delta float64 `yaml:"delta" jsonschema:"minimum=0,exclusiveMaximum=1"`
	// How often the scores are passed along the links; 0 until they settle.
	Iterations int `yaml:"iterations" jsonschema:"minimum=0,maximum=1000"`
	// A page that an earlier snapshot crawled or saw a link to is old.
	OldByKnown bool `yaml:"old_by_known"`
	// A page last modified before the last snapshot is old.
	OldByLastModified bool `yaml:"old_by_last_modified"`
	// A page linked from a page last modified before the last snapshot is old.
	OldByLinks bool `yaml:"old_by_links"`
	// A page that its URL, its markup or its text dates before the last snapshot is old (SCIENCE 2.10).
	OldByDates bool `yaml:"old_by_dates"`
	// A page is judged novel from this score on; 0 judges every page novel.
	Threshold float64 `yaml:"threshold" jsonschema:"minimum=0,maximum=1"`
}

func (s *Series) setDefaults() {
	*s = Series{
		Schedule: mustSchedule("0 3 1 * *"),
		Scope:    Scope{MaxDepth: 8, MaxPages: 200000, MaxPagesPerHost: 5000},
		Language: SiteLanguage{FirstPages: 5},
		Novelty:  Novelty{Delta: 0.1, Iterations: 20, OldByKnown: true, OldByLastModified: true, OldByLinks: true, Threshold: 0.1},
		Order:    "breadth-first",
	}
}

func (s *Series) check(sec *section) {
	sec.wantName(s.Name)
	if len(s.Seeds) == 0 && s.SeedsFile == "" && !sec.failed("seeds") {
		sec.fault("", "", "starts nowhere: neither seeds nor seeds_file is set", "")
	}
	sec.warnTwice("seeds", s.Seeds)
	sec.refuseAuto("schedule", s.Schedule)
	sec.warnClock("schedule", s.Schedule)
}
