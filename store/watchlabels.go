package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

var (
	qWatchLabels = statement{all, `
		select w.category is not null or w.genre is not null
		       or exists (select 1 from core.watch_page m
		                  where m.watch_id = $1 and (m.category is not null or m.genre is not null or m.visitors is not null or m.weight is not null))
		from core.watch w where w.watch_id = $1`}
	qPagesOfWatch  = statement{all, `select m.page_id from core.watch_page m where m.watch_id = $1`}
	qPutPageLabels = statement{routed, `
		update core.watch_page m set category = v.category, genre = v.genre, visitors = v.visitors, weight = v.weight
		from unnest($1::bigint[], $4::text[], $5::text[], $6::int[], $7::float8[]) v(page_id, category, genre, visitors, weight)
		where m.bucket = any($3::int[]) and m.page_id = v.page_id and m.watch_id = $2
		  and (m.category, m.genre, m.visitors, m.weight) is distinct from (v.category, v.genre, v.visitors, v.weight::real)`}
	// A page has the labels of the first watch by name that has one; those that it
	// left come after those that it belongs to, so that it keeps what it had.
	qLabelPages = statement{routed, `
		update core.page p set category = l.category, genre = l.genre, visitors = l.visitors, weight = l.weight
		from (
			select w.page_id, w.bucket,
			       (array_agg(w.category order by w.gone, w.name) filter (where w.category is not null))[1] as category,
			       (array_agg(w.genre order by w.gone, w.name) filter (where w.genre is not null))[1] as genre,
			       (array_agg(w.visitors order by w.gone, w.name) filter (where w.visitors is not null))[1] as visitors,
			       (array_agg(w.weight order by w.gone, w.name) filter (where w.weight is not null))[1] as weight
			from (
				select m.page_id, m.bucket, c.name, m.left_at is not null as gone, nullif(coalesce(m.category, c.category), 'auto') as category,
				       coalesce(m.genre, c.genre) as genre, m.visitors, m.weight
				from core.watch_page m
				join core.watch c on c.watch_id = m.watch_id
				where m.bucket = any($2::int[]) and m.page_id = any($1::bigint[])
			) w
			group by w.page_id, w.bucket
		) l
		where p.bucket = any($2::int[]) and p.page_id = any($1::bigint[]) and p.bucket = l.bucket and p.page_id = l.page_id
		  and (p.category, p.genre, p.visitors, p.weight) is distinct from (l.category, l.genre, l.visitors, l.weight)`}
)

// PageLabels is what the configuration knows of a page.
type PageLabels struct {
	Category string  // "" is that of the watch, auto asks for one to be found
	Genre    string  // "" is that of the watch
	Visitors int     // in the log that the page was drawn from; 0 where not known
	Weight   float64 // pages that it stands for; 0 where not known
	Top      bool    // added for its visitors, so that it stands for itself only
}

// labelAll notes that the labels of all pages of a watch may have changed.
func (a *applier) labelAll(ctx context.Context, watch int32) error {
	rows, err := a.tx.Query(ctx, qPagesOfWatch.sql, watch)
	if err != nil {
		return err
	}
	pages, err := pgx.CollectRows(rows, pgx.RowTo[PageID])
	a.labeled = append(a.labeled, pages...)
	return err
}

// hasLabels reports whether a watch, or a page for its sake, has a label. Where none has, pages
// that join have nothing to be labelled with, and a million of them would be looked at for nothing.
func (a *applier) hasLabels(ctx context.Context, watch int32) (bool, error) {
	var has bool
	err := a.tx.QueryRow(ctx, qWatchLabels.sql, watch).Scan(&has)
	return has, err
}

// labelListed writes the labels of the listed pages of a watch.
func (a *applier) labelListed(ctx context.Context, watch int32, s *WatchSpec, ids []PageID) error {
	for from := 0; from < len(ids); from += settleChunk {
		to := min(from+settleChunk, len(ids))
		var (
			categories, genres []*string
			visitors           []*int32
			weights            []*float64
		)
		for _, url := range s.Pages[from:to] {
			l := s.Labels[url]
			categories, genres = append(categories, textOrNil(l.Category)), append(genres, textOrNil(l.Genre))
			var v *int32
			if l.Visitors > 0 {
				n := int32(l.Visitors)
				v = &n
			}
			var w *float64
			if l.Weight > 0 || l.Top {
				x := l.Weight
				if l.Top {
					x = 0
				}
				w = &x
			}
			visitors, weights = append(visitors, v), append(weights, w)
		}
		part := ids[from:to]
		if _, err := a.tx.Exec(ctx, qPutPageLabels.sql, part, watch, bucketsOf(part), categories, genres, visitors, weights); err != nil {
			return err
		}
	}
	a.labeled = append(a.labeled, ids...)
	return nil
}

// label gives the pages whose labels may have changed those that follow from
// their watches.
func (a *applier) label(ctx context.Context) error {
	slices.Sort(a.labeled)
	for part := range slices.Chunk(slices.Compact(a.labeled), settleChunk) {
		if _, err := a.tx.Exec(ctx, qLabelPages.sql, part, bucketsOf(part)); err != nil {
			return err
		}
	}
	return nil
}
