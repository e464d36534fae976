package configs

import "strings"

// Suggest gives the known word that the user most likely meant, or "".
func Suggest(word string, known []string) string { return suggest(word, known) }

// suggest gives the known word that the user most likely meant, or "". A word counts as meant when at most a third
// of its letters, and never more than three, are wrong.
func suggest(word string, known []string) string {
	best, least := "", 4
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < least && d*3 <= max(len(k), 3) {
			best, least = k, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: the least number of letters inserted, deleted, replaced or
// swapped with their neighbour.
//
//	d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a[i] != b[j]), d[i-2][j-2] + 1 if a pair is swapped)
func distance(a, b string) int {
	const most = 64 // no key is longer; keeps a hostile key from costing time
	if len(a) > most || len(b) > most {
		return most
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
