// Package dom follows the elements of a page over its versions (paper A section
// 5; SCIENCE A26 to A31).
//
// Lines serialises one version: a Line for each element, at its end tag. Sorter
// and Reduce are the paper's two operations on the lines of any number of
// versions, in bounded memory. On them stand Lifespans and Survive (how long do
// paths last, Table 4), Blocks (how long does a content last, at its place and
// travelling, Figure 7), Together (which blocks change with each other), and the
// Selectors of an element with a forecast of how long they will find it.
//
// A State is what is kept of the elements of one page to give lifespans and
// blocks without its old versions.
//
// The outline of a page comes from crawler/extract; Parse makes one of markup,
// for fragments too. What is undefined is said by a second result, never by NaN.
//
// Left out: storing, drawing, and matching of elements that moved and changed at
// once.
package dom

import (
	"iter"
	"math/bits"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// Line is one element of one version (SCIENCE A26).
type Line struct {
	// FullPath is as "/html[0]/body[0]/p[2]": indices among siblings of the same
	// tag, from 0. Brackets and percent signs, which broken markup can bring into
	// a tag's name, are written %5B, %5D and %25.
	FullPath string
	TypePath string  // "(/html/body/p)[2]": index among elements of that type path, in the order of start tags
	Node     Hash    // of its own text: its chunks joined by one space
	Subtree  Hash    // of all text in it, joined likewise
	Version  float64 // time of the version in hours, or its number

	// The texts themselves, if Lines was asked for them. They make the lines
	// of a deep page long.
	NodeText, SubtreeText string
}

// Hash is a hash of a text. Equal texts have equal hashes on all machines; two
// different ones share a hash with probability of some 2^-60. 0 is the hash of
// the empty text. It does not resist someone who seeks collisions.
type Hash uint64

// The hash of a text of n words with the hashes w_1 ... w_n is
//
//	Σ w_i base^(n-i)  modulo 2^61 - 1
//
// so that the hash of a subtree follows from running hashes of the whole page,
// in constant time whatever its size.
const (
	prime = 1<<61 - 1
	base  = 0x12d3f0b1a6c58e97 & prime
)

// HashText returns the hash of a text whose words are separated by spaces or
// line ends; how many does not count.
func HashText(s string) Hash {
	h := uint64(0)
	for len(s) > 0 {
		var w string
		if w, s = cutWord(s); w != "" {
			h = addMod(mulMod(h, base), symbol(w))
		}
	}
	return Hash(h)
}

func cutWord(s string) (word, rest string) {
	for i := range len(s) {
		if s[i] == ' ' || s[i] == '\n' {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func symbol(word string) uint64 { return xxh3.HashString(word)%(prime-1) + 1 }

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&prime, hi<<3|lo>>61)
}

func addMod(a, b uint64) uint64 {
	s := a + b // both below 2^61
	if s >= prime {
		s -= prime
	}
	return s
}

// Lines returns the lines of one version in the order of the end tags. nodes is
// an outline in pre-order, as of extract.Page.Nodes or Parse; it may have several
// roots. texts asks for the texts beside their hashes.
func Lines(nodes []extract.Node, version float64, texts bool) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		var w walker
		w.hash(nodes)
		types := map[typeKey]int{}
		typePaths := []typePath{{}}
		index := make([]int, len(nodes)) // in the type path
		typeOf := make([]int, len(nodes))
		paths := make([]string, len(nodes))
		w.walk(nodes, func(i, nth int) {
			n := &nodes[i]
			parent, above := 0, ""
			if n.Parent >= 0 {
				parent, above = typeOf[n.Parent], paths[n.Parent]
			}
			k := typeKey{parent, n.Tag}
			t, ok := types[k]
			if !ok {
				t = len(typePaths)
				types[k] = t
				typePaths = append(typePaths, typePath{path: typePaths[parent].path + "/" + escapeTag(n.Tag)})
			}
			typeOf[i], index[i] = t, typePaths[t].count
			typePaths[t].count++
			paths[i] = above + stepText(n.Tag, nth)
		}, func(i int) bool {
			l := Line{
				FullPath: paths[i],
				TypePath: "(" + typePaths[typeOf[i]].path + ")[" + strconv.Itoa(index[i]) + "]",
				Node:     w.node(i),
				Subtree:  w.subtree(nodes, i),
				Version:  version,
			}
			if texts {
				l.NodeText, l.SubtreeText = nodeText(nodes, i), subtreeText(nodes, i)
			}
			return yield(l)
		})
	}
}

type typeKey struct {
	parent int
	tag    string
}

type typePath struct {
	path  string
	count int
}

func nodeText(nodes []extract.Node, i int) string {
	var parts []string
	for k := i + 1; k < int(nodes[i].End); k = int(nodes[k].End) {
		if nodes[k].Tag == "" {
			parts = append(parts, nodes[k].Text)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, " "), "\n", " ")
}

func subtreeText(nodes []extract.Node, i int) string {
	var parts []string
	for k := i + 1; k < int(nodes[i].End); k++ {
		if nodes[k].Tag == "" {
			parts = append(parts, nodes[k].Text)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, " "), "\n", " ")
}
