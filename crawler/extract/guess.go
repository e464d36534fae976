package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saintfish/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// guessSize is how much of a body a guess looks at, counted from its first byte outside of ASCII.
const guessSize = 16 << 10

// guess finds the encoding of a body by its bytes: ISO-2022-JP by its escape
// sequences, UTF-8 by its structure, others by the character statistics of ICU;
// windows-1252, which fits anything, is the last resort.
func guess(body []byte) (string, encoding.Encoding) {
	switch {
	case bytes.Contains(body, []byte("\x1b$B")) || bytes.Contains(body, []byte("\x1b$@")):
		return named("iso-2022-jp")
	case isASCII(body) || isUTF8(body):
		return named("utf-8")
	}
	all, err := chardet.NewHtmlDetector().DetectAll(sampleOf(body))
	if err != nil {
		all = nil
	}
	// The detector runs its recognisers in parallel: equal confidence must not be decided by which was first.
	slices.SortFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), strings.Compare(a.Charset, b.Charset))
	})
	for _, r := range all {
		if r.Confidence < 10 {
			break
		}
		if e, name := lookup(strings.ToLower(strings.Replace(r.Charset, "GB-18030", "gb18030", 1))); e != nil &&
			!strings.HasPrefix(name, "utf-") {
			return name, e
		}
	}
	return named("windows-1252")
}

func named(name string) (string, encoding.Encoding) {
	e, _ := htmlindex.Get(name)
	return name, e
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isUTF8 reports whether the bytes outside of ASCII form UTF-8 with hardly an
// error. Text in another encoding does not.
func isUTF8(b []byte) bool {
	good, bad := countUTF8(b)
	return good > 0 && bad*20 <= good
}

// countUTF8 counts the characters outside of ASCII and the bytes that are not UTF-8.
func countUTF8(b []byte) (good, bad int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good, bad
}

// sampleOf returns the part of the body that holds the first bytes outside of
// ASCII, without most of the markup before them.
func sampleOf(b []byte) []byte {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return b[i:min(len(b), i+guessSize)]
		}
	}
	return b[:min(len(b), guessSize)]
}
