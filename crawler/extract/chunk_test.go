package extract

import (
	"strings"
	"testing"
)

// TestSpans puts the lines together again from their chunks.
func TestSpans(t *testing.T) {
	t.Parallel()
	for _, markup := range []string{
		"", "plain text\nof two lines", "<p>one <b>two</b>, three<br>four<p>five",
		"<table><tr><td>a<td> b <i>c</i></table><div>x<script>no</script>y <!-- z --> z</div>",
		"<pre>first\nsecond</pre> tail <span> </span><span>word</span>s",
		strings.Repeat("<div>", 600) + "deep <b>down</b>",
	} {
		var x Extractor
		p := x.Extract(Input{Body: []byte(markup), ContentType: "text/html; charset=utf-8"})
		spans := p.Spans()
		if len(spans) != len(p.Lines) {
			t.Fatalf("Spans of %.40q: %d lines, want %d", markup, len(spans), len(p.Lines))
		}
		for i, line := range spans {
			var b strings.Builder
			for _, c := range line {
				if c.Space {
					b.WriteByte(' ')
				}
				b.WriteString(c.Text)
				if p.Nodes[c.Node].Tag != "" {
					t.Errorf("Spans of %.40q: chunk %q names an element", markup, c.Text)
				}
			}
			if b.String() != p.LineText(i) {
				t.Errorf("Spans of %.40q: line %d is %q, want %q", markup, i, b.String(), p.LineText(i))
			}
		}
	}
}
