// Package chart draws the figures of the project as SVG: for the command report
// and for the web pages.
//
// Each finished figure is a struct of plain data with a method SVG: ChangeScatter,
// PageHistograms, ChangeCurve, ChangeCurves, TermLifespans, StayingPower, BlockMap,
// Convergence, Distribution, PrecisionRecall, StackedNovelty, UpToDate, TermPeriods,
// Calendar, Sparkline.
// Others are put together from marks (Line, Dots, Bars, Areas, Rule, Knot, Gap,
// Band, Rows, Segment) on the panels of a Chart.
//
// The pictures have a title that asks or answers a question, direct labels where
// they fit, gaps where there are no data, and words instead of an empty frame. No
// two texts overlap and none is cut off: widths are measured by a table of the
// widest faces that system-ui stands for. A value that is NaN or infinite is a gap.
// Every string may come from the web; it is cleaned, shortened and escaped.
//
// The SVG has no scripts and refers to nothing outside of it. Its colours are
// custom properties that follow the reader's preference for light or dark, in
// print always light (Style; Options.Bare for pages whose policy forbids style
// elements). The same data give the same bytes. Hovering reads <title> elements,
// and scripts may read data attributes.
//
// Left out: computing what is drawn, and the table and CSV beside each figure.
package chart
