package novelty

// Class says what is known of a page in a snapshot (SCIENCE T2).
type Class uint8

// The classes. Pages of W are Old, L2 or Unidentified; O is Old and L2 together.
const (
	Absent       Class = iota // neither crawled nor linked to
	Fringe                    // linked to, not crawled: in V, not in W
	Old                       // in O but not in L2: existed before the last snapshot, was not crawled by it
	L2                        // in O, and crawled by this snapshot and by the one before
	Unidentified              // in U: first seen by this snapshot
)

// Crawled reports whether pages of the class are in W.
func (c Class) Crawled() bool { return c >= Old && c <= Unidentified }

// String gives the class as files and tables name it.
func (c Class) String() string {
	switch c {
	case Absent:
		return "absent"
	case Fringe:
		return "fringe"
	case Old:
		return "O"
	case L2:
		return "L2"
	case Unidentified:
		return "U"
	}
	return "unknown"
}

// Flag is what a snapshot and those before it say about a page.
type Flag uint8

// The flags of a page.
const (
	Crawled  Flag = 1 << iota // in W(t_k)
	Previous                  // in W(t_{k-1})
	Known                     // in V(t_j) for some j < k, crawled or fringe; Previous implies it
	Modified                  // a valid Last-Modified before t_{k-1}; see LastModified
	Dated                     // the page itself gives a date before t_{k-1} (SCIENCE 2.10)
)

// Rules are the reasons for which a page counts as old; each can be left out.
type Rules uint8

// The rules. Default are the three of the paper (SCIENCE T2).
const (
	RuleKnown    Rules = 1 << iota // 1: it was seen before, crawled or linked to
	RuleModified                   // 2: it was last modified before the last snapshot
	RuleLinked                     // 3: a crawled page that was last modified before the last snapshot links to it
	RuleDated                      // 4, ours: its own date is before the last snapshot

	DefaultRules = RuleKnown | RuleModified | RuleLinked
)

// Counts are the sizes of a snapshot (SCIENCE T6): L2 + Old + Unidentified = W.
type Counts struct {
	L2           uint64 // crawled by this snapshot and the one before, and old
	Old          uint64 // the other old pages: O \ L2
	Unidentified uint64
	Fringe       uint64
}

// Crawled is the number of pages in W.
func (c Counts) Crawled() uint64 { return c.L2 + c.Old + c.Unidentified }

// Count counts classes.
func Count(classes []Class) Counts {
	var c Counts
	for _, class := range classes {
		switch class {
		case L2:
			c.L2++
		case Old:
			c.Old++
		case Unidentified:
			c.Unidentified++
		case Fringe:
			c.Fringe++
		}
	}
	return c
}
