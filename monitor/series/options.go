package series

import (
	"log/slog"

	"github.com/strandlinehq/strandline/monitor/novelty"
)

// Options are the parameters of the measure and the bounds of its computation.
type Options struct {
	// Delta is the decay of novelty per link (SCIENCE T3, T10).
	Delta float64
	// Iterations is how many to do; 0 until the scores have settled.
	Iterations int
	// Rules are those by which pages are told to be old.
	Rules novelty.Rules
	// Deltas are those that convergence, distribution and accuracy are also
	// computed for; nil means 0, 0.1 and 0.2, as in the paper.
	Deltas []float64
	// PageDates bounds the unidentified pages whose own dates are read; 0 means
	// 20,000. Of more, every n-th is read.
	PageDates int
	// Births bounds the unidentified pages whose birth is estimated, at some tenth of
	// a millisecond each; 0 means 100,000. Of more, every n-th is.
	Births int
	// LinkBytes bounds the packed links that are kept in memory; 0 means 256 MiB.
	LinkBytes int64
	// Logger is told of each snapshot; nil means silence.
	Logger *slog.Logger
}

// Defaults are the parameters of the paper.
func Defaults() Options {
	return Options{Delta: novelty.DefaultDelta, Iterations: novelty.DefaultIterations, Rules: novelty.DefaultRules}
}

const (
	defaultLinkBytes = 256 << 20
	defaultPageDates = 20_000
	defaultBirths    = 100_000
)

func (o Options) withDefaults() Options {
	if o.Deltas == nil {
		o.Deltas = []float64{0, .1, .2}
	}
	if o.LinkBytes == 0 {
		o.LinkBytes = defaultLinkBytes
	}
	if o.PageDates == 0 {
		o.PageDates = defaultPageDates
	}
	if o.Births == 0 {
		o.Births = defaultBirths
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// RuleNames are the names of the rules in the database.
func RuleNames() []string { return ruleNames(^novelty.Rules(0)) }

// RuleNamed is the rule of a name.
func RuleNamed(name string) (novelty.Rules, bool) {
	for _, r := range ruleList() {
		if r.name == name {
			return r.rule, true
		}
	}
	return 0, false
}

func ruleNames(rules novelty.Rules) []string {
	out := []string{}
	for _, r := range ruleList() {
		if rules&r.rule != 0 {
			out = append(out, r.name)
		}
	}
	return out
}

type namedRule struct {
	rule novelty.Rules
	name string
}

func ruleList() []namedRule {
	return []namedRule{
		{novelty.RuleKnown, "seen"}, {novelty.RuleModified, "last-modified"}, {novelty.RuleLinked, "linked-from-old"}, {novelty.RuleDated, "own-date"},
	}
}

// rulesNamed are the rules that have these names.
func rulesNamed(names []string) (rules novelty.Rules) {
	for _, name := range names {
		rule, _ := RuleNamed(name)
		rules |= rule
	}
	return rules
}
