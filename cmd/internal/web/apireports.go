package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/seriesreport"
	"github.com/strandlinehq/strandline/store"
)

// apiStep is how much the scores of a snapshot changed in an iteration (SCIENCE T4).
type apiStep struct {
	Snapshot  int       `json:"snapshot"`
	StartedAt time.Time `json:"started_at"`
	Delta     float64   `json:"delta"`
	Iteration int       `json:"iteration"`
	L1        float64   `json:"l1_change"`
}

// apiBin counts pages that are not known to be old by their novelty (SCIENCE T5).
type apiBin struct {
	Snapshot  int       `json:"snapshot"`
	StartedAt time.Time `json:"started_at"`
	Delta     float64   `json:"delta"`
	Above     *float64  `json:"above"` // null: novelty 0 alone
	UpTo      float64   `json:"up_to"`
	Pages     int64     `json:"pages"`
}

// apiAccuracy is how well a threshold tells new pages (SCIENCE T7).
type apiAccuracy struct {
	Snapshot  int       `json:"snapshot"`
	StartedAt time.Time `json:"started_at"`
	Truth     string    `json:"truth"` // url or page
	Delta     float64   `json:"delta"`
	Threshold float64   `json:"threshold"`
	Judged    int64     `json:"judged"`
	Hits      int64     `json:"hits"`
	Precision *float64  `json:"precision"`
	Recall    *float64  `json:"recall"`
}

// reported reads the series of an address, narrowed to the delta that it names.
func (s *Server) reported(r *http.Request) (*seriesreport.Series, error) {
	series, err := s.seriesNamed(r)
	if err != nil {
		return nil, err
	}
	v, err := seriesreport.Read(r.Context(), s.db, series)
	if err != nil {
		return nil, err
	}
	text := r.URL.Query().Get("delta")
	if text == "" {
		return v, nil
	}
	delta, err := strconv.ParseFloat(text, 64)
	if err != nil || !(delta >= 0 && delta < 1) {
		return nil, badRequest("δ is a number from 0 to below 1.")
	}
	return v.Only(delta), nil
}

// collected gives the parts of all snapshots of a series in one list.
func collected[R, T any](v *seriesreport.Series, of func(*store.NoveltyResult) []R, item func(*store.SeriesSnapshot, *store.NoveltyResult, *R) T) (out []T) {
	v.Each(func(s *store.SeriesSnapshot, res *store.NoveltyResult) {
		rows := of(res)
		for i := range rows {
			out = append(out, item(s, res, &rows[i]))
		}
	})
	return out
}

func same[T any](v *T) T { return *v }

func apiConvergence(s *Server, r *http.Request) (out apiList[apiStep], err error) {
	v, err := s.reported(r)
	if err != nil {
		return out, err
	}
	all := collected(v, func(res *store.NoveltyResult) []store.NoveltyStep { return res.Convergence }, func(one *store.SeriesSnapshot, _ *store.NoveltyResult, c *store.NoveltyStep) apiStep {
		return apiStep{one.Number, one.StartedAt.UTC(), c.Delta, c.Iteration, c.L1}
	})
	return part(r, all, func(x *apiStep) string { return fmt.Sprintf("%d_%v_%d", x.Snapshot, x.Delta, x.Iteration) }, same)
}

func apiDistribution(s *Server, r *http.Request) (out apiList[apiBin], err error) {
	v, err := s.reported(r)
	if err != nil {
		return out, err
	}
	all := collected(v, func(res *store.NoveltyResult) []store.NoveltyBin { return res.Distribution }, func(one *store.SeriesSnapshot, _ *store.NoveltyResult, b *store.NoveltyBin) apiBin {
		x := apiBin{Snapshot: one.Number, StartedAt: one.StartedAt.UTC(), Delta: b.Delta, UpTo: float64(b.Bin) / 10, Pages: b.Pages}
		if b.Bin > 0 {
			above := float64(b.Bin-1) / 10
			x.Above = &above
		}
		return x
	})
	return part(r, all, func(x *apiBin) string {
		return fmt.Sprintf("%d_%v_%d", x.Snapshot, x.Delta, int(math.Round(10*x.UpTo)))
	}, same)
}

func apiAccuracies(s *Server, r *http.Request) (out apiList[apiAccuracy], err error) {
	v, err := s.reported(r)
	if err != nil {
		return out, err
	}
	all := collected(v, func(res *store.NoveltyResult) []store.NoveltyAccuracy { return res.Accuracy }, func(one *store.SeriesSnapshot, res *store.NoveltyResult, a *store.NoveltyAccuracy) apiAccuracy {
		x := apiAccuracy{Snapshot: one.Number, StartedAt: one.StartedAt.UTC(), Truth: a.Truth, Delta: a.Delta, Threshold: a.Threshold, Judged: a.Judged, Hits: a.Hits}
		x.Precision, x.Recall = seriesreport.PrecisionRecall(res, a)
		return x
	})
	return part(r, all, func(x *apiAccuracy) string {
		return fmt.Sprintf("%d_%s_%v_%v", x.Snapshot, x.Truth, x.Delta, x.Threshold)
	}, same)
}
