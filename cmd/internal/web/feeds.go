package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// What a feed holds.
const (
	feedEntries   = 40  // on one page of it
	feedSentences = 12  // of a change, each way
	feedText      = 600 // bytes of a sentence
)

// The ids of feeds are made under a name that is nobody's, so that they stay the
// same whatever name and address the program answers under.
const (
	feedAuthority = "strandline.localhost"
	feedSince     = "2026"
)

func (s *Server) feedRoutes() []route {
	return []route{
		{"GET /feeds/all.atom", s.feedAll, viewer, false},
		{"GET /feeds/watch/{file}", s.feedWatch, viewer, false},
	}
}

// origin is the address under which the reader reached us, without a path.
func (s *Server) origin(r *http.Request) string {
	u := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil || s.access.closed() && s.fromProxy(r) && r.Header.Get("X-Forwarded-Proto") == "https" {
		u.Scheme = "https"
	}
	return u.String()
}

func (s *Server) feedAll(w http.ResponseWriter, r *http.Request) error {
	f := atom.Feed{
		ID: atom.Tag(feedAuthority, feedSince, "feed", "all"), Title: "Strandline: all changes", Subtitle: "Changes of watched pages that are more than noise.",
		Page: s.origin(r) + "/",
	}
	return s.feed(w, r, f, store.ChangeFilter{})
}

func (s *Server) feedWatch(w http.ResponseWriter, r *http.Request) error {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".atom")
	if !ok {
		return notFound("The feed of a watch ends in .atom.")
	}
	watches, err := s.db.Watches(r.Context())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(watches, func(w store.WatchRow) bool { return w.Name == name })
	if i < 0 {
		return notFound("There is no watch of that name.")
	}
	f := atom.Feed{
		ID: atom.Tag(feedAuthority, feedSince, "feed", "watch", name), Title: "Strandline: " + name, Subtitle: "Changes of the pages of one watch that are more than noise.",
		Page: s.origin(r) + query("/pages", "watch", name),
	}
	return s.feed(w, r, f, store.ChangeFilter{Watches: []int32{watches[i].ID}})
}

// feed answers with the newest changes, or those after a place. The parameter
// significance leaves out smaller ones.
func (s *Server) feed(w http.ResponseWriter, r *http.Request, f atom.Feed, of store.ChangeFilter) error {
	q := r.URL.Query()
	var err error
	if text := q.Get("significance"); text != "" {
		if of.Significance, err = strconv.ParseFloat(text, 64); err != nil || !(of.Significance >= 0 && of.Significance <= 1) {
			return badRequest("A significance is a number from 0 to 1.")
		}
	}
	if of.After, err = readChangeMark(q.Get("after")); err != nil {
		return err
	}
	of.Limit = feedEntries + 1
	rows, err := s.db.ListChanges(r.Context(), of)
	if err != nil {
		return err
	}
	origin := s.origin(r)
	self := origin + r.URL.EscapedPath()
	f.Author, f.Self, f.Updated = "Strandline", self, time.Unix(0, 0)
	if r.URL.RawQuery != "" {
		f.Self += "?" + q.Encode()
	}
	if len(rows) > feedEntries {
		rows = rows[:feedEntries]
		f.Next = query(self, "significance", q.Get("significance"), "after", writeChangeMark(rows[feedEntries-1].Mark()))
	}
	if len(rows) > 0 {
		f.Updated = rows[0].At
	}
	pages := make([]store.PageID, len(rows))
	for i := range rows {
		pages[i] = rows[i].Page
	}
	masks, err := s.db.Masks(r.Context(), pages)
	if err != nil {
		return err
	}
	for i := range rows {
		if i > 0 && changeID(&rows[i]) == changeID(&rows[i-1]) {
			continue // an archive had two contents of one moment
		}
		e, err := s.feedEntry(r.Context(), origin, &rows[i], masks[rows[i].Page])
		if err != nil {
			return err
		}
		f.Entries = append(f.Entries, e)
	}
	doc, err := atom.Write(f)
	if err != nil {
		return err
	}
	s.send(w, r, http.StatusOK, atom.ContentType, doc)
	return nil
}

// changeID is the id of a change. Its time is in it rather than its number,
// because versions are numbered anew when an older capture comes.
func changeID(c *store.ChangeRow) string {
	sum := sha256.Sum256([]byte(c.URL))
	return atom.Tag(feedAuthority, feedSince, "change", hex.EncodeToString(sum[:12]), strconv.FormatInt(c.At.UnixMicro(), 10))
}

// feedEntry is a change with the sentences that came and went.
func (s *Server) feedEntry(ctx context.Context, origin string, c *store.ChangeRow, mask []byte) (atom.Entry, error) {
	title := headingOf(store.PageView{PageRow: store.PageRow{Title: c.Title, URL: c.URL}})
	e := atom.Entry{
		ID: changeID(c), Title: title, Updated: c.At, Published: c.At, Categories: []string{c.Host},
		Link:    fmt.Sprintf("%s/pages/%d/diff?a=%d&b=%d", origin, c.Page, c.Version-1, c.Version),
		Summary: fmt.Sprintf("%s came, %s went; Dice %s.", plural(int64(c.SentencesAdded), "sentence", "sentences"), plural(int64(c.SentencesRemoved), "sentence", "sentences"), diceWords(c.Dice)),
	}
	if u, err := url.Parse(c.URL); err == nil && u.IsAbs() {
		e.Source = u.String()
	}
	content, err := s.changeContent(ctx, c, mask)
	if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
		return e, err
	}
	e.Content = slices.Concat(content, []atom.Block{{Text: "Compare the versions", Href: e.Link}})
	return e, nil
}

// changeContent lists the sentences of a change but for known noise.
func (s *Server) changeContent(ctx context.Context, c *store.ChangeRow, mask []byte) (atom.Content, error) {
	a, err := s.db.VersionNumber(ctx, c.Page, c.Version-1)
	if err != nil {
		return nil, err
	}
	b, err := s.db.VersionNumber(ctx, c.Page, c.Version)
	if err != nil {
		return nil, err
	}
	v, err := compare.Read(ctx, s.db, a, b)
	if err != nil {
		return nil, err
	}
	v.Mask(mask)
	var added, removed atom.Content
	more := 0
	for _, one := range v.Sentences() {
		if one.Moved || one.Noise || one.Op == diff.Keep {
			continue
		}
		list, kind := &added, atom.Added
		if one.Op == diff.Delete {
			list, kind = &removed, atom.Removed
		}
		if len(*list) == feedSentences {
			more++
			continue
		}
		*list = append(*list, atom.Block{Kind: kind, Text: cut(one.Text, feedText)})
	}
	out := slices.Concat(added, removed)
	if more > 0 {
		out = append(out, atom.Block{Text: "and " + plural(int64(more), "more sentence", "more sentences")})
	}
	return out, nil
}

// cut shortens a text to some bytes, at the end of a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for i := range text {
		if i > most-4 {
			return text[:i] + "…"
		}
	}
	return text
}

// writeChangeMark writes the place of a change for an address.
func writeChangeMark(m store.ChangeMark) string {
	return fmt.Sprintf("%d_%d_%d", m.At.UnixMicro(), m.Page, m.Version)
}

func readChangeMark(text string) (*store.ChangeMark, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, "_")
	var n [3]int64
	ok := len(parts) == len(n)
	for i := 0; ok && i < len(n); i++ {
		var err error
		n[i], err = strconv.ParseInt(parts[i], 10, 64)
		ok = err == nil
	}
	if !ok || n[0] < -6e16 || n[0] > 2e17 || n[1] < 0 || n[2] < 0 || n[2] >= 1<<31 {
		return nil, badRequest("The place to go on from is not one that a list has given out.")
	}
	return &store.ChangeMark{At: time.UnixMicro(n[0]).UTC(), Page: store.PageID(n[1]), Version: int32(n[2])}, nil
}
