package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/mask"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/monitor/text/diff"
	"github.com/strandlinehq/strandline/store"
)

// errUnreadable is the fault of a version whose record cannot be read.
var errUnreadable = errors.New("version cannot be read")

// step is a change as a person reads it: without what the watch ignores and without
// what is known to be noise.
type step struct {
	title          string
	added, removed []string // sentences; those that only moved are in neither
	before, after  int64    // hashes of the texts
}

// readStep reads the step to a version.
func readStep(ctx context.Context, db *store.DB, t store.NoticeTodo, rules *ignore.Rules) (step, error) {
	var s step
	a, err := db.VersionNumber(ctx, t.Page, t.Version-1)
	if err != nil {
		return s, err
	}
	b, err := db.VersionNumber(ctx, t.Page, t.Version)
	if err != nil {
		return s, err
	}
	v, err := compare.Read(ctx, db, a, b)
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrNotFound) {
		return s, err
	}
	if err != nil && ctx.Err() == nil {
		return s, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err != nil {
		return s, err
	}
	masks, err := db.Masks(ctx, []store.PageID{t.Page})
	if err != nil {
		return s, err
	}
	s.title = b.Title
	if !rules.Empty() {
		before, after := keptLines(v.TextA, rules), keptLines(v.TextB, rules)
		s.before, s.after = notice.Hash(strings.Join(before, "\n")), notice.Hash(strings.Join(after, "\n"))
		from, to := sentencesOf(before, v.TextA.Detected), sentencesOf(after, v.TextB.Detected)
		s.added, s.removed = text.NewSentences(from, to), text.NewSentences(to, from)
		return s, nil
	}
	packed := masks[t.Page]
	v.Mask(packed)
	for _, line := range v.Sentences() {
		switch {
		case line.Moved || line.Noise:
		case line.Op == diff.Insert:
			s.added = append(s.added, line.Text)
		case line.Op == diff.Delete:
			s.removed = append(s.removed, line.Text)
		}
	}
	textA, textB := v.TextA.Text(), v.TextB.Text()
	var m mask.Mask
	if len(packed) > 0 && m.UnmarshalBinary(packed) == nil {
		if f := m.Filter(b.FirstSeen, mask.Options{}); !f.Empty() {
			textA, textB = f.Text(v.TextA), f.Text(v.TextB)
		}
	}
	s.before, s.after = notice.Hash(textA), notice.Hash(textB)
	return s, nil
}

// keptLines are the lines of a page that rules leave.
func keptLines(p *extract.Page, rules *ignore.Rules) []string {
	lines, _ := rules.Apply(p)
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Text
	}
	return out
}

// sentencesOf cuts lines into sentences.
func sentencesOf(lines []string, language string) []string {
	var out []string
	var spans []text.Span
	for _, l := range lines {
		spans = text.AppendSentences(spans[:0], l, language)
		for _, span := range spans {
			out = append(out, l[span.Start:span.End])
		}
	}
	return out
}
