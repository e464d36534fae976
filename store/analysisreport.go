package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

var qPageChanges = statement{all, `
	select p.url, h.tld, h.site, p.depth, coalesce(p.category, f.category, ''), coalesce(p.genre, ''), coalesce(p.visitors, -1), p.weight, s.fetches, s.hours, count(c.version),
	       (sum(c.hours) - (array_agg(c.hours order by c.version))[1]) / nullif(count(c.version) - 1, 0), avg(c.dice),
	       coalesce(k.shape, 'unknown'), k.knot_hours, k.knot_dice
	from (select v.bucket, v.page_id, sum(v.fetches) as fetches, extract(epoch from max(v.last_seen) - min(v.first_seen))::float8 / 3600 as hours
	      from core.version v group by v.bucket, v.page_id having sum(v.fetches) > 1) s
	join core.page p using (bucket, page_id)
	join core.host h using (bucket, host_id)
	left join core.change c on c.bucket = s.bucket and c.page_id = s.page_id and c.text_changed and not c.masked
	left join core.page_curve k on k.bucket = s.bucket and k.page_id = s.page_id
	left join core.page_category f on f.bucket = s.bucket and f.page_id = s.page_id
	group by p.bucket, p.page_id, p.url, h.tld, h.site, p.depth, p.category, f.category, p.genre, p.visitors, p.weight, s.fetches, s.hours, k.shape, k.knot_hours, k.knot_dice
	order by p.url`}

// PageChange sums up how a page changed, for a page that was seen at least twice.
type PageChange struct {
	URL, TLD, Site string
	Depth          int
	Category       string // "" is unknown, also of Genre
	Genre          string
	Visitors       int      // -1 is unknown
	Weight         *float32 // pages of a log that it stands for, 0 for one added for its visitors; nil outside of samples
	Fetches        int64    // that saw it
	Hours          float64  // from the first to the last of them
	Changes        int64    // of its text
	// Gap is the mean time between changes in hours; nil with less than two.
	Gap *float64
	// Dice is the mean over the changes; nil without one.
	Dice                *float64
	Shape               string // of its change curve
	KnotHours, KnotDice *float64
}

// PageChanges returns all pages that were seen at least twice, ascending by URL.
func (db *DB) PageChanges(ctx context.Context) ([]PageChange, error) {
	rows, err := db.pool.Query(ctx, qPageChanges.sql)
	if err != nil {
		return nil, fmt.Errorf("read how pages change: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PageChange])
	if err != nil {
		return nil, fmt.Errorf("read how pages change: %w", err)
	}
	return out, nil
}

var qSubhour = statement{all, `
	select interval_minutes, pages, any_changed, all_changed, nearly_all_changed, dice_mean, dice_median
	from api_v1.subhour_change order by interval_minutes`}

// SubhourChange is a row of paper A's Table 2: the change within some minutes of
// the pages that have fast rounds.
type SubhourChange struct {
	Minutes              float64 // 0 for two requests at one moment, 60 for the slots of the watch's schedule
	Pages                int64   // with a valid pair
	Any, All, NearlyAll  int64   // pages that changed in one pair at least, in all, in nine of ten
	DiceMean, DiceMedian *float64
}

// SubhourChanges returns the rows by their interval.
func (db *DB) SubhourChanges(ctx context.Context) ([]SubhourChange, error) {
	rows, err := db.pool.Query(ctx, qSubhour.sql)
	if err != nil {
		return nil, fmt.Errorf("read change within the hour: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SubhourChange])
	if err != nil {
		return nil, fmt.Errorf("read change within the hour: %w", err)
	}
	return out, nil
}
