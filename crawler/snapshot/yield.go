package snapshot

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/store"
)

// yields are what folders gave so far, from which the order of a series by novelty
// follows (SCIENCE T14, 3.2). A URL that was first heard of since the snapshot
// before is a candidate, and stands for the chance that its page is novel; a page
// that was known before is none, but may link to candidates. With x the novel pages
// a fetch gives in the folder of a candidate, and d the candidates that a fetch of a
// known page is the first to link to,
//
//	priority of a candidate  = x
//	priority of a known page = d / (1 + d)
//
// since the d candidates cost a fetch each. x and d are drawn from what is believed
// of them (Thompson sampling), so a folder of which little is known is tried now and
// then:
//
//	mean = (2 m + gained) / (2 + fetched)     m: the mean of the host, its own of all hosts
//	x ~ mean + sqrt(mean / (2 + fetched)) z,   z normal, from the hash of snapshot and page
//
// It is safe for concurrent use.
type yields struct {
	mu    sync.Mutex
	arms  map[armKey]*arm
	hosts map[armKey]*arm // without folder
	all   [2]arm          // candidates, known pages
}

type armKey struct {
	host   store.HostID
	folder string
	known  bool
}

type arm struct{ fetched, gained float64 }

func (a *arm) add(y store.Yield) { a.fetched, a.gained = a.fetched+y.Fetched, a.gained+y.Gained }

// newYields takes up what earlier fetches gave.
func newYields(past []store.Yield) *yields {
	y := &yields{arms: map[armKey]*arm{}, hosts: map[armKey]*arm{}}
	y.learn(past)
	return y
}

// learn adds fetches.
func (y *yields) learn(more []store.Yield) {
	if y == nil {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, m := range more {
		folder, known := strings.CutPrefix(m.Folder, "+")
		key := armKey{m.Host, folder, known}
		for _, a := range []*arm{getArm(y.arms, key), getArm(y.hosts, armKey{m.Host, "", known}), &y.all[index(known)]} {
			a.add(m)
		}
	}
}

func getArm(m map[armKey]*arm, k armKey) *arm {
	a := m[k]
	if a == nil {
		a = &arm{}
		m[k] = a
	}
	return a
}

func index(known bool) int {
	if known {
		return 1
	}
	return 0
}

// priors of a candidate and a known page, before anything was fetched.
const (
	priorNovel  = 0.5
	priorFinds  = 0.5
	priorWeight = 2
	lowest      = 1e-6 // above 0, by which the index of the frontier tells such rows
)

// draw gives the priority of a URL.
func (y *yields) draw(snapshot store.SnapshotID, page store.PageID, host store.HostID, folder string, known bool) float32 {
	y.mu.Lock()
	mean := priorNovel
	if known {
		mean = priorFinds
	}
	var last arm
	for _, a := range []*arm{&y.all[index(known)], y.hosts[armKey{host, "", known}], y.arms[armKey{host, folder, known}]} {
		last = arm{}
		if a != nil {
			last = *a
		}
		mean = (priorWeight*mean + last.gained) / (priorWeight + last.fetched)
	}
	y.mu.Unlock()
	x := mean + math.Sqrt(mean/(priorWeight+last.fetched))*normal(uint64(snapshot), uint64(page))
	x = max(x, 0)
	if known {
		x /= 1 + x
	}
	return float32(min(max(x, lowest), 1))
}

// normal gives a normal variate for two numbers (Box and Muller).
func normal(a, b uint64) float64 {
	var buf [17]byte
	for i := range 8 {
		buf[i], buf[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	h := xxh3.Hash128(buf[:])
	u := (float64(h.Lo>>11) + 1) / (1 << 53)
	v := float64(h.Hi>>11) / (1 << 53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// order gives finds their priorities, and counts what the pages of a batch gave.
func (y *yields) order(ctx context.Context, tx *store.Tx, c *crawl, batch []*finished, finds []store.Find, from []int, w *written) error {
	if y == nil {
		return nil
	}
	pages := make([]store.PageID, len(finds))
	for i, f := range finds {
		pages[i] = f.Page
	}
	urls, err := tx.PageURLs(ctx, pages)
	if err != nil {
		return err
	}
	known := make(map[store.PageID]store.KnownURL, len(urls))
	for _, u := range urls {
		known[u.Page] = u
	}
	candidates := make([]float64, len(batch))
	for i := range finds {
		u := known[finds[i].Page]
		old := !c.candidate(u.Heard)
		if !old {
			candidates[from[i]]++
		}
		finds[i].Priority = y.draw(c.ID, u.Page, u.Host, folderOf(u.URL), old)
	}
	sum := map[armKey]*arm{}
	for i, f := range batch {
		if !f.later.IsZero() {
			continue
		}
		key := armKey{store.HostID(f.host.ID), folderOf(f.URL.URL), !c.candidate(f.Heard)}
		gained := candidates[i]
		if !key.known {
			gained = 0
			if f.row.Crawled && !f.Trap && !(f.row.Valid && f.row.LastModified.Before(c.before)) {
				gained = 1
			}
		}
		getArm(sum, key).add(store.Yield{Fetched: 1, Gained: gained})
	}
	for key, a := range sum {
		folder := key.folder
		if key.known {
			folder = "+" + folder
		}
		w.yields = append(w.yields, store.Yield{Host: key.host, Folder: folder, Fetched: a.fetched, Gained: a.gained})
	}
	return nil
}

// candidate reports whether a page first heard of at a time may be novel.
func (c *crawl) candidate(heard time.Time) bool { return heard.After(c.before) }

// folderOf is the first part of a canonical URL's path, if another one follows it.
func folderOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	folder, _, ok := strings.Cut(path, "/")
	if !ok {
		return "/"
	}
	return "/" + folder + "/"
}
