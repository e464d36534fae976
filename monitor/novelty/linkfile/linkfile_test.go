package linkfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

func write(t testing.TB, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func pairs(numbers ...uint32) string {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return string(b)
}

func TestPages(t *testing.T) {
	t.Parallel()
	want := []novelty.Class{novelty.L2, novelty.Unidentified, novelty.Old}
	for _, test := range []struct {
		name   string
		format Format
		text   string
		want   []novelty.Class
		fault  string
	}{
		{"text", Text, "0\tL2\n2\tO\n1\tU\n", want, ""},
		{"no line end", Text, "0\tL2\n2\tO\n1\tU", want, ""},
		{"CR LF", Text, "0\tL2\r\n2\tO\r\n1\tU\r\n", want, ""},
		{"empty", Text, "", nil, ""},
		{"pairs", Binary, pairs(0, 1, 2, 0, 1, 2), want, ""},
		{"text beside binary links", Binary, "0\tL2\n2\tO\n1\tU\n", want, ""},
		{"empty pairs", Binary, "", nil, ""},
		{"blank line", Text, "0\tL2\n\n1\tU\n", nil, `file:2: "" is not id<TAB>class`},
		{"spaces", Text, "0 L2\n", nil, `file:1: "0 L2" is not id<TAB>class`},
		{"negative", Text, "-1\tU\n", nil, `file:1: "-1\tU" is not id<TAB>class`},
		{"too large", Text, "4294967296\tU\n", nil, `file:1: "4294967296\tU" is not id<TAB>class`},
		{"small letter", Text, "0\tu\n", nil, `file:1: page 0 has class "u": it must be L2, O or U`},
		{"unknown class", Binary, pairs(0, 1, 1, 3), nil, `file: at byte 8: page 1 has class 3: it must be 0 (O), 1 (L2) or 2 (U)`},
		{"half a pair", Binary, pairs(0, 1, 1), nil, `file: at byte 8: the file ends within a pair of uint32`},
		{"twice", Binary, pairs(0, 1, 0, 2), nil, `file: at byte 8: page 0 comes twice`},
		{"far", Binary, pairs(0, 1, 9, 2), nil, `file: at byte 8: page 9: ids must be dense from 0, and the file has at most 2 pages`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			got, err := Pages(write(t, dir, test.text), test.format)
			if test.fault != "" {
				if err == nil || strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)) != test.fault {
					t.Fatalf("error %v, want %s", err, test.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
		})
	}
}

// read gives all links of a file in the order of its parts.
func read(l *Links) ([][2]uint32, error) {
	var out [][2]uint32
	for i := range l.Parts() {
		err := l.Part(i, func(source uint32, targets []uint32) error {
			for _, target := range targets {
				out = append(out, [2]uint32{source, target})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TestParts checks that a file gives the same links however it is cut, in both formats.
func TestParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		const pages = 120
		id := rapid.Uint32Range(0, pages-1)
		var want [][2]uint32
		var text strings.Builder
		var numbers []uint32
		for range rapid.IntRange(0, 40).Draw(rt, "links") {
			l := [2]uint32{id.Draw(rt, "source"), id.Draw(rt, "target")}
			want = append(want, l)
			numbers = append(numbers, l[0], l[1])
			fmt.Fprintf(&text, "%d\t%d\n", l[0], l[1])
		}
		for _, form := range []struct {
			format Format
			text   string
			part   int64
		}{
			{Text, text.String(), rapid.Int64Range(1, 50).Draw(rt, "bytes a part")},
			{Text, strings.TrimSuffix(text.String(), "\n"), 7},
			{Binary, pairs(numbers...), pairBytes * rapid.Int64Range(1, 9).Draw(rt, "pairs a part")},
		} {
			l, err := Open(write(t, dir, form.text), form.format, pages)
			if err != nil {
				rt.Fatal(err)
			}
			l.part = form.part
			got, err := read(l)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("format %d in parts of %d bytes (-want +got):\n%s", form.format, form.part, diff)
			}
		}
	})
}

func TestLinkFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		format Format
		text   string
		want   string
	}{
		{"unknown source", Text, "0\t1\n5\t1\n", "file:2: link from page 5 to page 1: page 5 is not in the pages file"},
		{"unknown target", Text, "0\t1\n1\t4294967295\n", "file:2: link from page 1 to page 4294967295: page 4294967295 is not in the pages file"},
		{"three fields", Text, "0\t1\t2\n", `file:1: "0\t1\t2" is not source<TAB>target, two page ids`},
		{"one field", Text, "0\t1\n0\n", `file:2: "0" is not source<TAB>target`},
		{"unknown in pairs", Binary, pairs(0, 1, 1, 2), "file: at byte 8: link from page 1 to page 2: page 2 is not in the pages file"},
		{"half a pair", Binary, pairs(0, 1) + "abc", "file: at byte 8: the file ends within a pair of uint32"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l, err := Open(write(t, dir, test.text), test.format, 2)
			if err == nil {
				l.part = 8 // the fault is in a later part than the first
				_, err = read(l)
			}
			var fault *SyntaxError
			if !errors.As(err, &fault) || strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)) != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// FuzzText reads whatever there may be: a fault or links between known pages.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"0\t1\n1\t0\n", "0\tL2\n1\tU", "\n", "\t", "4294967295\t0", "0\t1\r\n\r\n", strings.Repeat("0", 40)} {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, part uint8) {
		path := write(t, t.TempDir(), text)
		var fault *SyntaxError
		classes, err := Pages(path, Text)
		if err == nil && len(classes) > len(text) {
			t.Errorf("%d pages of %d bytes", len(classes), len(text))
		}
		l, err := Open(path, Text, 9)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := read(l)
		l.part = int64(part) + 1
		parted, errParted := read(l)
		if (err == nil) != (errParted == nil) || !cmp.Equal(whole, parted) {
			t.Errorf("whole %v, %v; in parts %v, %v", whole, err, parted, errParted)
		}
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("error %v is no SyntaxError", err)
		}
		for _, link := range whole {
			if link[0] > 8 || link[1] > 8 {
				t.Errorf("link %v of unknown pages", link)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	var text strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&text, "%d\t%d\n", i/40, i*7%1_000_000)
	}
	l, err := Open(write(b, b.TempDir(), text.String()), Text, 1_000_000)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := l.Part(0, func(uint32, []uint32) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
