// Package feature turns a sentence into the vector by which sentences are
// compared: stems of its content words, weighted by how rare they are, numbers
// and names above plain words, parts of dates below (SCIENCE 2.6: a changed
// number is news, a changed date of the day is not).
//
//   - Of reads a sentence into a Vector, which is what is kept of it.
//   - Counts knows in how many sentences each term occurs and gives its idf.
//   - Counts.Weigh makes a Unit of a Vector, a vector of length 1, and Cosine
//     compares two of these.
//   - SameFigures tells whether two sentences give the same numbers.
//
// Terms are XXH3 hashes, the same on all machines. Left out: synonyms, and
// anything that must be trained.
package feature

import (
	"cmp"
	"math"
	"slices"
)

// Kind tells what a term is.
type Kind uint8

// Kinds, in rising order of their weight.
const (
	Date   Kind = iota // a month, a day of the week, or a number of a date or time
	Word               // a stem
	Name               // a stem written with a capital inside of a sentence
	Number             // an amount
)

// weight of a kind against a plain word. A date says when, which is the same for
// all sentences of a day and other for every day.
func (k Kind) weight() float64 {
	switch k {
	case Date:
		return 0.3
	case Name:
		return 1.3
	case Number:
		return 1.5
	}
	return 1
}

// Term is a term of a sentence. An amount has the same hash however it is
// written: "1,200", "1200" and "1.2 thousand".
type Term struct {
	Hash  uint64
	Kind  Kind
	Count uint8 // occurrences, at most 255
}

// Strength is the weight of the term before its rarity: that of its kind, times
// 1 + ln count.
func (t Term) Strength() float64 {
	return t.Kind.weight() * (1 + math.Log(float64(max(t.Count, 1))))
}

// Vector holds the terms of a sentence by rising hash.
type Vector []Term

// Figures lists the hashes of the amounts of v, rising.
func (v Vector) Figures() []uint64 {
	var out []uint64
	for _, t := range v {
		if t.Kind == Number {
			out = append(out, t.Hash)
		}
	}
	return out
}

// SameFigures reports whether the amounts of v are among those of w: a sentence
// that repeats another may leave out a number, but not bring one.
func SameFigures(v, w Vector) bool {
	for _, t := range v {
		if t.Kind != Number {
			continue
		}
		i, ok := slices.BinarySearchFunc(w, t.Hash, func(t Term, h uint64) int { return cmp.Compare(t.Hash, h) })
		if !ok || w[i].Kind != Number {
			return false
		}
	}
	return true
}

// SameButFigures reports whether two sentences have the same terms but for their
// amounts.
func SameButFigures(v, w Vector) bool {
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		for i < len(v) && v[i].Kind == Number {
			i++
		}
		for j < len(w) && w[j].Kind == Number {
			j++
		}
		if i == len(v) || j == len(w) {
			return i == len(v) && j == len(w)
		}
		if v[i].Hash != w[j].Hash {
			return false
		}
	}
}

// vector sorts terms and joins equal ones; the strongest kind stays.
func vector(terms []Term) Vector {
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Compare(a.Hash, b.Hash) })
	out := terms[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].Hash == t.Hash {
			out[n-1].Kind = max(out[n-1].Kind, t.Kind)
			out[n-1].Count = uint8(min(int(out[n-1].Count)+int(t.Count), math.MaxUint8))
			continue
		}
		out = append(out, t)
	}
	return Vector(out)
}

// Counts holds in how many sentences each term occurs. The zero Counts is ready.
type Counts struct {
	sentences int
	of        map[uint64]int32
}

// Add counts a sentence.
func (c *Counts) Add(v Vector) {
	if c.of == nil {
		c.of = map[uint64]int32{}
	}
	c.sentences++
	for _, t := range v {
		c.of[t.Hash]++
	}
}

// Sentences returns how many sentences were counted.
func (c *Counts) Sentences() int { return c.sentences }

// Of returns in how many of them a term occurs.
func (c *Counts) Of(hash uint64) int { return int(c.of[hash]) }

// IDF returns the weight of a term by its rarity, above 0 also where nothing was
// counted yet:
//
//	idf = ln(1 + (N + 1) / (n + 1))
func (c *Counts) IDF(hash uint64) float64 { return IDF(c.sentences, int(c.of[hash])) }

// IDF is the formula of Counts.IDF for a term that occurs in n of all sentences.
func IDF(all, n int) float64 { return math.Log(1 + float64(all+1)/float64(n+1)) }

// Entry is a coordinate of a Unit.
type Entry struct {
	Hash uint64
	W    float64
}

// Unit is a vector of length 1 by rising hash; that of a sentence without terms
// is empty.
type Unit []Entry

// Weigh returns the unit vector of a sentence: for each term
//
//	w = Strength · idf
func (c *Counts) Weigh(v Vector) Unit {
	out := make(Unit, 0, len(v))
	sum := 0.0
	for _, t := range v {
		w := t.Strength() * c.IDF(t.Hash)
		out = append(out, Entry{t.Hash, w})
		sum += w * w
	}
	if length := math.Sqrt(sum); length > 0 {
		for i := range out {
			out[i].W /= length
		}
	}
	return out
}

// Cosine returns the cosine of the angle between two sentences, from 0, nothing
// in common, to 1; 0 if one of them is empty.
func Cosine(a, b Unit) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Hash < b[j].Hash:
			i++
		case a[i].Hash > b[j].Hash:
			j++
		default:
			sum += a[i].W * b[j].W
			i++
			j++
		}
	}
	return min(sum, 1)
}
