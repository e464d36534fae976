package chart

import (
	"fmt"
	"strings"
)

// Theme is the colours of a chart.
type Theme uint8

const (
	Auto  Theme = iota // light or dark as the reader's system prefers; light in print
	Light              // always light
	Dark               // always dark
)

// ramp is the number of steps of the sequential scale.
const ramp = 9

// palette names each colour with its value in light and in dark. Text (ink,
// muted) has at least 7:1 on the ground, what is drawn at least 3:1 but for the
// hairlines. The scale q0 to q8 goes from little to much in even steps of
// lightness, so that it reads without colour, from the least that has 3:1: in
// light it runs from olive to dark blue, in dark from blue to light yellow, so
// that much always stands out most from the ground.
var palette = [...][3]string{
	{"ground", "#ffffff", "#14181c"},
	{"ink", "#1b1f24", "#e6eaee"},
	{"muted", "#4b535c", "#abb4bd"},
	{"axis", "#858e98", "#6f7984"},
	{"hairline", "#dfe3e8", "#2b323a"},
	{"accent", "#0b6e6e", "#5cc8c2"},
	{"second", "#b26a00", "#f0a63a"},
	{"added", "#1a7f37", "#56d364"},
	{"removed", "#b3261e", "#ff8a80"},
	{"novel", "#0b6e6e", "#5cc8c2"},
	{"newword", "#4c6ef5", "#8ea2ff"},
	{"uncertain", "#87919c", "#7d8894"},
	{"q0", "#8b993b", "#3c6dab"},
	{"q1", "#589144", "#0484b8"},
	{"q2", "#098554", "#0c97b9"},
	{"q3", "#027364", "#0aabbb"},
	{"q4", "#046265", "#34beb7"},
	{"q5", "#025261", "#6acfae"},
	{"q6", "#00425a", "#9adda6"},
	{"q7", "#013255", "#c9eaa4"},
	{"q8", "#0b2053", "#f8f4a9"},
}

// strokes are the colours that lines are drawn in.
var strokes = [...]string{"ground", "ink", "muted", "axis", "hairline", "accent", "second", "added", "removed", "novel", "newword", "uncertain"}

// Style is the style sheet of all charts, scoped to the class of their root
// element, strandline-chart. A page that embeds charts with Options.Bare carries
// it once. It follows the reader's preferred colours, and those set on an
// ancestor by data-theme="light" or "dark".
func Style() string { return styles(Auto) }

func styles(theme Theme) string {
	const root = ".strandline-chart"
	var light, dark strings.Builder
	for _, p := range palette {
		fmt.Fprintf(&light, "--%s:%s;", p[0], p[1])
		fmt.Fprintf(&dark, "--%s:%s;", p[0], p[2])
	}
	var b strings.Builder
	column := 1
	switch theme {
	case Light:
		fmt.Fprintf(&b, "%s{%scolor-scheme:light}\n", root, light.String())
	case Dark:
		column = 2
		fmt.Fprintf(&b, "%s{%scolor-scheme:dark}\n", root, dark.String())
	default:
		fmt.Fprintf(&b, "%s{%scolor-scheme:light dark}\n", root, light.String())
		fmt.Fprintf(&b, "@media (prefers-color-scheme:dark){%s{%s}}\n", root, dark.String())
		fmt.Fprintf(&b, "[data-theme=light] %s{%s}\n[data-theme=dark] %s{%s}\n", root, light.String(), root, dark.String())
		fmt.Fprintf(&b, "@media print{%s,[data-theme] %s{%sprint-color-adjust:exact;-webkit-print-color-adjust:exact}}\n", root, root, light.String())
	}
	fmt.Fprintf(&b, "%s{max-width:100%%;height:auto}\n", root)
	fmt.Fprintf(&b, "%s text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"Noto Sans\",\"Liberation Sans\",Arial,sans-serif;font-variant-numeric:tabular-nums}\n", root)
	fmt.Fprintf(&b, "%s .strong{font-weight:600}\n", root)
	// Each colour is given twice: programs that know no custom properties keep
	// the first.
	for _, p := range palette {
		fmt.Fprintf(&b, "%s .f-%s{fill:%s;fill:var(--%s)}\n", root, p[0], p[column], p[0])
	}
	for _, p := range palette {
		for _, s := range strokes {
			if p[0] == s {
				fmt.Fprintf(&b, "%s .s-%s{stroke:%s;stroke:var(--%s)}\n", root, s, p[column], s)
			}
		}
	}
	return b.String()
}

// step is the class of the sequential scale for a part from 0, little, to 1, much.
func step(part float64) string {
	if !finite(part) {
		part = 0
	}
	return fmt.Sprintf("f-q%d", min(ramp-1, max(0, int(part*ramp))))
}
