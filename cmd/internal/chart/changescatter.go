package chart

// ChangeScatter draws the changes of a page by how long the page had stayed the
// same and how much then changed (paper A Figure 2; SCIENCE A9).
type ChangeScatter struct {
	Page    string // its title or address
	Changes []IntervalChange
	Total   int // how many changes there are, where Changes has the last of them only; 0: all are given
}

// IntervalChange is a change after some time.
type IntervalChange struct {
	Hours    float64 // since the last change
	Dice     float64 // of the texts before and after
	Censored bool    // the page may have stayed the same for longer: Hours counts from the first fetch
	Words    string  // for hovering, such as the time of the change
}

// SVG draws the figure.
func (f ChangeScatter) SVG(opt Options) []byte { return f.chart().SVG(opt) }

func (f ChangeScatter) chart() Chart {
	ch := Chart{
		Title:    "Does the page change more when it has waited longer?",
		Subtitle: f.Page,
		Empty:    "No change of this page has been seen yet. Each one will be a dot here: how long the page had stayed the same, and how much then changed.",
		X:        Axis{Label: "time since the last change", Kind: LogHours},
		Y:        Axis{Label: "Dice of the texts before and after (1 = the same words)", Kind: Share},
	}
	dots := make([]Dot, len(f.Changes))
	n, censored := 0, false
	for i, c := range f.Changes {
		words := "after " + span(c.Hours) + ": Dice " + share(c.Dice)
		if c.Censored {
			words = "after at least " + span(c.Hours) + ": Dice " + share(c.Dice)
		}
		if c.Words != "" {
			words = c.Words + ", " + words
		}
		dots[i] = Dot{Point{c.Hours, c.Dice}, c.Censored, words}
		if dots[i].finite() && c.Hours > 0 {
			n++
			censored = censored || c.Censored
		} else {
			dots[i].X = nan
		}
	}
	if ch.Subtitle != "" && n > 0 {
		ch.Subtitle += ": "
	}
	switch {
	case f.Total > len(f.Changes) && n > 0:
		ch.Subtitle += "the last " + number(float64(n)) + " of " + plural(f.Total, "change", "changes")
	case n > 0:
		ch.Subtitle += plural(n, "change", "changes")
	}
	if n == 1 {
		ch.Note = "Only one change so far: too few to see a pattern."
	}
	if censored {
		ch.Keys = []Key{{Color: "accent", Dot: true, Label: "change"}, {Color: "accent", Dot: true, Hollow: true, Label: "first change seen: it had stayed the same for at least so long"}}
	}
	ch.Desc = "Scatter of " + plural(n, "change", "changes") + " by hours since the last change and Dice coefficient."
	ch.Panels = []Panel{{Marks: []Mark{Dots{Dots: dots}}}}
	return ch
}
