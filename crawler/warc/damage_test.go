package warc_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// flip changes one byte.
func flip(s string, at int) string {
	b := []byte(s)
	b[at] ^= 0x55
	return string(b)
}

func TestDamage(t *testing.T) {
	t.Parallel()
	p := func(n int) string { return plainRecord(n, noise(1000+n)) }
	z := func(n int) string { return member(p(n)) }
	long := func(n, more int) string { return rawRecord(n, noise(500), 500+more) }
	digest := func(block, payload string) string {
		return strings.Replace(plainRecord(2, "abc"), "Content-Type", "WARC-Block-Digest: "+block+"\r\nWARC-Payload-Digest: "+payload+"\r\nContent-Type", 1)
	}
	sum := warc.SumDigest("sha1", []byte("abc")).String()
	other := warc.SumDigest("sha1", []byte("abd")).String()
	http := strings.NewReplacer("resource", "response", "text/plain", "application/http").Replace(digest(sum, other))

	for _, c := range []struct{ name, file, ids, kinds string }{
		{"plain: cut in block", p(1) + p(2)[:600], "1", "truncated"},
		{"plain: cut in head", p(1) + p(2)[:60], "1", "truncated"},
		{"plain: cut in last line ends", p(1) + p(2)[:len(p(2))-3], "1", "truncated"},
		{"plain: cut then more", p(1) + p(2)[:600] + p(3) + p(4), "1 3 4", "bad-length"},
		{"plain: garbage between", p(1) + "garbage\x00\xff" + p(2), "2", "bad-length"},
		{"plain: garbage at start", "\xef\xbb\xbf" + p(1), "1", "bad-header"},
		{"plain: too long", long(1, 700) + p(2) + p(3), "2 3", "bad-length"},
		{"plain: too long by two", long(1, 2) + p(2), "2", "bad-length"},
		{"plain: too long by four", long(1, 4) + p(2), "2", "bad-length"},
		{"plain: too short", long(1, -7) + p(2), "2", "bad-length"},
		{"plain: 4 GiB", long(1, 4<<30) + p(2), "2", "bad-length"},
		{"plain: 9 EB", long(1, 9e18) + p(2), "2", "bad-length"},
		{"plain: over 9 EB", strings.Replace(p(1), "Length: ", "Length: 99999", 1) + p(2), "2", "bad-length"},
		{"plain: no length", strings.Replace(p(1), "Content-Length", "X", 1) + p(2), "2", "bad-length"},
		{"plain: signed length", strings.Replace(p(1), "Length: ", "Length: +", 1) + p(2), "2", "bad-length"},
		{"plain: two lengths", strings.Replace(p(1), "\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n", 1) + p(2), "2", "bad-length"},
		{"plain: bad version", "WARC/x.y\r\n" + p(1)[10:] + p(2), "2", "bad-header"},
		{"plain: huge line", p(1) + "WARC/1.0\r\nX: " + strings.Repeat("a", 3<<20) + "\r\n\r\n" + p(2), "1 2", "bad-header"},
		{"plain: huge head", p(1) + "WARC/1.0\r\n" + strings.Repeat("a: b\r\n", 1<<19) + "\r\n" + p(2), "1 2", "bad-header"},

		{"gzip: cut in member", z(1) + z(2)[:200], "1", "truncated"},
		{"gzip: cut in gzip head", z(1) + z(2)[:5], "1", "truncated"},
		{"gzip: cut in trailer", z(1) + z(2)[:len(z(2))-3], "1", "truncated"},
		{"gzip: cut then more", z(1) + z(2)[:200] + z(3) + z(4), "1 3 4", "bad-gzip"},
		{"gzip: first cut", z(1)[:200] + z(2), "2", "bad-gzip"},
		{"gzip: checksum", z(1) + flip(z(2), len(z(2))-6) + z(3), "1 3", "bad-gzip"},
		{"gzip: gzip head broken", z(1) + flip(z(2), 1) + z(3), "1 3", "bad-gzip"},
		{"gzip: garbage between", z(1) + "garbage" + z(2), "1 2", "bad-gzip"},
		{"gzip: zeros at end", z(1) + strings.Repeat("\x00", 5000), "1", "bad-gzip"},
		{"gzip: garbage at start", "\xef\xbb\xbf" + z(1), "1", "bad-gzip"},
		{"gzip: too long", member(long(1, 700)) + z(2), "2", "bad-length"},
		{"gzip: too long, last", z(2) + member(long(1, 700)), "2", "truncated"},
		{"gzip: too short", member(long(1, -7)) + z(2), "2", "bad-length"},
		{"gzip: 9 EB", member(long(1, 9e18)) + z(2), "2", "bad-length"},
		{"gzip: no line ends", member(strings.TrimRight(p(1), "\r\n")) + z(2), "2", "bad-length"},
		{"gzip: member ends in head", member("WARC/1.0\r\nWARC-Type: x\r\n") + z(2), "2", "bad-header"},
		{"gzip: member of something else", z(1) + member("something else") + z(2), "1 2", "bad-header"},
		{"gzip: one member, too short inside", member(p(1)+long(2, -7)+p(3)) + z(4), "1 3 4", "bad-length"},
		{"gzip: huge line", z(1) + member("WARC/1.0\r\nX: "+strings.Repeat("a", 3<<20)+"\r\n\r\n") + z(2), "1 2", "bad-header"},

		{"digests right", digest(sum, sum), "2", ""},
		{"block digest", digest(other, sum), "", "bad-digest"},
		{"payload digest", digest(sum, other), "", "bad-digest"},
		{"unreadable digest", digest("sha1:123", sum), "2", ""},
		{"unreadable and wrong digest", digest("crc32:12345678", other), "", "bad-digest"},
		{"right digest, garbage behind", digest(sum, sum) + "garbage" + p(3), "3", "bad-length"},
		{"http block without end of head", http, "", "bad-digest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := bothWays(t, c.file, warc.Options{Verify: true})
			if s.ids != c.ids || s.kinds != c.kinds {
				t.Errorf("records %q, want %q; damage %q, want %q\n%v", s.ids, c.ids, s.kinds, c.kinds, s.damage)
			}
			for _, d := range s.damage {
				if d.Offset < 0 || d.Offset > int64(len(c.file)) {
					t.Errorf("offset outside the file: %v", d)
				}
			}
		})
	}
}

// TestEveryCut cuts a file at every byte: the records before the cut must all be
// there, the one cut must not, and its damage must name where it starts.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	for _, zip := range []bool{false, true} {
		var file string
		var starts []int
		for n := range 3 {
			rec := plainRecord(n, noise(40+n))
			if zip {
				rec = member(rec)
			}
			starts = append(starts, len(file))
			file += rec
		}
		starts = append(starts, len(file))
		for cut := 5; cut < len(file); cut++ {
			s := bothWays(t, file[:cut], warc.Options{Verify: true})
			whole := 0
			for whole < 3 && starts[whole+1] <= cut {
				whole++
			}
			want := strings.Join([]string{"0", "1", "2"}[:whole], " ")
			switch {
			case s.ids == want && starts[whole] == cut && s.kinds == "":
			case s.ids == want && s.kinds == "truncated" && s.damage[0].Offset == int64(starts[whole]):
			default:
				t.Fatalf("zip %v, cut at %d: records %q, want %q; damage %v", zip, cut, s.ids, want, s.damage)
			}
		}
	}
}

// TestEveryFlip changes every byte of the middle one of three members. Its
// neighbours must always be read.
func TestEveryFlip(t *testing.T) {
	t.Parallel()
	a, b, c := member(plainRecord(1, "first")), member(plainRecord(2, noise(50))), member(plainRecord(3, "third"))
	for i := range len(b) {
		s := bothWays(t, a+flip(b, i)+c, warc.Options{})
		switch {
		case s.ids == "1 3" && len(s.damage) == 1:
		// Time, system and level in the gzip head do not matter.
		case s.ids == "1 2 3" && i >= 4 && i < 10 && len(s.damage) == 0:
		default:
			t.Errorf("byte %d: records %q, damage %v", i, s.ids, s.damage)
		}
	}
}

// TestSwallowingBudget: every record claims the rest of the file, so each makes
// the reader go back. It must neither lose a record nor read without end.
func TestSwallowingBudget(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for n := range 2000 {
		b.WriteString(rawRecord(n, "x", 1<<40))
	}
	in := &counting{r: strings.NewReader(b.String())}
	r, err := warc.NewReader(in, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	damage := 0
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			damage++
		}
	}
	if limit := int64(2*b.Len() + 32<<20); in.n > limit {
		t.Errorf("%d bytes read of a file of %d", in.n, b.Len())
	}
	if damage == 0 {
		t.Error("no damage reported")
	}
}

type counting struct {
	r io.ReadSeeker
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counting) Seek(off int64, whence int) (int64, error) { return c.r.Seek(off, whence) }

// TestBomb: a member whose block is over MaxBlock is not inflated.
func TestBomb(t *testing.T) {
	t.Parallel()
	bomb := member(plainRecord(1, strings.Repeat("\x00", 4<<20)))
	r, err := warc.NewReader(strings.NewReader(bomb+member(plainRecord(2, "x"))), warc.Options{MaxBlock: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	var d *warc.Damage
	if !errors.As(err, &d) || d.Kind != warc.BadLength {
		t.Fatalf("Next on a bomb: %v", err)
	}
	rec, err := r.Next()
	if err != nil || rec.ID != "urn:uuid:2" {
		t.Fatalf("record behind a bomb: %v", err)
	}
}
