package suggest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/extract"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/mask"
)

// Options of what is offered. The zero Options are good ones.
type Options struct {
	Share    float64 // of the fetches that a part must differ in; zero: 0.9
	MinSteps int     // fetches after the first that a page must have; zero: 8
	MaxText  float64 // share of a page's text that a rule may remove; zero: 0.15
}

func (o Options) withDefaults() Options {
	if !(o.Share > 0) {
		o.Share = .9
	}
	o.MinSteps = cmp.Or(max(o.MinSteps, 0), 8)
	if !(o.MaxText > 0) {
		o.MaxText = .15
	}
	return o
}

// Version is a content of a page with the fetches that saw it.
type Version struct {
	At      time.Time // first fetch
	Fetches int       // that saw it, 1 or more
	Page    *extract.Page
}

// Rule is an entry for an ignore list with what speaks for it.
type Rule struct {
	Text    string // as monitor/ignore reads it
	Learned bool   // pairs of simultaneous requests showed it
	Pages   int    // that it was found on
	Steps   int    // fetches of these pages after the first
	Differs int    // those in which the part differed; of pairs for a Learned rule that the history does not show
	Changes int    // of the text of these pages
	Alone   int    // those of the changes that all offered rules together explain, and this one takes part in
	// Life is the mean time that a content of the part stood; 0 where a pair alone shows it.
	Life    time.Duration
	Example string // text that it removes
}

// evidence is a rule that one page offers.
type evidence struct {
	Rule
}

// Page looks for parts of one page that live no longer than from one fetch to the next.
// versions are consecutive, oldest first. known are the rules that the watch has
// already, nil for none: what they remove is not offered again. learned is the page's
// mask, nil for none.
func Page(versions []Version, known []string, learned *mask.Mask, opt Options) ([]Rule, error) {
	opt = opt.withDefaults()
	steps := -1
	for _, v := range versions {
		steps += max(v.Fetches, 1)
	}
	if len(versions) < 2 {
		return nil, nil
	}
	found := map[string]*evidence{}
	if steps >= opt.MinSteps {
		fromHistory(found, versions, steps, opt)
	}
	if learned != nil {
		fromPairs(found, versions, learned)
	}
	return tried(found, versions, steps, known, opt)
}

// fromHistory takes consecutive versions for pairs: what differs in nearly all of them
// in the same form is no news.
func fromHistory(found map[string]*evidence, versions []Version, steps int, opt Options) {
	var m mask.Mask
	loose := mask.Options{Quiet: 1 << 30, Expire: 1 << 62}
	for i := 1; i < len(versions); i++ {
		m.Learn(versions[i-1].Page, versions[i].Page, versions[i].At, loose)
	}
	for _, r := range m.Rules() {
		if r.Kind != mask.Tokens || float64(r.Pairs) < opt.Share*float64(steps) {
			continue
		}
		if text, ok := entry(r); ok {
			found[text] = &evidence{Rule: Rule{Text: text, Differs: r.Pairs}}
		}
	}
}

// fromPairs takes what the page's mask knows for certain.
func fromPairs(found map[string]*evidence, versions []Version, m *mask.Mask) {
	for _, r := range m.Active(versions[len(versions)-1].At, mask.Options{}) {
		text, ok := entry(r)
		if !ok {
			continue
		}
		if found[text] == nil {
			found[text] = &evidence{Rule: Rule{Text: text, Differs: r.Pairs}}
		}
		found[text].Learned = true
	}
}

// entry is a rule of a mask as one of an ignore list. A pattern without a word to the
// letter would match elsewhere too: its element is named instead.
func entry(r mask.Rule) (string, bool) {
	if r.Kind == mask.Tokens && !worded(r.Pattern) {
		return r.Selector, true
	}
	return r.Ignore()
}

// worded reports whether a pattern has a word of three letters or more outside of its
// placeholders.
func worded(pattern string) bool {
	run, depth := 0, 0
	for _, c := range pattern {
		switch {
		case c == '{':
			depth, run = 1, 0
		case c == '}':
			depth, run = 0, 0
		case depth == 0 && c != ' ' && strings.ToLower(string(c)) != strings.ToUpper(string(c)):
			if run++; run == 3 {
				return true
			}
		default:
			run = 0
		}
	}
	return false
}

// tried keeps the rules that remove something from nearly every version but not much
// of any, and counts what they explain.
func tried(found map[string]*evidence, versions []Version, steps int, known []string, opt Options) ([]Rule, error) {
	before, err := textsOf(versions, known)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, text := range slices.Sorted(maps.Keys(found)) {
		if slices.Contains(known, text) {
			continue
		}
		e := found[text]
		rules, err := ignore.Compile(append(slices.Clone(known), text))
		if err != nil {
			continue // a name that CSS cannot write
		}
		lives, ok := e.try(rules, versions, opt)
		if !ok {
			continue
		}
		span := versions[len(versions)-1].At.Sub(versions[0].At)
		e.Life, e.Pages, e.Steps = span/time.Duration(max(lives, 1)), 1, steps
		texts = append(texts, text)
	}
	all, err := textsOf(versions, append(slices.Clone(known), texts...))
	if err != nil {
		return nil, err
	}
	var out []Rule
	for i, text := range texts {
		e := found[text]
		without, err := textsOf(versions, slices.Concat(known, texts[:i], texts[i+1:]))
		if err != nil {
			return nil, err
		}
		for k := 1; k < len(versions); k++ {
			if before[k] == before[k-1] {
				continue
			}
			e.Changes++
			if all[k] == all[k-1] && without[k] != without[k-1] {
				e.Alone++
			}
		}
		if e.Learned || e.Alone > 0 && float64(e.Alone) >= least*float64(e.Changes) {
			out = append(out, e.Rule)
		}
	}
	return out, nil
}

// least is the share of the changes that a rule from the history alone must have a part
// in explaining. A number that goes with every piece of news is no noise.
const least = .05

// try applies the rules with the new one at their end. lives counts the contents of the part.
func (e *evidence) try(rules *ignore.Rules, versions []Version, opt Options) (lives int, ok bool) {
	last, hits := "", 0
	for _, v := range versions {
		_, removed := rules.Apply(v.Page)
		var b strings.Builder
		for _, r := range removed {
			if r.Rule == e.Text {
				b.WriteString(r.Text)
				b.WriteByte('\n')
			}
		}
		text := b.String()
		if text == "" {
			continue
		}
		hits++
		if limit := max(opt.MaxText*float64(len(v.Page.Text())), 200); float64(len(text)) > limit || 2*len(text) > len(v.Page.Text()) {
			return 0, false
		}
		if text != last {
			lives++
			e.Example, last = strings.Join(strings.Fields(text), " "), text
		}
	}
	return lives, 2*hits >= len(versions) && lives > 1
}

func textsOf(versions []Version, rules []string) ([]string, error) {
	r, err := ignore.Compile(rules)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(versions))
	for i, v := range versions {
		kept, _ := r.Apply(v.Page)
		var b strings.Builder
		for _, l := range kept {
			b.WriteString(l.Text)
			b.WriteByte('\n')
		}
		out[i] = b.String()
	}
	return out, nil
}

// Rules joins what several pages offer: equal rules are one, those that explain most
// changes first.
func Rules(pages ...[]Rule) []Rule {
	byText := map[string]*Rule{}
	life := map[string]time.Duration{}
	for _, list := range pages {
		for _, r := range list {
			j := byText[r.Text]
			if j == nil {
				j = &Rule{Text: r.Text, Example: r.Example}
				byText[r.Text] = j
			}
			j.Learned = j.Learned || r.Learned
			j.Pages += r.Pages
			j.Steps += r.Steps
			j.Differs += r.Differs
			j.Changes += r.Changes
			j.Alone += r.Alone
			life[r.Text] += r.Life * time.Duration(r.Pages)
		}
	}
	out := make([]Rule, 0, len(byText))
	for text, j := range byText {
		j.Life = life[text] / time.Duration(max(j.Pages, 1))
		out = append(out, *j)
	}
	slices.SortFunc(out, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.Alone, a.Alone), cmp.Compare(b.Differs, a.Differs), cmp.Compare(a.Text, b.Text))
	})
	return out
}
