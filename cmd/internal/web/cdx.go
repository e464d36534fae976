package web

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/cdxquery"
	"github.com/strandlinehq/strandline/cmd/internal/memento"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// Bounds of what one query of the CDX server reads.
const (
	cdxPages = 200000 // pages of a host that may be put in order
	cdxHosts = 1024   // hosts of a domain whose pages are read at once, at most
	cdxBatch = 64     // pages whose captures are read at once, at most
	// Captures that are read at once of one page.
	cdxRowsOfPage = 1000
	cdxRows       = 20000 // captures of a batch from which on the next one is small
)

func (s *Server) cdxRoutes() []route {
	return []route{{"GET /cdx", s.cdx, viewer, false}}
}

// keyed are pages whose captures stand under one key, such as those of http and
// https.
type keyed struct {
	key   string
	pages []store.Page
}

// cdx tells which captures are stored, in the order of their keys and times.
func (s *Server) cdx(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	q, err := cdxquery.Parse(v)
	if err != nil {
		return badRequest("This is no query of captures: " + err.Error() + ".")
	}
	c := q.Collector()
	if err := s.cdxCollect(r.Context(), &q, c); err != nil {
		return err
	}
	body, err := c.Write()
	if err != nil {
		return err
	}
	if place, ok := c.Next(); ok {
		v.Set("resumeKey", place.String())
		w.Header().Set("Link", memento.Link{URI: s.origin(r) + "/cdx?" + v.Encode(), Rel: "next"}.String())
	}
	kind := "text/x-cdxj; charset=utf-8"
	if q.JSON {
		kind = "application/json"
	}
	s.send(w, r, http.StatusOK, kind, body)
	return nil
}

// cdxCollect gives the captures that a query means to a collector until it has enough.
// All keys of a host begin alike, so the pages of a domain are read host by host, in
// the order of their keys, and no further than the answer goes.
func (s *Server) cdxCollect(ctx context.Context, q *cdxquery.Query, c *cdxquery.Collector) error {
	form, err := s.form(q.URL)
	if err != nil {
		return badRequest("The URL cannot be read: it wants http or https, and a host.")
	}
	u, err := url.Parse(form)
	if err != nil {
		return badRequest("The URL cannot be read.")
	}
	if q.Match != cdxquery.Prefix {
		q.URL = form // a prefix may end in the middle of what the canonical form changes
	}
	bare := strings.TrimPrefix(u.Host, "www.")
	hosts := []string{bare, "www." + bare}
	switch q.Match {
	case cdxquery.Exact:
		pages, err := s.sameKey(ctx, u)
		if err != nil {
			return err
		}
		_, err = s.cdxCaptures(ctx, q, cdxGroups(q, pages), c)
		return err
	case cdxquery.Domain:
		if hosts, err = s.db.DomainHosts(ctx, bare); err != nil {
			return err
		}
	}
	alike := hostsByKey(hosts)
	if q.Resume != nil {
		from, _, _ := strings.Cut(q.Resume.Key, ")")
		alike = slices.DeleteFunc(alike, func(h keyedHosts) bool { return h.key < from+")" })
	}
	for batch := 1; len(alike) > 0; {
		batch = min(batch, len(alike))
		var names []string
		for _, h := range alike[:batch] {
			names = append(names, h.hosts...)
		}
		pages, err := s.db.HostPages(ctx, names, cdxPages+1)
		if err != nil {
			return err
		}
		if len(pages) > cdxPages {
			if batch == 1 {
				return badRequest("More than 200,000 pages of one host are meant; ask for a longer prefix, or for pages.")
			}
			batch = 1
			continue
		}
		alike = alike[batch:]
		if more, err := s.cdxCaptures(ctx, q, cdxGroups(q, pages), c); err != nil || !more {
			return err
		}
		batch = min(2*batch, cdxHosts)
	}
	return nil
}

// keyedHosts are hosts whose keys begin alike, such as those with www. and without.
type keyedHosts struct {
	key   string // with the parenthesis that ends it
	hosts []string
}

// hostsByKey puts hosts in the order in which their pages stand in an index.
func hostsByKey(hosts []string) []keyedHosts {
	byKey := map[string][]string{}
	for _, h := range hosts {
		scheme := "http://"
		if strings.HasSuffix(h, ":80") {
			scheme = "https://" // of http the port would not be in the name
		}
		key, _, _ := strings.Cut(cdxj.SURT(scheme+h+"/"), ")")
		byKey[key+")"] = append(byKey[key+")"], h)
	}
	out := make([]keyedHosts, 0, len(byKey))
	for key, hosts := range byKey {
		out = append(out, keyedHosts{key, hosts})
	}
	slices.SortFunc(out, func(a, b keyedHosts) int { return strings.Compare(a.key, b.key) })
	return out
}

// cdxGroups puts the pages that a query means in the order of their keys, from the
// place on where an answer before it ended.
func cdxGroups(q *cdxquery.Query, pages []store.Page) []keyed {
	byKey := map[string][]store.Page{}
	for _, p := range pages {
		if key := cdxj.SURT(p.URL); q.Matches(key) && (q.Resume == nil || key >= q.Resume.Key) {
			byKey[key] = append(byKey[key], p)
		}
	}
	groups := make([]keyed, 0, len(byKey))
	for key, pages := range byKey {
		groups = append(groups, keyed{key, pages})
	}
	slices.SortFunc(groups, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	return groups
}

// sameKey finds the pages of a URL in the forms that have one key: with http and
// https, with www. and without.
func (s *Server) sameKey(ctx context.Context, u *url.URL) ([]store.Page, error) {
	bare := strings.TrimPrefix(u.Host, "www.")
	var out []store.Page
	for _, scheme := range []string{"http", "https"} {
		for _, host := range []string{bare, "www." + bare} {
			one := *u
			one.Scheme, one.Host = scheme, host
			p, err := s.db.PageByURL(ctx, one.String())
			switch {
			case errors.Is(err, store.ErrNotFound):
			case err != nil:
				return nil, err
			case !slices.ContainsFunc(out, func(o store.Page) bool { return o.ID == p.ID }):
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// line is a capture with its place.
type line struct {
	entry cdxj.Entry
	at    cdxquery.Place
}

// cdxCaptures gives the captures of groups to a collector, and reports whether it
// takes more.
func (s *Server) cdxCaptures(ctx context.Context, q *cdxquery.Query, groups []keyed, c *cdxquery.Collector) (more bool, err error) {
	if len(groups) == 1 && len(groups[0].pages) == 1 {
		return s.cdxPage(ctx, q, groups[0], c)
	}
	for batch := 1; len(groups) > 0; {
		some := groups[:min(batch, len(groups))]
		// Captures of two pages under one key stand between each other.
		firsts := q.Firsts() && !slices.ContainsFunc(some, func(g keyed) bool { return len(g.pages) > 1 })
		groups = groups[len(some):]
		keys, urls := map[store.PageID]string{}, map[store.PageID]string{}
		var ids []store.PageID
		for _, g := range some {
			for _, p := range g.pages {
				keys[p.ID], urls[p.ID], ids = g.key, p.URL, append(ids, p.ID)
			}
		}
		lines, read := map[string][]line{}, 0
		err := s.db.EachMemento(ctx, ids, q.From, q.To, firsts, func(m store.Memento) error {
			read++
			l := cdxLine(keys[m.Page], urls[m.Page], m)
			if q.Resume == nil || placed(q.Resume, &l.at) < 0 {
				lines[l.at.Key] = append(lines[l.at.Key], l)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		for _, g := range some {
			list := lines[g.key]
			slices.SortFunc(list, func(a, b line) int { return placed(&a.at, &b.at) })
			for _, l := range list {
				if !c.Add(l.entry, l.at) {
					return false, nil
				}
			}
		}
		if batch = min(2*batch, cdxBatch); read > cdxRows {
			batch = 1 // long histories: the next may be as long
		}
	}
	return true, nil
}

// cdxPage gives the captures of one page to a collector, which come in their order: no
// more are read than it takes, some at a time.
func (s *Server) cdxPage(ctx context.Context, q *cdxquery.Query, g keyed, c *cdxquery.Collector) (more bool, err error) {
	page := g.pages[0]
	after := store.MementoMark{At: q.From.Add(-time.Microsecond), Attempt: math.MaxInt16}
	if q.From.IsZero() {
		after = store.MementoMark{}
	}
	if r := q.Resume; r != nil && r.Key == g.key && r.At.After(after.At) {
		after = store.MementoMark{At: r.At.Add(-time.Microsecond), Attempt: math.MaxInt16} // others of its moment are told apart by placed
	}
	for {
		rows, err := s.db.MementosAfter(ctx, page.ID, after, cdxRowsOfPage)
		if err != nil {
			return false, err
		}
		for _, m := range rows {
			if !q.To.IsZero() && m.At.After(q.To) {
				return true, nil
			}
			l := cdxLine(g.key, page.URL, m)
			if q.Resume != nil && placed(q.Resume, &l.at) >= 0 {
				continue
			}
			if !c.Add(l.entry, l.at) {
				return false, nil
			}
		}
		if len(rows) < cdxRowsOfPage {
			return true, nil
		}
		after = rows[len(rows)-1].Mark()
	}
}

// placed compares the places of captures.
func placed(a, b *cdxquery.Place) int {
	return cmp.Or(strings.Compare(a.Key, b.Key), a.At.Compare(b.At), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Attempt, b.Attempt))
}

// cdxLine is a capture as a line of an index.
func cdxLine(key, page string, m store.Memento) line {
	e := cdxj.New(page, m.At)
	e.Key, e.Status, e.MIME = key, m.Status, m.MediaType
	if m.URI != "" {
		e.URL = m.URI
	}
	switch {
	case m.SHA1 != (store.SHA1{}):
		e.Digest = warc.Digest{Algo: "sha1", Sum: m.SHA1[:]}.String()
	case m.Hash != (store.SHA256{}):
		e.Digest = warc.Digest{Algo: "sha256", Sum: m.Hash[:]}.String()
	}
	if e.MIME == "" && len(m.Head) > 0 {
		if head, err := warc.ParseHTTP(m.Head); err == nil {
			e.MIME = head.MediaType()
		}
	}
	return line{e, cdxquery.Place{Key: key, At: m.At, Page: int64(m.Page), Attempt: m.Attempt}}
}
