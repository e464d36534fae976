package chart

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of type in px.
const (
	sizeTitle  = 15
	sizeText   = 13
	sizeLabel  = 12
	sizeSmall  = 10.5
	ascent     = .78 // of the size, above the base line: what capitals and digits take
	descent    = .23
	ellipsis   = "…"
	maxReading = 400 // runes of a text that are looked at; more is cut
)

// textWidth is how wide s is at most, in px, when set in type of the given size.
func textWidth(s string, size float64, strong bool) float64 {
	sum := 0
	for _, r := range s {
		sum += runeWidth(r, strong)
	}
	return float64(sum) * size / 1000
}

func runeWidth(r rune, strong bool) int {
	if r >= ' ' && r <= '~' {
		if strong {
			return int(bold[r-' '])
		}
		return int(regular[r-' '])
	}
	if r < ' ' || unicode.Is(unicode.Mn, r) {
		return 0
	}
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].from > r }) - 1
	w := int(blocks[i].width)
	if strong {
		w += w / 7
	}
	return w
}

// clean makes a text from anywhere fit for one line of SVG: white space is
// collapsed, invalid UTF-8 replaced, and what XML forbids, what is invisible and
// what turns the direction of the text around it is dropped.
func clean(s string) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xfffe, r == 0xffff, r == 0xfeff, r >= 0xe0000 && r < 0xe0200:
			continue
		}
		if n++; n > maxReading {
			b.WriteString(ellipsis)
			break
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// fit shortens s at its end so that it takes at most width px.
func fit(s string, width, size float64, strong bool) string {
	if textWidth(s, size, strong) <= width {
		return s
	}
	room := width - textWidth(ellipsis, size, strong)
	end := 0
	for i, r := range s {
		if room -= float64(runeWidth(r, strong)) * size / 1000; room < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if end == 0 && room < 0 && width < textWidth(ellipsis, size, strong) {
		return ""
	}
	return strings.TrimRight(s[:end], " ") + ellipsis
}

// fitMiddle shortens an address in its middle, where it tells least, and any other
// text at its end.
func fitMiddle(s string, width, size float64) string {
	if textWidth(s, size, false) <= width || !strings.Contains(s, "/") {
		return fit(s, width, size, false)
	}
	runes := []rune(s)
	for cut := 1; cut < len(runes); cut++ {
		from := (len(runes) - cut + 1) / 2
		if short := string(runes[:from]) + ellipsis + string(runes[from+cut:]); textWidth(short, size, false) <= width {
			return short
		}
	}
	return fit(s, width, size, false)
}

// wrap breaks s into at most lines lines of width px, in words where it can; what
// does not fit the last one is cut with an ellipsis.
func wrap(s string, width, size float64, strong bool, lines int) []string {
	var out []string
	for s != "" {
		if textWidth(s, size, strong) <= width || len(out) == lines-1 {
			return append(out, fit(s, width, size, strong))
		}
		room, end, word := width, 0, 0
		for i, r := range s {
			if room -= float64(runeWidth(r, strong)) * size / 1000; room < 0 {
				break
			}
			if r == ' ' {
				word = i
			}
			end = i + utf8.RuneLen(r)
		}
		if word > 0 {
			end = word
		}
		if end == 0 { // not one character fits
			return out
		}
		out = append(out, s[:end])
		s = strings.TrimLeft(s[end:], " ")
	}
	return out
}
