package neardup

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/text"
)

// plainly makes a sketch by the definition. Keys of sketches are stored, so that what Of
// gives must stay the same.
func plainly(s string) Sketch {
	var hashes []uint64
	var all xxh3.Hasher
	text.EachWord(s, func(w []byte) {
		hashes = append(hashes, xxh3.Hash(w))
		_, _ = all.Write(append(slices.Clone(w), 0))
	})
	k := Sketch{Words: len(hashes), Exact: all.Sum64()}
	distinct := map[uint64]bool{}
	for from := 0; from < len(hashes) && (from == 0 || from+shingleWords <= len(hashes)); from++ {
		var b []byte
		for _, h := range hashes[from:min(from+shingleWords, len(hashes))] {
			b = binary.LittleEndian.AppendUint64(b, h)
		}
		distinct[xxh3.Hash(b)] = true
	}
	for h := range distinct {
		k.shingles = append(k.shingles, h)
	}
	slices.Sort(k.shingles)
	k.all = len(k.shingles)
	for bit := range 64 {
		n := 0
		for _, h := range k.shingles {
			n += int(h>>bit&1)*2 - 1
		}
		if n > 0 {
			k.Simhash |= 1 << bit
		}
	}
	k.shingles = k.shingles[:min(k.all, sampled)]
	return k
}

func TestOfAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	same := func(t interface{ Fatalf(string, ...any) }, s string) {
		got, want := Of(s), plainly(s)
		if len(got.shingles) == 0 && len(want.shingles) == 0 {
			got.shingles, want.shingles = nil, nil
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Sketch{})); diff != "" {
			t.Fatalf("%d bytes (-want +got):\n%s", len(s), diff)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, 4, 5, 6, 67, 68, 69, 1000, 1028, 1029, 20_000} {
		same(t, strings.Join(words(r, n), " "))
	}
	same(t, strings.Repeat("one and the same ", 5000))
	same(t, strings.Repeat("日本語の文章。", 300))
	rapid.Check(t, func(t *rapid.T) { same(t, rapid.String().Draw(t, "text")) })
}
