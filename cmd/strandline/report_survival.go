package main

import (
	"context"
	"fmt"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
	"github.com/strandlinehq/strandline/cmd/internal/report"
	"github.com/strandlinehq/strandline/monitor/classes"
	"github.com/strandlinehq/strandline/monitor/dom"
)

// reportSurvival makes paper A's Table 4 (SCIENCE A28).
func reportSurvival(ctx context.Context, r *reported) (*report.Table, chart.Figure, error) {
	t := &report.Table{Title: "The share of a page's first elements that are still seen later", Columns: []string{"horizon hours", "pages", "mean", "median"}}
	f, most := chart.Survival{}, int64(0)
	for i, share := range classes.PrintedSurvival() {
		f.Them = append(f.Them, chart.Point{X: dom.Horizons()[i], Y: share})
	}
	rows, err := r.Pool().Query(ctx, `select horizon, pages, mean, median from api_v1.element_survival order by horizon`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var horizon int32
		var pages int64
		var mean, median *float64
		if err := rows.Scan(&horizon, &pages, &mean, &median); err != nil {
			return nil, nil, err
		}
		t.Add(horizon, pages, mean, median)
		if mean != nil && median != nil {
			f.Mean = append(f.Mean, chart.Point{X: float64(horizon), Y: *mean})
			f.Median = append(f.Median, chart.Point{X: float64(horizon), Y: *median})
			most = max(most, pages)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	if len(t.Rows) == 0 {
		for _, h := range dom.Horizons() {
			t.Add(h, 0, nil, nil)
		}
	}
	t.Note("Elements of the first version that are seen for an hour or more; pages whose history ends before a horizon do not count for it.")
	t.Note("Paper: means 0.993 0.974 0.917 0.879 0.864 0.843; median 0.998 at five weeks.")
	f.Subtitle = fmt.Sprintf("%d pages at the first horizon, fewer at later ones", most)
	return t, f, nil
}
