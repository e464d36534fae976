package warc_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// noise is text that compresses badly, so that members have some length.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	one, two, three := plainRecord(1, noise(100)), plainRecord(2, ""), plainRecord(3, noise(70_000))
	all := one + two + three
	half := len(one) + len(two) + 5000
	for _, c := range []struct{ name, file string }{
		{"plain", all},
		{"member a record", member(one) + member(two) + member(three)},
		{"one member", member(all)},
		{"members cut anywhere", member(all[:50]) + member(all[50:half]) + member(all[half:])},
		{"plain then gzip", one + member(two) + member(three)},
		{"gzip then plain", member(one) + two + three},
		{"LF only", strings.ReplaceAll(all, "\r\n", "\n")},
		{"empty members", member("") + member(one) + member("") + member(two+three) + member("")},
		{"more line ends", one + "\r\n\r\n" + two + "\n" + three},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := bothWays(t, c.file, warc.Options{})
			if s.ids != "1 2 3" || s.kinds != "" {
				t.Fatalf("records %q, damage %v", s.ids, s.damage)
			}
			if diff := cmp.Diff([]string{noise(100), "", noise(70_000)}, s.blocks); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	a, b, c := plainRecord(1, noise(900)), plainRecord(2, noise(80)), plainRecord(3, "x")
	za, zb := member(a), member(b+c)
	type place struct{ Offset, InMember, Length int64 }
	for _, tc := range []struct {
		name, file string
		want       []place
	}{
		{"plain", a + b + c, []place{
			{0, 0, int64(len(a))},
			{int64(len(a)), 0, int64(len(b))},
			{int64(len(a + b)), 0, int64(len(c))},
		}},
		{"gzip", za + zb, []place{
			{0, 0, int64(len(za))},
			{int64(len(za)), 0, -1},
			{int64(len(za)), int64(len(b)), -1},
		}},
	} {
		var got []place
		for _, r := range bothWays(t, tc.file, warc.Options{}).recs {
			got = append(got, place{r.Offset, r.InMember, r.Length()})
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	file := "WARC/0.18\nwarc-type:RESPONSE\nWARC-Record-ID: <urn:x>\nWARC-Date: 2001-02-03 04:05:06\n" +
		"WARC-Target-URI: <http://example.com/>\nX-Long: one\n two\n\t three\n \nX-Caf\xe9: a\x00b\nno field\ncontent-length: 2\n\nab\n\n"
	s := bothWays(t, file, warc.Options{})
	if len(s.recs) != 1 {
		t.Fatalf("records %q, damage %v", s.ids, s.damage)
	}
	r := s.recs[0]
	if r.Version != "0.18" || r.Type != warc.TypeResponse || r.ID != "urn:x" || r.TargetURI != "http://example.com/" ||
		!r.Date.Equal(time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)) {
		t.Errorf("head read as %+v", r)
	}
	want := warc.Header{
		{"warc-type", "RESPONSE"},
		{"WARC-Record-ID", "<urn:x>"},
		{"WARC-Date", "2001-02-03 04:05:06"},
		{"WARC-Target-URI", "<http://example.com/>"},
		{"X-Long", "one two three"},
		{"X-Café", "a b"},
		{"content-length", "2"},
	}
	if diff := cmp.Diff(want, r.Header); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if len(r.Flaws) != 2 { // not UTF-8, a line without a name
		t.Errorf("flaws %v", r.Flaws)
	}
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	good := plainRecord(1, "x")
	for _, c := range []struct {
		name, old, new string
		want           warc.Kind
	}{
		{"no type", "WARC-Type: resource\r\n", "", warc.BadHeader},
		{"no id", "WARC-Record-ID: <urn:uuid:1>\r\n", "", warc.BadHeader},
		{"no date", "WARC-Date: 2020-02-03T04:05:06Z\r\n", "", warc.BadDate},
		{"bad date", "2020-02-03", "2020-02-31", warc.BadDate},
		{"no URI", "WARC-Target-URI: http://example.com/1\r\n", "", warc.BadURI},
		{"relative URI", "http://example.com/1", "/1", warc.BadURI},
		{"bad digest", "Content-Type", "WARC-Block-Digest: sha1:123\r\nContent-Type", warc.BadDigest},
		{"bad URI", "http://example.com/1", "http://[::1/", warc.BadURI},
		{"unknown type", "resource", "x-screenshot", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := bothWays(t, strings.Replace(good, c.old, c.new, 1), warc.Options{Verify: true})
			if len(s.recs) != 1 || s.blocks[0] != "x" || s.kinds != "" {
				t.Fatalf("records %q, damage %v", s.ids, s.damage)
			}
			var got warc.Kind
			if f := s.recs[0].Flaws; len(f) > 0 {
				got = f[0].Kind
			}
			if got != c.want {
				t.Errorf("flaws %v, want kind %q", s.recs[0].Flaws, c.want)
			}
		})
	}
}

func TestNotWARC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "empty"},
		{"page", "<!DOCTYPE html><p>hello", "HTML"},
		{"gzip page", member(" \n<html>"), "gzip data that holds HTML"},
		{"zip", "PK\x03\x04abc", "WACZ"},
		{"arc", "filedesc://x.arc 0.0.0.0 2001", "ARC"},
		{"gzip arc", member("filedesc://x.arc 0.0.0.0 2001"), "ARC"},
		{"zstd", "\x28\xb5\x2f\xfd....", "zstd"},
		{"json", `{"a":1}`, "JSON"},
		{"text", "hello world", `text: "hello world"`},
		{"binary", "\x00\x01\x02", "binary"},
		{"tar", strings.Repeat("\x00", 257) + "ustar", "tar"},
		{"near miss", "WARCX/1.0\r\n", "text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := warc.NewReader(strings.NewReader(c.file), warc.Options{})
			var nw *warc.NotWARCError
			if !errors.As(err, &nw) || !strings.Contains(nw.Found, c.want) {
				t.Errorf("NewReader: %v, want a NotWARCError with %q", err, c.want)
			}
		})
	}
}

func TestReadErrorIsFinal(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, file := range []string{plainRecord(1, noise(200_000)), member(plainRecord(1, noise(200_000)))} {
		for _, cut := range []int{100, 70_000} {
			r, err := warc.NewReader(io.MultiReader(strings.NewReader(file[:cut]), iotest.ErrReader(boom)), warc.Options{})
			for n := 0; err == nil && n < 10; n++ {
				_, err = r.Next()
			}
			if !errors.Is(err, boom) {
				t.Errorf("cut at %d: error %v, want one that wraps boom", cut, err)
			}
		}
	}
}

func TestSlowInput(t *testing.T) {
	t.Parallel()
	file := plainRecord(1, "abc") + plainRecord(2, "")
	for _, f := range []string{file, member(file), member(file[:99]) + member(file[99:])} {
		s := readAll(t, iotest.OneByteReader(strings.NewReader(f)), warc.Options{})
		if s.ids != "1 2" || s.kinds != "" {
			t.Errorf("records %q, damage %v", s.ids, s.damage)
		}
	}
}

func TestRecordRead(t *testing.T) {
	t.Parallel()
	block := noise(5000)
	r, err := warc.NewReader(strings.NewReader(member(plainRecord(1, block))+member(plainRecord(2, "second"))), warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(rec, []byte(block)); err != nil {
		t.Error(err)
	}
	rec, err = r.Next()
	if err != nil {
		t.Fatal(err)
	}
	part, whole, err := rec.AppendBlock([]byte(">"), 3)
	if string(part) != ">sec" || whole || err != nil || rec.Length() < 0 {
		t.Errorf("AppendBlock = %q, %v, %v", part, whole, err)
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"2020-02-03T04:05:06Z", "2020-02-03T04:05:06Z"},
		{"2020-02-03T04:05:06.123456789Z", "2020-02-03T04:05:06.123456Z"},
		{"2020-02-03T04:05:06+02:00", "2020-02-03T02:05:06Z"},
		{" 20200203040506 ", "2020-02-03T04:05:06Z"},
		{"2020-02-03T04:05Z", "2020-02-03T04:05:00Z"},
		{"2020-02-03", "2020-02-03T00:00:00Z"},
		{"2020-02", "2020-02-01T00:00:00Z"},
		{"2020", "2020-01-01T00:00:00Z"},
	} {
		got, err := warc.ParseDate(c.in)
		if err != nil || warc.FormatDate(got) != c.want {
			t.Errorf("ParseDate(%q) = %v, %v, want %s", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{"", "yesterday", "2020-13-01", "9999-12-31T23:59:59-10:00", "2020-02-03T25:00:00Z"} {
		if got, err := warc.ParseDate(in); err == nil {
			t.Errorf("ParseDate(%q) = %v, want an error", in, got)
		}
	}
}
