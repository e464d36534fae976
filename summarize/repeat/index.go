package repeat

import (
	"math"
	"math/bits"
	"slices"

	"github.com/strandlinehq/strandline/summarize/feature"
)

// Options of an Index. The zero Options is a good default.
type Options struct {
	// Reads is how many entries of the inverted index one search may look at;
	// 0 means 8,000. It reads the rarest terms first and of each the latest
	// sentences, so what it leaves out shares nothing but common words. A search
	// that finds a close sentence stops long before.
	Reads int
}

// Sentence is what the index keeps of a sentence.
type Sentence struct {
	Key    int64  // the caller's number for it
	Period int64  // when it was said, a number that rises with time
	Normal uint64 // hash of its normal form, for exact repetition
	Terms  feature.Vector
}

// Index holds the past sentences of a topic.
type Index struct {
	reads     int
	sentences []Sentence
	exact     map[uint64]int32 // Normal -> the first sentence with it
	ids       map[uint64]int32 // term -> its number
	terms     []term
	norms     []float64 // of each sentence, by the idf of this epoch
	epoch     int       // the idf is that of the first epoch sentences

	score   []float64 // scratch of a search, by sentence; 0 where it was not met
	touched []int32
	asked   []queried
}

type term struct {
	idf   float64
	lists []posting // by rising sentence
}

type posting struct {
	sentence int32
	strength float32
}

// NewIndex returns an empty index.
func NewIndex(opt Options) *Index {
	if opt.Reads <= 0 {
		opt.Reads = 8_000
	}
	return &Index{reads: opt.Reads, exact: map[uint64]int32{}, ids: map[uint64]int32{}}
}

// Len returns the number of sentences.
func (x *Index) Len() int { return len(x.sentences) }

// Each calls f with every sentence in the order in which they were added.
func (x *Index) Each(f func(Sentence)) {
	for _, s := range x.sentences {
		f(s)
	}
}

// Add puts a sentence into the index. Its terms are not copied.
func (x *Index) Add(s Sentence) {
	n := int32(len(x.sentences))
	x.sentences = append(x.sentences, s)
	if _, ok := x.exact[s.Normal]; !ok {
		x.exact[s.Normal] = n
	}
	for _, t := range s.Terms {
		id, ok := x.ids[t.Hash]
		if !ok {
			id = int32(len(x.terms))
			x.ids[t.Hash] = id
			x.terms = append(x.terms, term{idf: feature.IDF(x.epoch, 0)})
		}
		x.terms[id].lists = append(x.terms[id].lists, posting{n, float32(t.Strength())})
	}
	if e := epochOf(len(x.sentences)); e != x.epoch {
		x.reweigh(e)
		return
	}
	x.norms = append(x.norms, x.norm(s.Terms))
	x.score = append(x.score, 0)
}

// epochOf is n with only its first three bits: the idf is renewed each time the
// index has grown by an eighth to a quarter, so that all of it costs no more than
// a few passes, and it depends on the sentences alone.
func epochOf(n int) int {
	if drop := bits.Len(uint(n)) - 3; drop > 0 {
		return n >> drop << drop
	}
	return n
}

// reweigh takes the idf of the first epoch sentences.
func (x *Index) reweigh(epoch int) {
	x.epoch = epoch
	for i := range x.terms {
		lists := x.terms[i].lists
		n, _ := slices.BinarySearchFunc(lists, int32(epoch), func(p posting, e int32) int { return int(p.sentence) - int(e) })
		x.terms[i].idf = feature.IDF(epoch, n)
	}
	x.norms = x.norms[:0]
	for _, s := range x.sentences {
		x.norms = append(x.norms, x.norm(s.Terms))
	}
	x.score = make([]float64, len(x.sentences))
}

// idf of a term, also of one that the index has not seen.
func (x *Index) idf(hash uint64) float64 {
	if id, ok := x.ids[hash]; ok {
		return x.terms[id].idf
	}
	return feature.IDF(x.epoch, 0)
}

func (x *Index) norm(v feature.Vector) float64 {
	sum := 0.0
	for _, t := range v {
		w := t.Strength() * x.idf(t.Hash)
		sum += w * w
	}
	return math.Sqrt(sum)
}
