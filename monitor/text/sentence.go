package text

// Span is the half-open byte range [Start, End) of a piece of a string.
type Span struct{ Start, End int }

// AppendSentences appends to dst the sentences of s in order. s is the text of
// one block; a line end inside it ends a sentence too, so that a whole
// stripped text (SCIENCE C3, one line for each block) may be given as well.
// The spans leave out the white space around a sentence and nothing else, and
// what ends without a stop (a heading, a menu) is a span like any other:
// IsSentence tells them apart. lang chooses the abbreviations.
func AppendSentences(dst []Span, s, lang string) []Span {
	return dst
}

// Sentences returns the sentences of s as AppendSentences finds them.
func Sentences(s, lang string) []string {
	var out []string
	for _, p := range AppendSentences(nil, s, lang) {
		out = append(out, s[p.Start:p.End])
	}
	return out
}
