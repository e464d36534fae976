// Package eval says how good novelty scores are: the evaluation of Toyoda and
// Kitsuregawa 2006 (SCIENCE T5 to T9).
//
// [Distribution] counts scores in the bins of the paper's figures. [Dater] finds
// the month that a URL names, which the paper takes as the time when its page
// appeared; [Accuracy] judges pages by a threshold on their score and compares with
// such a truth. [Miss] is the share of pages known to be old that are judged novel.
//
// Left out: the tables of sizes, which are novelty.Count and novelty.Stats, and the
// convergence, which novelty.Scores carries.
package eval
