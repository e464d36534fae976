package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A step from or to a version that was thinned cannot be measured again. When its
// page is laid anew, what was measured of it moves to the number that the version
// has now, as long as the two contents still follow each other.
var (
	qMeasured = statement{routed, `
		select c.version, c.changed_at, c.hours, c.dice, c.words_added, c.words_removed, c.sentences_added, c.sentences_removed,
		       c.text_changed, c.words_changed, c.significance, c.masked, c.computed_at
		from core.change c where c.bucket = $2 and c.page_id = $1`}
	qKeepMeasured = statement{routed, `
		insert into core.change (page_id, bucket, version, changed_at, hours, dice, words_added, words_removed, sentences_added,
		                         sentences_removed, text_changed, words_changed, significance, masked, computed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`}
)

// measuredChange is a row of core.change with the contents that it leads from and to.
type measuredChange struct {
	version      int32
	at           time.Time
	values       []any // the columns behind changed_at
	before, here SHA256
}

// loadMeasured returns the changes of a page that have a thinned version at one end.
func loadMeasured(ctx context.Context, tx pgx.Tx, page PageID, versions []*versionRow) ([]measuredChange, error) {
	ends := map[int32][2]*versionRow{}
	for i := 1; i < len(versions); i++ {
		if a, b := versions[i-1], versions[i]; (a.thinned != nil || b.thinned != nil) && b.number == a.number+1 {
			ends[b.number] = [2]*versionRow{a, b}
		}
	}
	if len(ends) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, qMeasured.sql, page, page.Bucket())
	if err != nil {
		return nil, fmt.Errorf("read changes of page %d: %w", page, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c measuredChange, err error) {
		values, err := row.Values()
		if err != nil {
			return c, err
		}
		c.version, c.at, c.values = values[0].(int32), values[1].(time.Time), values[2:] //nolint:forcetypeassert // the columns' types
		return c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read changes of page %d: %w", page, err)
	}
	var out []measuredChange
	for _, c := range all {
		if end, ok := ends[c.version]; ok {
			c.before, c.here = end[0].hash, end[1].hash
			out = append(out, c)
		}
	}
	return out, nil
}

// keepMeasured writes those changes again whose two versions still follow each other.
func (p *pageBatch) keepMeasured(ctx context.Context, tx pgx.Tx) error {
	type step struct {
		at           int64
		before, here SHA256
	}
	now := map[step]int32{}
	made := p.timeline.made
	for i := 1; i < len(made); i++ {
		if made[i].thinned != nil || made[i-1].thinned != nil {
			now[step{made[i].first.UnixMicro(), made[i-1].hash, made[i].hash}] = made[i].number
		}
	}
	for _, c := range p.measured {
		number, ok := now[step{c.at.UnixMicro(), c.before, c.here}]
		if !ok {
			continue
		}
		args := append([]any{p.id, p.id.Bucket(), number, c.at}, c.values...)
		if _, err := tx.Exec(ctx, qKeepMeasured.sql, args...); err != nil {
			return fmt.Errorf("keep changes of page %d: %w", p.id, err)
		}
	}
	return nil
}
