package robotcache

import (
	"time"

	"github.com/strandlinehq/strandline/crawler/robots"
)

// Ignored is the policy of hosts whose robots.txt the operator chose not to obey.
const Ignored robots.Policy = "ignored"

// Rules are what the robots.txt of one origin says to our agent. They do not change.
type Rules struct {
	Origin string
	Policy robots.Policy // Parsed, Unavailable, Unreachable or Ignored
	// Stale tells that the host could not be asked this time and the rules are those it had.
	Stale bool
	// Status is that of the last answer, 0 if there was none; Err is then the reason.
	Status int
	Err    error
	// Redirects is how many were followed to the file.
	Redirects int
	FetchedAt time.Time // of the last attempt
	Expires   time.Time // when the next attempt is due
	// UnreachableSince is when the host stopped answering; zero if it answers.
	UnreachableSince time.Time

	file *robots.File // ours only, whatever the agent
}

// Allowed reports whether we may fetch an address of this origin, an absolute URL or a path with
// its query.
func (r *Rules) Allowed(address string) bool { return r.file.Allowed("", address) }

// CrawlDelay returns the pause between requests that the host asks for; zero if it does not.
func (r *Rules) CrawlDelay() time.Duration {
	d, _ := r.file.CrawlDelay("")
	return d
}

// Sitemaps returns the addresses of the sitemaps that the file names, as written.
func (r *Rules) Sitemaps() []string { return r.file.Sitemaps() }

// judge makes rules of an answer. Before are the rules so far, nil if there were none.
func (c *Cache) judge(origin string, before *Rules, a Answer, hops int) *Rules {
	now := c.opt.Clock.Now()
	file, policy := robots.ForStatus(a.Status, a.Body)
	r := &Rules{
		Origin: origin, Policy: policy, Status: a.Status, Err: a.Err, Redirects: hops,
		FetchedAt: now, Expires: now.Add(c.opt.TTL),
	}
	if policy != robots.Unreachable {
		r.file = file.Only(c.opt.Agent)
		return r
	}
	r.file = file
	r.Expires = now.Add(min(max(c.opt.RetryAfter, a.RetryAfter), c.opt.TTL))
	r.UnreachableSince = now
	if before == nil {
		return r
	}
	if !before.UnreachableSince.IsZero() {
		r.UnreachableSince = before.UnreachableSince
	}
	switch {
	case before.Policy != robots.Unreachable:
		// RFC 9309 section 2.4 lets a copy be used for longer while the host is unreachable, and
		// section 2.3.1.4 does not end that.
		r.Policy, r.file, r.Stale = before.Policy, before.file, true
	case now.Sub(r.UnreachableSince) >= robots.UnreachableLimit:
		r.Policy, r.file = robots.Unavailable, &robots.File{}
	}
	return r
}
