package warc_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// zeros is an endless block.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestMemory reads blocks far larger than what they may cost. It is not parallel
// as it measures what the whole process allocates.
func TestMemory(t *testing.T) {
	const size, most = 16 << 20, 6 << 20
	head, _, _ := strings.Cut(rawRecord(1, "", size), "\r\n\r\n")
	bomb := member(plainRecord(1, strings.Repeat("\x00", size)))
	junk := member(plainRecord(1, "x") + strings.Repeat("\x00", size))
	for name, in := range map[string]io.Reader{
		"plain block": io.MultiReader(strings.NewReader(head+"\r\n\r\n"), io.LimitReader(zeros{}, size), strings.NewReader("\r\n\r\n")),
		"gzip bomb":   strings.NewReader(bomb),
		"junk":        strings.NewReader(junk),
		"header":      io.MultiReader(strings.NewReader("WARC/1.0\r\nX: "), io.LimitReader(zeros{}, size)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := warc.NewReader(in, warc.Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				block, whole, err := rec.AppendBlock(nil, 1000)
				if name != "junk" && (len(block) != 1000 || whole || err != nil) {
					t.Errorf("%s: %d bytes, whole %v, %v", name, len(block), whole, err)
				}
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d bytes allocated, want at most %d", name, got, most)
		}
	}
}
