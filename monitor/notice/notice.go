// Package notice holds the rules by which changes become messages, and the messages.
//
// The main types are Rule, the conditions of a watch on one change; States, the flap
// guard; Window, which finds pages that bring too many messages; and Message, which
// says what happened to a person or a program. All are plain values: what was told
// before is given in and comes back changed, for the caller to keep.
//
// Left out: where messages go, how they are delivered, and what a page is.
package notice

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Rule is the conditions of a watch; all that are set must hold. The zero Rule
// matches every change.
type Rule struct {
	DiceBelow    float64        // Dice is below this; 0 does not ask
	Significance float64        // significance is at least this; 0 does not ask
	Added        *regexp.Regexp // matches a sentence that came; nil does not ask
	Removed      *regexp.Regexp // matches a sentence that went; nil does not ask
}

// Change is what a rule looks at.
type Change struct {
	Dice, Significance float64
	Added, Removed     []string // sentences, without what is ignored or noise
}

// Match reports whether a change is to be told.
func (r Rule) Match(c Change) bool {
	return (r.DiceBelow == 0 || c.Dice < r.DiceBelow) &&
		(r.Significance == 0 || c.Significance >= r.Significance) &&
		(r.Added == nil || slices.ContainsFunc(c.Added, r.Added.MatchString)) &&
		(r.Removed == nil || slices.ContainsFunc(c.Removed, r.Removed.MatchString))
}

// States are hashes of the last texts of a page, the newest last.
type States []int64

// Step adds the text that a change led to and reports whether it is one of the last
// n, so that the page has only gone back to what was known. Before is the text that the
// change left, which a page seen for the first time has not told yet. With n below 1
// nothing is known again.
func (s States) Step(before, after int64, n int) (States, bool) {
	if n < 1 {
		return nil, false
	}
	if len(s) == 0 || s[len(s)-1] != before {
		s = append(s, before)
	}
	s = s[max(0, len(s)-n):]
	again := slices.Contains(s, after)
	s = append(slices.DeleteFunc(slices.Clone(s), func(h int64) bool { return h == after }), after)
	return s[max(0, len(s)-n):], again
}

// noisyDay is how many messages of a page in a day are too many to be read: one every
// two hours.
const noisyDay = 12

// Window counts the messages of a page in a day.
type Window struct {
	Since time.Time // start of the day; zero: none was counted
	Count int
}

// Add counts a message and reports whether it is the one that makes the page noisy.
func (w Window) Add(at time.Time) (Window, bool) {
	if w.Since.IsZero() || at.Sub(w.Since) >= 24*time.Hour || at.Before(w.Since) {
		w = Window{Since: at}
	}
	w.Count++
	return w, w.Count == noisyDay
}

// ID names a message by what it tells, so that telling it twice can be noticed.
func ID(parts ...any) string {
	h := sha256.New()
	for _, p := range parts {
		if t, ok := p.(time.Time); ok {
			p = t.UTC().Format(time.RFC3339Nano)
		}
		s := fmt.Sprint(p)
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return "msg_" + hex.EncodeToString(h.Sum(nil)[:16])
}

// Hash is a hash of a text for States. White space does not count.
func Hash(text string) int64 {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	var h int64
	for _, b := range sum[:8] {
		h = h<<8 | int64(b)
	}
	return h
}
