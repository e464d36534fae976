package classes

// Totals are the numbers that paper A prints over all of its pages, to be shown
// beside ours (SCIENCE A13, A19).
type Totals struct {
	Unchanged, Changed             int
	HoursMean, DiceMean            float64
	Flat, Sloped, Knotted          int
	KnotHoursMean, KnotHoursMedian float64
	KnotDiceMean, KnotDiceMedian   float64
	// Subhour are the rows of Table 2, of SubhourPages pages.
	Subhour      []Subhour
	SubhourPages int
}

// Subhour tells how many pages changed within some minutes (paper A Table 2).
type Subhour struct {
	Minutes              int // 0 for two fetches at one moment
	Any, All             int // pages that changed in at least one round, in all rounds
	DiceMean, DiceMedian float64
}

// Printed returns what the paper prints. It does not add up: the 54,968 pages
// here are 54,788 in the paper's text and 54,816 in its Table 2, and curves are
// given for 36,767 pages.
func Printed() Totals {
	return Totals{
		Unchanged: 18971, Changed: 35997, HoursMean: 123, DiceMean: .794,
		Flat: 819, Sloped: 10462, Knotted: 25486,
		KnotHoursMean: 145, KnotHoursMedian: 92, KnotDiceMean: .74, KnotDiceMedian: .80,
		Subhour: []Subhour{
			{0, 6303, 3549, .937, .985},
			{2, 10616, 4952, .937, .982},
			{16, 12503, 6206, .927, .975},
			{32, 13126, 6445, .920, .969},
			{60, 35997, 22818, .867, .950},
		},
		SubhourPages: 54816,
	}
}

// PrintedSurvival returns the means of the paper's Table 4: the share of a page's first
// elements that are still seen after 2 hours, a day, and 1, 2, 4 and 5 weeks
// (SCIENCE A28).
func PrintedSurvival() []float64 { return []float64{.993, .974, .917, .879, .864, .843} }
