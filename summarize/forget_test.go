package summarize

import (
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/store"
)

// TestForget lets pages leave that bring nothing, or next to nothing, for long, and none that was new of late, is
// young, or is a seed.
func TestForget(t *testing.T) {
	t.Parallel()
	p := &period{set: Settings{LeaveAfter: 4, LeaveBelow: 0.05}, past: map[store.PageID][]store.PastScore{}}
	p.run.Fetches, p.run.Leaving = 9, map[store.PageID]string{}
	for i, tt := range []struct {
		by     string
		scores []float64 // the last one is that of the period
	}{
		{store.AddedAsBase, []float64{400, 500, 600, 400, 500, 400}},
		{store.AddedAsBase, []float64{1, 1, 0, 1, 1, 1}},  // a footer that changes
		{store.AddedAsBase, []float64{90, 0, 0, 0, 0, 0}}, // nothing new for long
		{store.AddedAsBase, []float64{0, 0, 0, 0, 0, 30}}, // it comes back
		{store.AddedAsBase, []float64{1, 1}},              // it is here for two periods
		{store.AddedAsSeed, []float64{0, 0, 0, 0, 0, 0}},
	} {
		id := store.PageID(i + 1)
		last := len(tt.scores) - 1
		for _, s := range tt.scores[:last] {
			p.past[id] = append(p.past[id], store.PastScore{Score: s, Seen: true})
		}
		p.pages = append(p.pages, &reading{Place: store.Place{Page: id}, member: store.TopicPage{Page: id, AddedBy: tt.by}})
		p.run.Scores = append(p.run.Scores, store.TopicScore{Page: id, VersionTo: 1, Score: tt.scores[last]})
	}
	p.forget()
	for id, want := range map[store.PageID]string{1: "", 2: "up-to-date-ness below 0.05 of the collection's mean in 4 periods", 3: "nothing new in 4 periods", 4: "", 5: "", 6: ""} {
		if got := p.run.Leaving[id]; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("page %d leaves for %q, want %q", id, got, want)
		}
	}
	if p.run.Departed != 2 {
		t.Errorf("%d departed, want 2", p.run.Departed)
	}
}

// TestUnlike takes a sentence in other order for the old one if it is told to.
func TestUnlike(t *testing.T) {
	t.Parallel()
	now := []sentence{told("In Lund the river rises today.", 2), told("A dam burst near Oakham.", 2)}
	for threshold, want := range map[float64]bool{0: true, 0.8: false} {
		fresh, _ := unlike([]string{"The river rises in Lund today."}, now, threshold)
		if fresh(0) != want || !fresh(1) {
			t.Errorf("threshold %v: %v and %v", threshold, fresh(0), fresh(1))
		}
	}
}
