package web

import (
	"fmt"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/store"
)

// functions are those that templates know, beside the built-in ones.
func functions() template.FuncMap {
	return template.FuncMap{
		"when": when, "due": due, "stamp": stamp, "dice": diceWords, "hours": hoursWords, "count": count, "len64": length, "unit": unitWords, "bytes": bytesWords, "middle": middle,
		"clean": clean, "titled": titled, "plural": plural, "spark": spark, "outcome": outcomeWords, "trouble": troubleWords, "shownText": shownText, "lag": lagWords, "figure": chart.NumberText,
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// when tells a time by its distance from now, with the time itself on hover and
// for machines.
func when(now, t time.Time) template.HTML {
	if t.IsZero() {
		return `<span class="none">–</span>`
	}
	t = t.UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s UTC">%s</time>`, t.Format(time.RFC3339), stamp(t), distance(now, t)))
}

// due tells when a page is due: in words that say that the time is past, and that
// it is late once the grace is over.
func due(now, t time.Time) template.HTML {
	switch d := now.Sub(t); {
	case t.IsZero() || d <= time.Minute:
		return when(now, t)
	case d <= lateGrace:
		return "due " + when(now, t)
	default:
		return `<span class="late">late, due ` + when(now, t) + `</span>`
	}
}

// distance is the time between now and t in words; far away it is the date.
func distance(now, t time.Time) string {
	d := now.Sub(t)
	if d > -time.Minute && d < time.Minute {
		return "just now"
	}
	if math.Abs(d.Hours()) > 60*24 {
		return t.Format("2 Jan 2006")
	}
	if d < 0 {
		return "in " + short(-d)
	}
	return short(d) + " ago"
}

func short(d time.Duration) string {
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// diceWords prints a Dice value, given as number or pointer.
func diceWords(v any) string {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return "–"
		}
		return diceWords(*v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "–"
		}
		if v > .995 && v < 1 {
			return ">.99" // not the 1 of equal texts
		}
		return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0")
	}
	return "–"
}

// hoursWords prints a span of hours; infinity and nothing are a dash.
func hoursWords(v any) string {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return "–"
		}
		return hoursWords(*v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return "–"
		}
		return chart.SpanText(v)
	}
	return "–"
}

// lagWords prints how late fetches start; zero: none did, since the least that is
// counted is a quarter of a second.
func lagWords(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	if d < time.Minute {
		return chart.NumberText(d.Seconds()) + " s"
	}
	return chart.SpanText(d.Hours())
}

// count prints a whole number with its thousands set apart.
func count(v any) string {
	switch v := v.(type) {
	case int:
		return chart.NumberText(float64(v))
	case int32:
		return chart.NumberText(float64(v))
	case int64:
		return chart.NumberText(float64(v))
	}
	return fmt.Sprint(v)
}

// length counts rows for a comparison with a count of the database.
func length(rows []store.DueRow) int64 { return int64(len(rows)) }

// unitWords names what a comparison counts: words, sentences, links or header lines.
func unitWords(by string, n int) string {
	if by == "headers" {
		by = "lines"
	}
	if n == 1 {
		return strings.TrimSuffix(by, "s")
	}
	return by
}

// plural puts a number before the right one of two words.
func plural(n any, one, many string) string {
	if s := count(n); s != "1" {
		return s + " " + many
	}
	return "1 " + one
}

func bytesWords(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	v, i := float64(n), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	return chart.NumberText(v) + " " + units[i]
}

// middle shortens a long address in its middle to about n characters.
func middle(n int, s string) string {
	s = clean(s)
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := n * 6 / 10
	return string(r[:head]) + "…" + string(r[len(r)-(n-head-1):])
}

// clean takes from a text of the web what would reorder or hide the text around
// it: control characters and those that turn the direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C, r == 0xFEFF:
			return -1
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return '\uFFFD'
		}
		return r
	}, s)
}

// titled is a title as it is shown; empty if there is nothing in it to be seen, or
// to be clicked at.
func titled(title string) string {
	t := strings.TrimSpace(clean(title))
	if !strings.ContainsFunc(t, func(r rune) bool {
		return r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.IsSymbol(r))
	}) {
		return ""
	}
	return t
}

// shownText is clean for a text whose line ends are kept.
func shownText(s string) string {
	parts := strings.Split(s, "\n")
	for i := range parts {
		parts[i] = clean(strings.TrimRight(parts[i], "\r"))
	}
	return strings.Join(parts, "\n")
}

// spark draws the last changes of a page.
func spark(id store.PageID, recent []float32, noise []bool) template.HTML {
	f := chart.Sparkline{Name: "Dice of the last changes"}
	for i, v := range recent {
		f.Values = append(f.Values, chart.SparkValue{Dice: float64(v), Masked: i < len(noise) && noise[i]})
	}
	// chart escapes all that it is given.
	return template.HTML(f.SVG(chart.Options{ID: fmt.Sprintf("s%d", id), Inline: true, Bare: true}))
}

// outcomeWords says what the last attempt on a page came to; troubleWords says why,
// where it brought nothing.
func outcomeWords(r store.PageRow) string {
	switch r.LastOutcome {
	case store.Failed:
		return "failed"
	case store.Gone:
		return "gone"
	case store.Denied:
		return "denied"
	case store.Skipped:
		return "skipped"
	case "":
		return "not fetched yet"
	}
	return "fetched"
}

// troubleWords says why the last attempt on a page brought nothing; empty where it
// brought what was asked for.
func troubleWords(r store.PageRow) string {
	switch r.LastOutcome {
	case store.Failed:
		return fmt.Sprintf("%s failed in a row, the last one because of %s", plural(r.Failures, "attempt", "attempts"), middle(300, r.LastError))
	case store.Gone:
		return "The page is gone: " + middle(300, r.LastError)
	case store.Denied:
		return "The host's robots.txt denies the page; it is not fetched."
	case store.Skipped:
		return "The page was skipped: " + middle(300, r.LastError)
	}
	return ""
}

// query writes an address with parameters; those that are empty are left out.
func query(path string, pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}
