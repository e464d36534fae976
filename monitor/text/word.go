package text

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// EachWord calls f for every word of s, in order (SCIENCE C4, paper A section
// 4.1): s is normalised to NFKC, case folded, and cut into maximal runs of
// letters, marks and decimal digits. Hence an apostrophe, a hyphen, an
// underscore and a decimal point all separate: "don't" is two words. Invisible
// characters such as the soft hyphen are dropped first.
//
// Where a run changes between Han, Hiragana or Katakana (with the prolonged
// sound mark) on one side and anything else on the other it is cut too; the
// parts in those scripts give their overlapping character bigrams, a lone
// character gives itself.
//
// The slice handed to f is valid until f returns and must not be kept; f may
// change it. The common text costs no allocation.
func EachWord(s string, f func(word []byte)) {
	w := splitters.Get().(*splitter)
	if ascii(s) {
		w.buf = eachASCII(w.buf[:0], s, f)
	} else {
		w.f, w.bigrams = f, true
		w.split(s)
	}
	w.release()
}

// eachASCII is EachWord of ASCII, with a buffer for the words.
func eachASCII(buf []byte, s string, f func(word []byte)) []byte {
	for i := 0; i < len(s); i++ {
		l := lower[s[i]&(utf8.RuneSelf-1)]
		if l == 0 {
			continue
		}
		buf = buf[:0]
		for l != 0 {
			buf = append(buf, l)
			if i++; i == len(s) {
				break
			}
			l = lower[s[i]&(utf8.RuneSelf-1)]
		}
		f(buf)
	}
	return buf
}

// Normal returns the normal form by which sentences are compared (SCIENCE J7):
// the words of EachWord, with Chinese and Japanese left whole, joined by
// single spaces. Two sentences that differ in case, punctuation, symbols,
// width or white space have the same normal form.
func Normal(s string) string { return string(AppendNormal(make([]byte, 0, len(s)), s)) }

// AppendNormal appends the normal form of s to dst.
func AppendNormal(dst []byte, s string) []byte {
	from := len(dst)
	if ascii(s) {
		inWord := false
		for i := range len(s) {
			l := lower[s[i]]
			switch {
			case l == 0:
				inWord = false
				continue
			case !inWord && len(dst) > from:
				dst = append(dst, ' ')
			}
			inWord = true
			dst = append(dst, l)
		}
		return dst
	}
	w := splitters.Get().(*splitter)
	w.bigrams = false
	w.f = func(word []byte) {
		if len(dst) > from {
			dst = append(dst, ' ')
		}
		dst = append(dst, word...)
	}
	w.split(s)
	w.release()
	return dst
}

// ascii reports whether s has nothing but ASCII.
func ascii(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		if (s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7])&utf8.RuneSelf != 0 {
			return false
		}
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitter holds the word being built. For a run in bigrams buf holds one or
// two characters, the second one starting at second.
type splitter struct {
	f       func([]byte)
	t       *classes
	bigrams bool
	buf     []byte
	norm    []byte // normalised piece of the input
	cjk     int    // characters in buf of a bigram run; 0 in a plain word
	second  int
}

// splitters keeps buffers, nothing else, between calls.
var splitters = sync.Pool{New: func() any {
	return &splitter{t: loadClasses(), buf: make([]byte, 0, 128), norm: make([]byte, 0, 128)}
}}

// release gives the buffers back, unless a giant "word" (embedded base64) has
// blown them up.
func (w *splitter) release() {
	const keep = 64 << 10
	w.f = nil
	if cap(w.buf) <= keep && cap(w.norm) <= keep {
		splitters.Put(w)
	}
}

// split walks s in stretches of ASCII and of the rest.
func (w *splitter) split(s string) {
	w.buf, w.cjk = w.buf[:0], 0
	for i := 0; i < len(s); {
		i += w.ascii(s[i:])
		i += w.other(s[i:])
	}
	w.flush()
}

// lower maps an ASCII byte to its case folding, and a separator to 0.
var lower = func() (t [utf8.RuneSelf]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// ascii consumes the ASCII bytes that s starts with and returns their number.
// It leaves the last one when something else follows that may combine with it.
func (w *splitter) ascii(s string) int {
	if w.cjk > 0 && len(s) > 0 && s[0] < utf8.RuneSelf {
		w.flush()
	}
	buf := w.buf
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || i+1 < len(s) && s[i+1] >= utf8.RuneSelf {
			w.buf = buf
			return i
		}
		if l := lower[c]; l != 0 {
			buf = append(buf, l)
		} else if len(buf) > 0 {
			w.f(buf)
			buf = buf[:0]
		}
	}
	w.buf = buf
	return len(s)
}

// other consumes the first character of s and all that follow until ASCII, and
// returns the number of bytes. NFKC is local, it can change text only between
// two boundaries: so only a stretch that holds an unstable character goes to
// the normaliser, from the character before it that it might join.
func (w *splitter) other(s string) int {
	if s == "" {
		return 0
	}
	r, n, c := w.decode(s)
	for i := 0; ; {
		var r2 rune
		var n2 int
		var c2 class
		more := i+n < len(s) && s[i+n] >= utf8.RuneSelf
		if more {
			r2, n2, c2 = w.decode(s[i+n:])
		}
		if (c|c2)&unstable != 0 {
			return i + w.normalise(s[i:])
		}
		if c == inWord && w.cjk == 0 {
			w.buf = utf8.AppendRune(w.buf, r)
		} else {
			w.add(r, c)
		}
		i += n
		if !more {
			return i
		}
		r, n, c = r2, n2, c2
	}
}

// decode is utf8.DecodeRuneInString with the two byte form, most of the
// letters of Europe, decided first.
func (w *splitter) decode(s string) (rune, int, class) {
	if len(s) > 1 && 0xC2 <= s[0] && s[0] <= 0xDF && s[1]&0xC0 == 0x80 {
		r := rune(s[0]&0x1F)<<6 | rune(s[1]&0x3F)
		return r, 2, w.t.bmp[r]
	}
	r, n := utf8.DecodeRuneInString(s)
	return r, n, w.t.of(r)
}

// normalise consumes s up to the next NFKC boundary.
func (w *splitter) normalise(s string) int {
	n := norm.NFKC.NextBoundaryInString(s, true)
	if n <= 0 {
		n = len(s)
	}
	w.norm = norm.NFKC.AppendString(w.norm[:0], s[:n])
	for b := w.norm; len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		w.add(r, w.t.of(r))
		b = b[size:]
	}
	return n
}

// add takes one character of the normalised text.
func (w *splitter) add(r rune, c class) {
	switch {
	case c&invisible != 0:
		return
	case c&inWord == 0:
		w.flush()
		return
	case c&isMark != 0: // goes with whatever came before
	case c&inCJK != 0 && w.bigrams:
		if w.cjk == 0 {
			w.flush()
		}
		if w.cjk == 2 {
			w.f(w.buf)
			w.buf = w.buf[:copy(w.buf, w.buf[w.second:])]
			w.cjk = 1
		}
		w.cjk++
		w.second = len(w.buf)
	case w.cjk > 0:
		w.flush()
	}
	switch {
	case c&folds != 0:
		r = unicode.ToLower(r)
	case c&foldsFull != 0:
		w.buf = append(w.buf, w.t.full[r]...)
		return
	}
	w.buf = utf8.AppendRune(w.buf, r)
}

// flush ends the run.
func (w *splitter) flush() {
	if len(w.buf) > 0 {
		w.f(w.buf)
	}
	w.buf, w.cjk = w.buf[:0], 0
}
