package main

import (
	"testing"
	"time"
)

// TestRecordedContents has a page that shows a, then b, then a again, and then b.
func TestRecordedContents(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2020, 3, 1, 0, minute, 0, 0, time.UTC) }
	list := []replayed{{at(10), "a"}, {at(20), "b"}, {at(30), "a"}, {at(31), "a"}, {at(40), "b"}}
	for _, tt := range []struct {
		from, to int
		a, b     bool
		n        int
	}{
		{0, 5, false, false, 0},
		{0, 10, true, false, 1},
		{12, 15, true, false, 1},
		{12, 20, true, true, 2},
		{21, 29, false, true, 1},
		{15, 45, true, true, 4},
		{41, 50, false, true, 1},
	} {
		if got := visibleWithin(list, "a", at(tt.from), at(tt.to)); got != tt.a {
			t.Errorf("a is visible from %d to %d: %t", tt.from, tt.to, got)
		}
		if got := visibleWithin(list, "b", at(tt.from), at(tt.to)); got != tt.b {
			t.Errorf("b is visible from %d to %d: %t", tt.from, tt.to, got)
		}
		if got := contentsWithin(list, at(tt.from), at(tt.to)); got != tt.n {
			t.Errorf("%d contents from %d to %d, want %d", got, tt.from, tt.to, tt.n)
		}
	}
}
