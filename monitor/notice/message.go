package notice

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Kinds of message.
const (
	KindChange    = "change"    // a page changed as the watch asks
	KindDigest    = "digest"    // what a period brought, as items
	KindFailing   = "failing"   // a page cannot be fetched any more
	KindRecovered = "recovered" // it can again
	KindQuiet     = "quiet"     // nothing has changed for longer than expected
	KindMoving    = "moving"    // something has changed again
	KindNoisy     = "noisy"     // a page brings more messages than anybody reads
	KindSummary   = "summary"   // a topic has the summary of a period
	KindTest      = "test"      // somebody asked whether a target works
)

// Message says what happened. Its JSON form is what programs get as data; fields are
// only ever added.
type Message struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	At     time.Time `json:"at"`     // when it happened
	Source string    `json:"source"` // such as "watch prices"
	// Title is the page's title, or what the message is about.
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	// Page, Version, Dice and Significance are those of a change.
	Page         int64    `json:"page_id,omitempty"`
	Version      int32    `json:"version,omitempty"`
	Dice         *float64 `json:"dice,omitempty"`
	Significance *float64 `json:"significance,omitempty"`
	Added        []string `json:"added,omitempty"`
	Removed      []string `json:"removed,omitempty"`
	// Left is how many changed sentences are not listed.
	Left int `json:"left,omitempty"`
	// Note says in words what the kind alone does not.
	Note string `json:"note,omitempty"`
	// Body is the message written out for a person, in place of its parts, and HTML the same as a document.
	Body string `json:"body,omitempty"`
	HTML string `json:"html,omitempty"`
	// Link leads to the comparison or the page of the summary.
	Link  string    `json:"link,omitempty"`
	Items []Message `json:"items,omitempty"` // of a digest
}

// Bounds of what a message quotes.
const (
	maxQuoted   = 5   // sentences that came, and as many that went
	maxSentence = 300 // characters of a sentence
	maxItems    = 50  // changes of a digest
	maxTitle    = 120 // characters of a title
)

// Quote sets the sentences of a change, shortened.
func (m *Message) Quote(added, removed []string) {
	cut := func(list []string) []string {
		var out []string
		for _, s := range list[:min(len(list), maxQuoted)] {
			out = append(out, Shorten(s, maxSentence))
		}
		m.Left += max(0, len(list)-maxQuoted)
		return out
	}
	m.Added, m.Removed = cut(added), cut(removed)
}

// Shorten cuts a text to so many characters and takes line ends and control
// characters out of it.
func Shorten(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:most-1])) + "…"
}

// Subject is the message in a line.
func (m *Message) Subject() string {
	about := Shorten(m.Title, maxTitle)
	if about == "" {
		about = Shorten(m.URL, maxTitle)
	}
	switch m.Kind {
	case KindChange:
		return "Changed: " + about
	case KindDigest:
		return fmt.Sprintf("%s: %s", m.Source, about)
	case KindFailing:
		return "Cannot be fetched: " + about
	case KindRecovered:
		return "Can be fetched again: " + about
	case KindQuiet:
		return "No change: " + m.Source
	case KindMoving:
		return "Changes again: " + m.Source
	case KindNoisy:
		return "Changes too often: " + about
	case KindSummary:
		return "Summary: " + about
	}
	return about
}

// Text is the message for a person, without its subject.
func (m *Message) Text() string {
	var b strings.Builder
	m.write(&b)
	return strings.TrimRight(b.String(), "\n")
}

func (m *Message) write(b *strings.Builder) {
	line := func(s string) {
		if s != "" {
			b.WriteString(s + "\n")
		}
	}
	if m.Body != "" {
		line(strings.TrimRight(m.Body, "\n"))
		line(m.Link)
		return
	}
	line(m.URL)
	switch {
	case m.Dice != nil && m.Significance != nil:
		line(fmt.Sprintf("%s, %s UTC; Dice %.2f, significance %.2f", m.Source, m.At.UTC().Format("2006-01-02 15:04"), *m.Dice, *m.Significance))
	case m.Kind != KindDigest:
		line(fmt.Sprintf("%s, %s UTC", m.Source, m.At.UTC().Format("2006-01-02 15:04")))
	}
	line(m.Note)
	for _, s := range m.Added {
		line("+ " + s)
	}
	for _, s := range m.Removed {
		line("- " + s)
	}
	if m.Left > 0 {
		line(fmt.Sprintf("(%d more)", m.Left))
	}
	line(m.Link)
	for i := range m.Items {
		line("\n" + m.Items[i].Subject())
		m.Items[i].write(b)
	}
}

// Digest joins messages of a period into one. There must be one at least.
func Digest(source string, due time.Time, items []Message) Message {
	m := Message{ID: ID(KindDigest, source, due, items[0].ID), Kind: KindDigest, At: due, Source: source, Items: items}
	m.Title = fmt.Sprintf("%d messages", len(items))
	if len(items) == 1 {
		m.Title = "1 message"
	}
	if left := len(items) - maxItems; left > 0 {
		m.Items, m.Left = items[:maxItems], left
	}
	return m
}
