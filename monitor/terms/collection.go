package terms

// Collection is the language model P(w|C) of a set of pages over all slots so
// far (SCIENCE A24), kept up to date in time proportional to what changes: in
// each slot Change takes the words that a page's new version has more or less
// often than the version before, and Close ends the slot. Pages that did not
// change cost nothing. The zero Collection is ready.
//
// A page whose version of a slot is missing has to be taken out for that slot
// and put back in the next, by Change with all its words.
//
// With N_t the words of all pages at slot t and I_t the sum of 1/N over the
// closed slots up to t, a term whose count stays c from slot a+1 to b adds
// c (I_b - I_a) to the sum of its shares. So a term is touched only when its
// count changes. Equal changes in equal slots give equal bits, in whatever order
// they come within a slot, if a term that leaves one page and enters another is
// changed in both cases.
type Collection struct {
	Slots   int     // closed slots that had words
	Inverse float64 // Σ 1/N_t over them
	Words   int64   // N of the open slot
	Terms   map[string]Use
}

// Use is how a term is used in a collection: a row where it is stored.
type Use struct {
	Count int64   // in the open slot
	Sum   float64 // of its shares until the slot in which Count was last changed
	At    float64 // Inverse at that time
}

// Change adds n, which may be negative, to the count of a term in the open slot.
// Counts do not fall below zero.
func (c *Collection) Change(term string, n int) {
	u := c.Terms[term]
	u.Sum += float64(u.Count) * (c.Inverse - u.At)
	u.At = c.Inverse
	by := max(int64(n), -u.Count)
	u.Count += by
	c.Words += by
	if c.Terms == nil {
		c.Terms = map[string]Use{}
	}
	if u.Count == 0 && u.Sum == 0 {
		delete(c.Terms, term)
		return
	}
	c.Terms[term] = u
}

// Replace changes the counts of the open slot from those of a page's version to
// those of its next one; nil stands for no version.
func (c *Collection) Replace(old, new map[string]int) {
	for w, n := range old {
		if m := new[w]; m != n {
			c.Change(w, m-n)
		}
	}
	for w, n := range new {
		if _, ok := old[w]; !ok {
			c.Change(w, n)
		}
	}
}

// Close ends the open slot. A slot without words is left out of the mean.
func (c *Collection) Close() {
	if c.Words > 0 {
		c.Inverse += 1 / float64(c.Words)
		c.Slots++
	}
}

// Probability returns P(w|C) over the closed slots, 0 for a term that was in
// none of them.
func (c *Collection) Probability(term string) float64 {
	if c.Slots == 0 {
		return 0
	}
	u := c.Terms[term]
	return (u.Sum + float64(u.Count)*(c.Inverse-u.At)) / float64(c.Slots)
}

// ProbabilityNow returns the term's share of the open slot.
func (c *Collection) ProbabilityNow(term string) float64 {
	if c.Words == 0 {
		return 0
	}
	return float64(c.Terms[term].Count) / float64(c.Words)
}
