package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strandlinehq/strandline/cmd/internal/analyze"
	"github.com/strandlinehq/strandline/crawler/archive"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/monitor"
	"github.com/strandlinehq/strandline/monitor/dom"
	"github.com/strandlinehq/strandline/store"
)

// TestAnalyzeAgrees reads an archive twice: by analyze without a database, and into
// one that is measured by the runner. Both say the same of every page.
func TestAnalyzeAgrees(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pages.warc.gz")
	if err := (&sampleArchiveCmd{Out: file, Pages: 8, Days: 2, Seed: 4}).Run(t.Context(), &app{}); err != nil {
		t.Fatal(err)
	}
	agree(t, file)
}

// TestAnalyzeAgreesOnCorpus does so on captures of the real web.
func TestAnalyzeAgreesOnCorpus(t *testing.T) {
	t.Parallel()
	for _, file := range need.Corpus(t, "gov-fire-dispatch", "gov-us-states-2020") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			agree(t, file)
		})
	}
}

// told is what both say of a page, in the words of analyze.
type told struct {
	Curve []analyze.Point
	Knot  *analyze.Knot
	Terms map[string]toldTerm
	// Of elements: Table 4 for all pages, and the lives of contents for those that
	// the database follows in full.
	Survival map[string]any
	Blocks   map[string]float64
}

type toldTerm struct {
	Power, Divergence *float64
	First, Last       int // hours from the first version
}

func agree(t *testing.T, file string) {
	db, err := store.Open(t.Context(), newDatabase(t), store.Options{MaxConns: 6})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	reader := intake.New(canonical.New(canonical.Options{}))
	if _, err := archive.Import(t.Context(), db, reader, []string{file}, archive.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := monitor.New(db, monitor.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	cut := cutShare(t, db)
	pages, compared, blocks := 0, 0, 0
	parts := analyze.Parts{Curve: true, Terms: true, DOM: true}
	_, err = analyze.Pages(t.Context(), reader, []string{file}, analyze.Options{Parts: parts}, func(p analyze.Page) error {
		pages++
		if p.Versions == 0 {
			return nil
		}
		want, got, err := bothTold(t.Context(), db, &p, cut)
		if err != nil {
			return err
		}
		if got == nil {
			return nil // a history beyond what the daemon follows
		}
		compared++
		if got.Blocks != nil {
			blocks++
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-8)); diff != "" {
			t.Errorf("%s (-analyze +database):\n%.1500s", p.URL, diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d pages compared, the lives of contents of %d", compared, pages, blocks)
	if 2*compared < pages || pages > 1 && 2*blocks < pages { // a lone page may have a thousand versions
		t.Errorf("only %d of %d pages could be compared, the lives of contents of %d", compared, pages, blocks)
	}
}

func cutShare(t *testing.T, db *store.DB) float64 {
	c, err := db.Collection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c.CutShare()
}

func bothTold(ctx context.Context, db *store.DB, p *analyze.Page, cut float64) (want, got *told, err error) {
	page, err := db.PageByURL(ctx, p.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.URL, err)
	}
	a, err := monitor.ReadAnalysis(ctx, db, page)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.URL, err)
	}
	if a.Beyond > 0 || a.Damaged > 0 || p.Curve == nil {
		return nil, nil, nil
	}
	diverged, err := a.Divergences(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	want = &told{Curve: p.Curve, Knot: p.Knot, Terms: map[string]toldTerm{}, Survival: p.Survival}
	for _, w := range p.Terms {
		want.Terms[w.Term] = toldTerm{w.StayingPower, w.Divergence, int(math.Round(w.First.Sub(p.First).Hours())), int(math.Round(w.Last.Sub(p.First).Hours()))}
	}
	got = &told{Terms: map[string]toldTerm{}}
	horizons := []string{"2h", "1d", "1w", "2w", "4w", "5w"}
	for _, s := range a.Survival {
		if !s.OK || !a.Complete {
			continue
		}
		if got.Survival == nil {
			got.Survival = map[string]any{}
			for _, h := range horizons {
				got.Survival[h] = nil
			}
		}
		got.Survival[horizons[slices.Index(dom.Horizons(), s.Horizon)]] = s.Share
	}
	if a.Exact {
		want.Blocks, got.Blocks = map[string]float64{}, map[string]float64{}
		for _, b := range p.Blocks {
			want.Blocks[b.Path] = b.Life
		}
		for path, b := range a.AtPath {
			got.Blocks[path] = b.Life
		}
	}
	for i, n := range a.Curve.Support {
		if n > 0 {
			got.Curve = append(got.Curve, analyze.Point{Step: i, Hours: float64(i), Dice: a.Curve.Value[i], Support: n})
		}
	}
	if fit, shape := a.Curve.Shape(); p.Knot != nil {
		got.Knot = &analyze.Knot{Shape: shape.String(), Hours: fit.X, Dice: fit.Y, Slope1: fit.First.Slope, Slope2: fit.Second.Slope}
	}
	kept := make(map[string]toldTerm, len(a.Terms)) // of a page with very many terms, a sample
	for i, r := range a.Terms {
		if o, ok := want.Terms[r.Term]; ok && a.Sampled < 1 {
			kept[r.Term] = o
		}
		w := toldTerm{First: r.First(), Last: r.Last()}
		if r.HasPower {
			w.Power = &a.Terms[i].Power
		}
		if diverged[i].HasDiv {
			w.Divergence = &diverged[i].Div
		}
		if o, ok := want.Terms[r.Term]; ok && cut > 0 && !diverged[i].HasDiv {
			w.Divergence = o.Divergence // too rare a word for the stored language model
		}
		got.Terms[r.Term] = w
	}
	if a.Sampled < 1 {
		want.Terms = kept
	}
	return want, got, nil
}
