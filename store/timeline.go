package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// A page's versions follow from its fetches alone: sorted by time, each run of
// fetches that saw one content is a version. The functions of this file turn
// observations into that timeline. They touch no database, so that the order in
// which captures arrive can be proved not to matter.

// observation is one fetch on its way into a timeline, or read back from one.
type observation struct {
	at, finished, due time.Time
	attempt           int16
	// outcome is what the caller knows: empty for content, whatever the store
	// has to decide. After place it is final.
	outcome Outcome
	kind    Kind
	watch   int32
	status  int
	err     string
	detail  json.RawMessage
	bytes   int64
	hash    SHA256 // of the payload; zero without one
	sha1    SHA1   // of the payload; zero where it is not known
	// refersTo is the URL whose capture brought the payload, empty for the page's own.
	refersTo string
	missing  bool   // read back as an attempt whose payload was not at hand
	head     []byte // as received; nil where it was not kept
	version  int32

	// capture is nil when read back from the database, unless the batch has the
	// same attempt once more and knows its payload.
	capture *Capture
	// twin is the attempt read back from the database that took over the capture
	// of this one.
	twin *observation
	// ghost stands for fetches that retention has dropped: it takes part in the
	// timeline, with count fetches, but is no row.
	ghost bool
	count int
}

// content reports whether the observation saw content that it names by hash.
func (o *observation) content() bool {
	return o.outcome == "" || o.outcome == New || o.outcome == Changed || o.outcome == Same
}

// versionRow is a version as stored.
type versionRow struct {
	number      int32
	first, last time.Time
	fetches     int
	status      int
	bytes       int64
	words       int
	sentences   int
	hash        SHA256
	sha1        SHA1
	record      SHA256
	rules       int
	textHash    [16]byte
	textSince   time.Time
	wordsHash   [16]byte
	linksHash   *[16]byte
	title       string
	language    string
	charset     string
	mediaType   string
	coding      string
	flags       []string
	head        []byte     // as received; nil where retention gave it up
	thinned     *time.Time // when retention gave up the content; nil while it is kept

	// capture reads what the content says, for a version that is made now and was
	// not read before.
	capture *Capture
}

// timeline is a page's run of versions, as far as it was loaded: the last one
// when captures come in order, all of them when it is laid anew.
type timeline struct {
	last *versionRow   // the version that the next observation may extend
	made []*versionRow // versions that place started
}

// place puts observations, which must be sorted and no earlier than all before
// them, behind the timeline, and decides outcome and version of each. known
// tells whether a content can be stored: a payload or its text may be missing.
func (t *timeline) place(obs []*observation, known func(*observation) bool) {
	for _, o := range obs {
		switch {
		case o.outcome == NotModified && t.last != nil && (o.hash == SHA256{} || o.hash == t.last.hash):
			t.last.extend(o)
		case o.outcome == NotModified && (o.hash == SHA256{} || !known(o)):
			o.outcome, o.err = Failed, nothingToExtend
		case o.outcome == NotModified:
			// Read back from the database, where a capture that came late has
			// now split the version that it was counted for.
			t.open(o)
		case !o.content():
			// An attempt without content leaves the timeline as it is.
		case t.last != nil && t.last.hash == o.hash:
			o.outcome, o.err = Same, ""
			t.last.extend(o)
		case !known(o):
			o.outcome, o.err = Failed, missingPayload
		default:
			o.err = ""
			t.open(o)
		}
	}
}

// nothingToExtend is the reason of an answer "not modified" with no version
// before it. When one is imported later, the answer counts for it.
const nothingToExtend = "not modified, but no version is known"

// missingPayload is the reason of a capture that names a payload which no
// capture brought so far. When one does, the capture counts as seen.
const missingPayload = "payload missing: the record refers to a payload that was not imported yet"

func (t *timeline) open(o *observation) {
	v := &versionRow{
		number: 1, first: o.at, status: o.status, hash: o.hash, sha1: o.sha1, head: o.head, capture: o.capture,
	}
	o.outcome = New
	if t.last != nil {
		v.number = t.last.number + 1
		o.outcome = Changed
	}
	t.last = v
	t.made = append(t.made, v)
	v.extend(o)
}

// extend counts the observation for the version. The version keeps the head of
// its first fetch; a fetch keeps its own only where it differs.
func (v *versionRow) extend(o *observation) {
	o.version = v.number
	if o.at.After(v.last) {
		v.last = o.at
	}
	if o.ghost {
		v.fetches += o.count
		return
	}
	v.fetches++
	if bytes.Equal(o.head, v.head) {
		o.head = nil
	}
}

// dateTexts sets, for the versions made, since when their text stands. It wants
// their text hashes filled in.
func (t *timeline) dateTexts(before *versionRow) {
	for _, v := range t.made {
		v.textSince = v.first
		if before != nil && before.textHash == v.textHash {
			v.textSince = before.textSince
		}
		before = v
	}
}

// sortObservations sorts by time; captures of one moment by content, so that the
// order in which they arrived has no say.
func sortObservations(obs []*observation) {
	slices.SortStableFunc(obs, func(a, b *observation) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		if c := bytes.Compare(a.hash[:], b.hash[:]); c != 0 {
			return c
		}
		return cmp.Compare(a.status, b.status)
	})
}

// dropDuplicates returns the new observations that are not among the known ones,
// and the others. Two are the same attempt when time, status and content are the
// same. A known attempt that missed its payload takes over the capture of one
// that has it at hand.
func dropDuplicates(known, fresh []*observation, atHand func(*observation) bool) (kept, dropped []*observation) {
	type key struct {
		at     int64
		status int
		hash   SHA256
		sha1   SHA1
	}
	keyOf := func(o *observation) key {
		k := key{o.at.UnixMicro(), o.status, o.hash, SHA1{}}
		if o.outcome == NotModified {
			k.hash = SHA256{} // an answer without content; the hash came from its version
			return k
		}
		if k.hash == (SHA256{}) {
			k.sha1 = o.sha1
		}
		return k
	}
	seen := make(map[key]*observation, len(known))
	for _, o := range known {
		seen[keyOf(o)] = o
	}
	for _, o := range fresh {
		k := keyOf(o)
		if first, ok := seen[k]; ok {
			if first.missing && first.capture == nil && o.hash != (SHA256{}) && atHand(o) {
				first.capture, o.twin = o.capture, first
			}
			dropped = append(dropped, o)
			continue
		}
		seen[k] = o
		kept = append(kept, o)
	}
	return kept, dropped
}

// numberAttempts numbers the observations of one moment, in sorted order.
func numberAttempts(obs []*observation) {
	var before *observation
	for _, o := range obs {
		if o.ghost {
			continue
		}
		o.attempt = 0
		if before != nil && before.at.Equal(o.at) {
			o.attempt = before.attempt + 1
		}
		before = o
	}
}
