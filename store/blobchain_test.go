package store

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/store/body"
)

// TestChainsOfTwoPasses: reading the first base of each body, and all others only for pages that ask for more, gives
// the frames and states that reading every candidate gives where those pages come last, also where bases are missing.
func TestChainsOfTwoPasses(t *testing.T) {
	t.Parallel()
	codec := body.New(body.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		texts := make([]string, rapid.IntRange(1, 4).Draw(rt, "pages"))
		quick, slow := newChainWorld(len(texts)), newChainWorld(len(texts))
		stored := map[ContentKey][]byte{}
		for range rapid.IntRange(1, 12).Draw(rt, "batches") {
			var raws [][]byte
			var of []int
			for range rapid.IntRange(1, 4).Draw(rt, "bodies") {
				p := rng.IntN(len(texts))
				texts[p] = edited(rng, texts[p])
				raws, of = append(raws, []byte(texts[p])), append(of, p)
			}
			quick.add(raws, of)
			quick.pass(t, codec, stored, false)
			order := quick.order()
			quick.pass(t, codec, stored, true)
			quick.sort(order)
			slow.add(raws, of)
			slow.sort(order)
			slow.pass(t, codec, stored, true)
			if d := cmp.Diff(slow.frames(), quick.frames()); d != "" {
				rt.Fatalf("frames of two passes (+) and of one:\n%s", d)
			}
			if d := cmp.Diff(slow.states(t), quick.states(t)); d != "" {
				rt.Fatalf("states of two passes (+) and of one:\n%s", d)
			}
			for _, j := range quick.chain.jobs[bodyTable] {
				if stored[j.key] = j.raw; rng.IntN(12) == 0 {
					delete(stored, j.key) // retention, or damage
				}
			}
		}
	})
}

// TestFirstPassReadsOne: of a page with a chain the first pass reads one base, with which part of the versions is done.
func TestFirstPassReadsOne(t *testing.T) {
	t.Parallel()
	codec := body.New(body.Options{})
	w, stored := newChainWorld(1), map[ContentKey][]byte{}
	rng := rand.New(rand.NewPCG(1, 0))
	page, waited := edited(rng, ""), 0
	const versions = 40
	for i := range versions {
		lines := strings.Split(page, "\n")
		lines[i%len(lines)] = fmt.Sprintf("<p>another sentence, the %dth, that took the place of one</p>", i)
		page = strings.Join(lines, "\n")
		w.add([][]byte{[]byte(page)}, []int{0})
		keys, err := w.chain.bases(bodyTable, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) > 1 {
			t.Errorf("version %d: the first pass reads %d bases", i+1, len(keys))
		}
		w.pass(t, codec, stored, false)
		if len(w.chain.rest(bodyTable)) > 0 {
			waited++
			w.pass(t, codec, stored, true)
		}
		for _, j := range w.chain.jobs[bodyTable] {
			stored[j.key] = j.raw
		}
	}
	if waited == 0 || waited >= versions-3 {
		t.Errorf("%d of %d versions waited for the second pass", waited, versions)
	}
}

// chainWorld is a host with pages, whose bodies are encoded batch by batch.
type chainWorld struct {
	pages []*pageBatch
	chain *hostChain
	host  body.Host
}

func newChainWorld(pages int) *chainWorld {
	w := &chainWorld{}
	for i := range pages {
		w.pages = append(w.pages, &pageBatch{id: PageID(i + 1), state: &PageState{}, fresh: []*observation{{}}})
	}
	return w
}

// add begins a batch: body i is of page of[i]. A body that is there twice counts once, as in a batch.
func (w *chainWorld) add(raws [][]byte, of []int) {
	if w.chain != nil {
		w.host = w.chain.hosts[bodyTable]
	}
	w.chain = &hostChain{}
	w.chain.hosts[bodyTable] = w.host
	for i, raw := range raws {
		j := blobJob{table: bodyTable, page: w.pages[of[i]], key: ContentKey{Hash: sha256.Sum256(raw)}, raw: raw}
		w.chain.jobs[bodyTable] = append(w.chain.jobs[bodyTable], j)
	}
}

// order lists the bodies that have their frame, then the others.
func (w *chainWorld) order() map[ContentKey]int {
	out := map[ContentKey]int{}
	for _, done := range []bool{true, false} {
		for _, j := range w.chain.jobs[bodyTable] {
			if j.done == done {
				out[j.key] = len(out)
			}
		}
	}
	return out
}

func (w *chainWorld) sort(order map[ContentKey]int) {
	slices.SortFunc(w.chain.jobs[bodyTable], func(a, b blobJob) int { return order[a.key] - order[b.key] })
}

// pass encodes what is left with the bases that a pass reads.
func (w *chainWorld) pass(t testing.TB, codec *body.Codec, stored map[ContentKey][]byte, all bool) {
	t.Helper()
	keys, err := w.chain.bases(bodyTable, all)
	if err != nil {
		t.Fatal(err)
	}
	bases := baseSet{all: all}
	bases.add(keys, stored)
	if err := w.chain.encode(t.Context(), codec, bodyTable, bases); err != nil {
		t.Fatal(err)
	}
}

func (w *chainWorld) frames() []body.Frame {
	var out []body.Frame
	for _, j := range w.chain.jobs[bodyTable] {
		out = append(out, j.frame)
	}
	return out
}

func (w *chainWorld) states(t testing.TB) [][]byte {
	t.Helper()
	host, err := w.chain.hosts[bodyTable].MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	out := [][]byte{host}
	for _, p := range w.pages {
		out = append(out, p.state.bodyChain)
	}
	return out
}

// edited changes a page: a little, beyond recognition, or by what it grows.
func edited(rng *rand.Rand, page string) string {
	sentence := func() string {
		var b strings.Builder
		for range 8 {
			fmt.Fprintf(&b, "%x ", rng.Uint32())
		}
		return b.String()
	}
	lines := strings.Split(page, "\n")
	switch n := rng.IntN(10); {
	case page == "" || n == 0:
		lines = lines[:0]
		for range 20 {
			lines = append(lines, sentence())
		}
	case n < 3:
		for range 8 {
			lines[rng.IntN(len(lines))] = sentence()
		}
	default:
		lines[rng.IntN(len(lines))] = sentence()
	}
	return strings.Join(lines, "\n")
}
