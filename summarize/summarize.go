// Package summarize runs the topics: it forms their collections, follows them
// period by period, and stores what each period brought (SCIENCE J1 to J14, 3.3 to
// 3.5). The measures are those of the packages below this one; here they meet the
// store.
//
//   - Runner.Form asks a Provider for the first pages of a topic and takes in the
//     pages that these link to (J5). Each call goes as far as the pages that have
//     been fetched allow, so that a daemon fetches them under its usual rules.
//   - Runner.Period sums up one period: new sentences (J6, J7), weights and scores
//     (J1 to J4), growth and leaving (J10), the summary in both modes (J11), trends.
//   - Runner.CatchUp does so for all periods that have ended.
//
// All of it can be stopped at any point and repeated: a period is stored in one
// transaction, in place of what was computed of it before, and depends on the
// stored pages and the periods before it alone. So it works the same behind a
// live crawl and on imported archives.
//
// Left out: fetching (the daemon does it, a topic being a watch to it), and how a
// summary looks (cmd/internal/digest).
package summarize

import (
	"context"
	"log/slog"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Settings are what the configuration says of a topic beyond its query.
type Settings struct {
	Provider   Provider // where the first pages come from; nil: none are looked for
	Results    int      // how many hits are taken (SCIENCE J5); 0 means 200
	Links      int      // how many linked pages each click brings
	Clicks     int      // how many clicks from the hits
	Top        int      // how many of the best pages are asked for their parents (SCIENCE J10); 0: it does not grow
	Parents    int      // how many of these are read
	Add        int      // how many pages are taken before filters
	Review     bool     // new pages wait for a person's word
	Track      int      // best pages that are read for the summary (SCIENCE J9); 0 means 150
	Sentences  int      // of a summary; 0 means 10
	Context    int      // neighbours that are kept with a sentence, on each side; at least 1
	Words      int      // longest total of a summary's own sentences; 0: no limit
	Portion    float64  // of the score of a linked page of the site (paper J section 5); 0: none
	LeaveAfter int      // periods of low up-to-date-ness after which a page leaves; 0 means 8
	LeaveBelow float64  // what is low: so much of the collection's mean; 0: only what brings nothing new
	// Plain takes texts as paper J does (SCIENCE J6, J7): every sentence, also what a site repeats, what is no
	// prose, and all states of a sentence whose figures change.
	Plain       bool
	ChangedOnly bool    // N of the weights counts the changed pages only (SCIENCE J1)
	Fuzzy       float64 // likeness of words from which on a sentence is an old one (SCIENCE J7); 0: the same words
	ExactHost   bool    // a site is a host, not a registrable domain (SCIENCE J10)
	// Next gives the end of the period that a time belongs to: the first moment after
	// it at which a period ends.
	Next func(time.Time) time.Time
}

func (s Settings) withDefaults() Settings {
	set := func(n *int, usual int) {
		if *n <= 0 {
			*n = usual
		}
	}
	set(&s.Results, 200)
	set(&s.Track, 150)
	set(&s.Sentences, 10)
	set(&s.LeaveAfter, 8)
	return s
}

// Provider finds the first pages of a topic.
type Provider interface {
	// Find returns up to limit pages for a query in a language, "" being any, the best
	// first. What the provider itself did wrong is an error for people to read; finding
	// nothing is none.
	Find(ctx context.Context, query, language string, limit int) ([]Hit, error)
}

// Hit is a page that a provider found.
type Hit struct {
	URL    string // canonical
	Reason string // why, in words
}

// Options of a Runner. The zero Options is a good default.
type Options struct {
	Now    func() time.Time // nil means time.Now
	Logger *slog.Logger     // nil logs nothing
	// Patience is how long Form waits for the pages of a step to be fetched before it
	// goes on without them; 0 means 2 h, negative does not wait.
	Patience time.Duration
	// Retry is how long after a provider failed, or found nothing, it is asked again;
	// doubled with each time up to a day; 0 means 10 min.
	Retry time.Duration
	// Search bounds all that is asked of a provider at a time; 0 means 2 min.
	Search time.Duration
}

// Runner forms and sums up topics.
type Runner struct {
	db  *store.DB
	opt Options
	now func() time.Time
	log *slog.Logger
}

// New returns a runner on a database.
func New(db *store.DB, opt Options) *Runner {
	r := &Runner{db: db, opt: opt, now: opt.Now, log: opt.Logger}
	if r.now == nil {
		r.now = time.Now
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.opt.Patience == 0 {
		r.opt.Patience = 2 * time.Hour
	}
	if r.opt.Retry <= 0 {
		r.opt.Retry = 10 * time.Minute
	}
	if r.opt.Search <= 0 {
		r.opt.Search = 2 * time.Minute
	}
	return r
}
