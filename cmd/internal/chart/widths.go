package chart

// regular and bold hold advance widths of U+0020 to U+007E in thousandths of the
// type size: of each glyph the widest of the faces that system-ui commonly
// stands for, so that a text never takes more room than was set aside for it.
var (
	regular = [...]uint16{
		318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, // space to /
		636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, // 0 to ?
		1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787, // @ to O
		667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556, // P to _
		500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, // ` to o
		635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838, // p to ~
	}
	bold = [...]uint16{
		348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
		696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
		1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
		733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
		500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
		716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
	}
)

// blocks holds, for the characters outside of the tables above, widths by
// stretches of Unicode in ascending order; each entry reaches up to the next.
// They are generous means, since a label is a word and not a glyph.
var blocks = [...]struct {
	from  rune
	width uint16
}{
	{0, 0},
	{0xa0, 640},     // Latin-1 to Latin Extended-B
	{0x250, 620},    // phonetic letters
	{0x300, 0},      // combining marks
	{0x370, 680},    // Greek
	{0x400, 740},    // Cyrillic
	{0x530, 680},    // Armenian
	{0x591, 0},      // Hebrew points
	{0x5be, 600},    // Hebrew letters
	{0x600, 720},    // Arabic, Syriac
	{0x900, 800},    // the scripts of India and South East Asia
	{0x1100, 1000},  // Hangul letters
	{0x1200, 900},   // Ethiopic, Cherokee and more
	{0x1e00, 680},   // more Latin letters
	{0x1f00, 700},   // polytonic Greek
	{0x2000, 500},   // spaces and dashes
	{0x200b, 0},     // zero width
	{0x2010, 500},   // dashes and quotes
	{0x2014, 1000},  // long dash
	{0x2016, 530},   // quotes
	{0x2020, 600},   // daggers, bullet
	{0x2026, 1000},  // ellipsis
	{0x2027, 1350},  // per mille and rarities
	{0x2070, 530},   // superscripts
	{0x2100, 1100},  // letter-like signs, arrows, operators, symbols
	{0x2e80, 1000},  // Chinese, Japanese, Korean
	{0xa000, 1000},  // Yi
	{0xa4d0, 850},   // rarer scripts
	{0xac00, 1000},  // Hangul
	{0xfb00, 800},   // presentation forms
	{0xfe00, 0},     // variation selectors
	{0xfe10, 1000},  // full width
	{0xfe70, 720},   // Arabic forms
	{0xff00, 1000},  // full width
	{0xff61, 600},   // half width
	{0xffe0, 1000},  // signs
	{0x10000, 1100}, // old scripts
	{0x1f000, 1400}, // emoji
	{0x20000, 1000}, // rare Chinese
	{0xe0000, 0},
	{0xe0200, 1000}, // tags, private use
}
