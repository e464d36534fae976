// Package pagedate finds the dates that a page gives itself: when it was published
// and when it was last modified (SCIENCE 2.10). They are evidence of a page's age
// where no crawl saw it appear.
//
// [Of] gathers what the address, the markup (meta elements, JSON-LD, time elements)
// and the visible text say, each as a [Date] with its kind, precision and a
// confidence; [Dates.Published] and [Dates.Modified] choose. Dates in text are read
// in English, German, French, Dutch, Spanish, Italian, Portuguese, Japanese (also
// by eras), Chinese and Korean.
//
// The confidences are judgements, ordered by how often such evidence is about the
// page itself; evidence of two sources that agree counts as independent. They are
// compared with bounds ([Sure]), and are no calibrated probabilities.
//
// Left out: dates in long sentences, which are what a text tells of; dates of lists
// of other pages; two-digit years; and 3/4/2020 in English, where nobody knows
// which is the month.
package pagedate
