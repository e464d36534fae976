package text

import (
	"math"
	"slices"

	"github.com/zeebo/xxh3"
)

// NewSentences returns the sentences of new whose normal form (Normal) is not
// among those of old, each once, in their order in new (SCIENCE J7, paper J
// section 3.1). What has no word at all ("...") is never new.
func NewSentences(old, new []string) []string {
	seen := make(map[string]bool, len(old)+len(new))
	for _, s := range old {
		seen[Normal(s)] = true
	}
	seen[""] = true
	var out []string
	for _, s := range new {
		if n := Normal(s); !seen[n] {
			seen[n] = true
			out = append(out, s)
		}
	}
	return out
}

// SameWords is the likeness from which on NewFuzzy takes two sentences for the
// same one (SCIENCE J7).
const SameWords = 0.8

// NewFuzzy is NewSentences with a softer "the same": a sentence is new only if
// every sentence of old, and every one already returned, has a Jaccard
// coefficient below threshold with it, on their sets of words (EachWord):
//
//	J(A, B) = |A ∩ B| / |A ∪ B|
//
// It finds reworded and reordered sentences; it also hides a changed number in
// a long sentence ("26 killed" to "31 killed"), so callers that care for those
// use NewSentences. threshold lies in (0, 1]; anything else means SameWords.
func NewFuzzy(old, new []string, threshold float64) []string {
	if !(threshold > 0 && threshold <= 1) {
		threshold = SameWords
	}
	sets := make([][]uint64, 0, len(old)+len(new))
	count := map[uint64]int{}
	for _, group := range [][]string{old, new} {
		for _, s := range group {
			set := wordHashes(s)
			for _, h := range set {
				count[h]++
			}
			sets = append(sets, set)
		}
	}
	// Prefix filter: with the words of each set ordered from rare to common,
	// two sets with J >= threshold share a word among the first
	// |A| - ceil(threshold |A|) + 1 of each.
	rarer := func(a, b uint64) int {
		if d := count[a] - count[b]; d != 0 {
			return d
		}
		if a < b {
			return -1
		}
		return 1
	}
	index := map[uint64][]int{} // prefix word -> sets that are known
	prefix := func(set []uint64) []uint64 {
		slices.SortFunc(set, rarer)
		return set[:len(set)-int(math.Ceil(threshold*float64(len(set))-1e-9))+1]
	}
	checked := make([]int, len(sets)) // last set that was compared with this one
	var out []string
	for i, set := range sets {
		if len(set) == 0 {
			continue
		}
		rare := slices.Clone(prefix(set))
		slices.Sort(set)
		if i >= len(old) {
			if known(sets, index, checked, i, rare, threshold) {
				continue
			}
			out = append(out, new[i-len(old)])
		}
		for _, h := range rare {
			index[h] = append(index[h], i)
		}
	}
	return out
}

// known reports whether a set in the index is like set i.
func known(sets [][]uint64, index map[uint64][]int, checked []int, i int, rare []uint64, threshold float64) bool {
	for _, h := range rare {
		for _, j := range index[h] {
			if checked[j] == i {
				continue
			}
			checked[j] = i
			if jaccard(sets[i], sets[j]) >= threshold-1e-9 {
				return true
			}
		}
	}
	return false
}

// jaccard works on sorted sets; two empty ones are alike.
func jaccard(a, b []uint64) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	if len(a)+len(b) == 0 {
		return 1
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// wordHashes returns the sorted set of the hashes of the words of s.
func wordHashes(s string) []uint64 {
	var set []uint64
	EachWord(s, func(w []byte) { set = append(set, xxh3.Hash(w)) })
	slices.Sort(set)
	return slices.Compact(set)
}
