package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Of the names that the worked questions ask for.
const (
	weekSeries = "web"
	weekTopic  = "town"
	weekPages  = 100 // that are captured and measured; the others are copies
)

// fill captures a hundred pages every hour, measures them, and copies them.
func (c *benchSQLCmd) fill(ctx context.Context, a *app, o *benchDatabase) error {
	if err := o.fillWeek(ctx, a, weekPages, c.Days, weekSeries, weekTopic); err != nil {
		return err
	}
	urls, err := listed(ctx, o.DB)
	if err != nil {
		return err
	}
	due := func(_ string, now time.Time) (time.Time, time.Time, error) { return now, now.Add(time.Minute), nil }
	var watches []store.WatchSpec
	for i, url := range urls {
		watches = append(watches, store.WatchSpec{
			Name: fmt.Sprintf("week-%d", i), Category: []string{"Government", "News", "Commerce"}[i%3], Config: []byte("{}"), Timing: "hourly", Every: time.Hour,
			Pages: []string{url}, First: due,
		})
	}
	if _, err := o.SetWatches(ctx, time.Now(), watches); err != nil {
		return err
	}
	// As the daemon would have fetched them.
	if _, err := o.Pool().Exec(ctx, `update core.fetch f set kind = 'schedule', due_at = f.started_at, watch_id = m.watch_id
		from core.watch_page m where m.bucket = f.bucket and m.page_id = f.page_id`); err != nil {
		return err
	}
	if err := copyPages(ctx, o.Pool(), copying{pages: c.Pages, versions: c.Days*24 + 1, asOf: true}); err != nil {
		return err
	}
	if err := c.watchEach(ctx, o.opened); err != nil {
		return err
	}
	_, err = o.Pool().Exec(ctx, `analyze`)
	return err
}

// watchEach gives each copy a watch of its own, lags of its fetches in the last days,
// and to some of them rounds within the hour, masks and messages.
func (c *benchSQLCmd) watchEach(ctx context.Context, o *opened) error {
	for _, sql := range []string{
		`insert into core.watch (name, category, config, every, timing, added_at)
		 select 'page-' || m.page_id, w.category, w.config, w.every, w.timing, w.added_at
		 from core.watch_page m join core.watch w using (watch_id) where m.page_id & 1099511627775 >= ` + fmt.Sprint(copyNumber),
		`update core.watch_page m set watch_id = w.watch_id from core.watch w where w.name = 'page-' || m.page_id`,
		// As late as copyPages left them in page_schedule.
		`update core.watch_page m set due_at = s.next_due_at, slot_at = s.next_due_at from core.page_schedule s
		 where s.bucket = m.bucket and s.page_id = m.page_id and s.failing_since is not null`,
		`insert into core.schedule_lag (watch_id, kind, hour, bin, fetches)
		 select w.watch_id, 'watch', date_trunc('hour', now()) - make_interval(hours => h), (w.watch_id * 7 + h * 3) % 9, 1
		 from core.watch w, generate_series(1, ` + fmt.Sprint(24*c.Days-1) + `) h`,
		`insert into core.burst_state (page_id, bucket, watch_id, phase, slots, slot_changes, state, pairs, updated_at)
		 select m.page_id, m.bucket, m.watch_id, 'done', 48, 40, '', '', now() from core.watch_page m where m.page_id % 10 = 1`,
		`insert into core.burst_result (page_id, bucket, round, snapshot, started_at, offset_s, delay_s, first_version, version, changed, dice)
		 select b.page_id, b.bucket, r, s, now(), 60 * 2 ^ s, 60 * 2 ^ s + 1, 1 + r, 2 + r, (b.page_id + r) % 6 < s, case when (b.page_id + r) % 6 < s then 1 - 0.02 * s else 1 end
		 from core.burst_state b, generate_series(0, 9) r, generate_series(1, 5) s`,
		`insert into core.page_mask (page_id, bucket, watch_id, mask, rules, pairs, learned_at, active)
		 select m.page_id, m.bucket, m.watch_id, '', '[{"rule": "div.ad", "kind": "block", "confidence": 0.9, "pairs": 9, "counts": true},
		        {"rule": "p.count:tokens", "kind": "tokens", "confidence": 0.5, "pairs": 2, "counts": false}]', 9, now(), true
		 from core.watch_page m where m.page_id % 2 = 1`,
		`insert into core.outbox (message_id, target, kind, source, title, payload, created_at, next_attempt_at, attempts, delivered_at)
		 select 'msg_' || i, t, 'change', 'watch ' || w.name, 'a page changed', '{}', at, at, 1, case when i % 50 > 0 then at + interval '3 s' end
		 from (select i, now() - i * interval '10 s' as at, (select min(watch_id) from core.watch) + i % ` + fmt.Sprint(weekPages) + ` as watch_id from generate_series(1, 60000) i) m
		 join core.watch w using (watch_id), unnest(array['mail', 'hook']) t`,
	} {
		if _, err := o.Pool().Exec(ctx, sql); err != nil {
			return fmt.Errorf("%w in %.60s", err, sql)
		}
	}
	// The last hour as the daemon counts it, which also says what the day comes to.
	watches, err := o.Watches(ctx)
	if err != nil {
		return err
	}
	lags := make([]store.Lag, len(watches))
	for i, w := range watches {
		lags[i] = store.Lag{Watch: w.ID, Started: time.Now(), Lag: time.Second << (i % 5)}
	}
	_, err = o.WriteWith(ctx, nil, func(ctx context.Context, tx *store.Tx, _ []store.Stored) error { return tx.AddLags(ctx, lags) })
	return err
}
