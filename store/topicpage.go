package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qTopicPages = statement{local, `
		select m.page_id, m.added_by, m.reason, m.links, m.click, m.proposed_at, m.added_at, m.left_at, m.left_reason, m.score, m.up_to_date, m.rank, m.tracked
		from core.topic_page m where m.topic_id = $1 order by m.rank nulls last, m.page_id`}
	// A page that was here before comes back with its new reason, unless a person refused it.
	qAddTopicPages = statement{local, `
		insert into core.topic_page as m (topic_id, page_id, bucket, added_by, reason, links, click, proposed_at, added_at)
		select $1, v.page_id, (v.page_id >> 40)::int, v.added_by, v.reason, v.links, v.click, v.proposed_at, v.added_at
		from unnest($2::bigint[], $3::text[], $4::text[], $5::int[], $6::int[], $7::timestamptz[], $8::timestamptz[])
		     v(page_id, added_by, reason, links, click, proposed_at, added_at)
		on conflict (topic_id, page_id, bucket) do update
		set added_by = excluded.added_by, reason = excluded.reason, links = excluded.links, click = excluded.click, proposed_at = excluded.proposed_at,
		    added_at = excluded.added_at, left_at = null, left_reason = '', tracked = true
		where m.left_at is not null and m.added_at is not null`}
	qLeaveTopic = statement{local, `
		update core.topic_page m set left_at = $2, left_reason = v.reason, tracked = false
		from unnest($3::bigint[], $4::text[]) v(page_id, reason)
		where m.topic_id = $1 and m.page_id = v.page_id and m.left_at is null`}
	qAcceptTopicPage = statement{local, `
		update core.topic_page set added_at = $3, added_by = 'review'
		where topic_id = $1 and page_id = $2 and added_at is null and left_at is null`}
	qRefuseTopicPage = statement{local, `
		update core.topic_page set left_at = $3, left_reason = 'refused by a person', tracked = false
		where topic_id = $1 and page_id = $2 and added_at is null and left_at is null`}
	qRankTopicPages = statement{local, `
		update core.topic_page m set score = v.score, up_to_date = v.up_to_date, rank = v.rank, tracked = v.tracked
		from unnest($2::bigint[], $3::float8[], $4::float8[], $5::int[], $6::boolean[]) v(page_id, score, up_to_date, rank, tracked)
		where m.topic_id = $1 and m.page_id = v.page_id and m.left_at is null`}
	// Growth of a period is undone before the period is computed anew; what a person
	// has decided stays.
	qDropGrowth = statement{local, `
		delete from core.topic_page where topic_id = $1 and proposed_at >= $2 and added_by = 'growth' and (left_at is null or added_at is not null)`}
	qUndoLeaving = statement{local, `
		update core.topic_page set left_at = null, left_reason = '' where topic_id = $1 and left_at >= $2 and added_at < $2`}
	qPlaces = statement{routed, `
		select p.page_id, p.url, h.name, h.site, coalesce(s.title, ''), coalesce(s.language, ''), coalesce(s.version, 0), s.last_fetched, p.first_seen
		from core.page p
		join core.host h on h.bucket = p.bucket and h.host_id = p.host_id and h.bucket = any($2::int[])
		left join core.page_state s on s.bucket = p.bucket and s.page_id = p.page_id and s.bucket = any($2)
		where p.bucket = any($2) and p.page_id = any($1::bigint[])`}
)

// How a page came into a topic.
const (
	AddedAsBase   = "base"   // a hit of the search
	AddedAsSeed   = "seed"   // configured
	AddedByLink   = "link"   // linked from hits (SCIENCE J5)
	AddedByGrowth = "growth" // linked from parents of the best pages (SCIENCE J10)
	AddedByReview = "review" // the same, accepted by a person
)

// TopicPage is a page of a topic: of its collection, having left it, or waiting for
// a word.
type TopicPage struct {
	Page       PageID
	AddedBy    string
	Reason     string
	Links      int
	Click      int
	ProposedAt time.Time
	AddedAt    time.Time // zero: it waits, or was refused
	LeftAt     time.Time // zero: it belongs to it, or waits
	LeftReason string
	Score      float64 // of the last period
	UpToDate   float64 // after the last period
	Rank       int     // 0: not ranked yet
	Tracked    bool
}

// State says what a page is to its topic: member, proposed, left or refused.
func (p *TopicPage) State() string {
	switch {
	case !p.LeftAt.IsZero() && p.AddedAt.IsZero():
		return "refused"
	case !p.LeftAt.IsZero():
		return "left"
	case p.AddedAt.IsZero():
		return "proposed"
	}
	return "member"
}

// TopicPages returns all pages of a topic, the best first.
func (db *DB) TopicPages(ctx context.Context, id TopicID) ([]TopicPage, error) {
	rows, err := db.pool.Query(ctx, qTopicPages.sql, id)
	if err != nil {
		return nil, fmt.Errorf("read pages of a topic: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p TopicPage, err error) {
		var added, left *time.Time
		var score, upToDate *float64
		var rank *int
		err = row.Scan(&p.Page, &p.AddedBy, &p.Reason, &p.Links, &p.Click, &p.ProposedAt, &added, &left, &p.LeftReason, &score, &upToDate, &rank, &p.Tracked)
		p.AddedAt, p.LeftAt, p.Score, p.UpToDate, p.Rank = deref(added), deref(left), deref(score), deref(upToDate), deref(rank)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read pages of a topic: %w", err)
	}
	return out, nil
}

// AddTopicPages adds pages to a topic. Members, and pages that a person refused,
// are left as they are; it returns how many were added or came back.
func (db *DB) AddTopicPages(ctx context.Context, id TopicID, pages []TopicPage) (int, error) {
	n, err := addTopicPages(ctx, db.pool, id, pages)
	if err != nil {
		return 0, fmt.Errorf("add pages to a topic: %w", err)
	}
	return n, nil
}

func addTopicPages(ctx context.Context, e execer, id TopicID, pages []TopicPage) (int, error) {
	if len(pages) == 0 {
		return 0, nil
	}
	var c struct {
		pages        []PageID
		by, reason   []string
		links, click []int32
		proposed     []time.Time
		added        []*time.Time
	}
	for _, p := range pages {
		c.pages, c.by, c.reason = append(c.pages, p.Page), append(c.by, p.AddedBy), append(c.reason, p.Reason)
		c.links, c.click = append(c.links, int32(p.Links)), append(c.click, int32(p.Click))
		c.proposed, c.added = append(c.proposed, p.ProposedAt), append(c.added, orNil(p.AddedAt))
	}
	tag, err := e.Exec(ctx, qAddTopicPages.sql, id, c.pages, c.by, c.reason, c.links, c.click, c.proposed, c.added)
	return int(tag.RowsAffected()), err
}

// LeaveTopic marks pages as having left, each with its reason.
func (db *DB) LeaveTopic(ctx context.Context, id TopicID, at time.Time, reasons map[PageID]string) error {
	if err := leaveTopic(ctx, db.pool, id, at, reasons); err != nil {
		return fmt.Errorf("let pages leave a topic: %w", err)
	}
	return nil
}

func leaveTopic(ctx context.Context, e execer, id TopicID, at time.Time, reasons map[PageID]string) error {
	if len(reasons) == 0 {
		return nil
	}
	var pages []PageID
	var words []string
	for p, r := range reasons {
		pages, words = append(pages, p), append(words, r)
	}
	_, err := e.Exec(ctx, qLeaveTopic.sql, id, at, pages, words)
	return err
}

// DecideTopicPage accepts a proposed page, or refuses it for good. It returns an
// error that wraps ErrNotFound where the page does not wait for a word.
func (db *DB) DecideTopicPage(ctx context.Context, id TopicID, page PageID, accept bool, now time.Time) error {
	q := qRefuseTopicPage
	if accept {
		q = qAcceptTopicPage
	}
	tag, err := db.pool.Exec(ctx, q.sql, id, page, now)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("decide on page %d of a topic: %w", page, err)
	}
	return nil
}

// Place is where a page is, with what is known of it now.
type Place struct {
	Page        PageID
	URL         string
	Host        string
	Site        string // registrable domain, or the host where it has none
	Title       string
	Language    string
	Version     int32     // the last one; 0: none
	LastFetched time.Time // zero: never
	FirstSeen   time.Time // when its URL was first heard of
}

// Places returns where pages are, by id.
func (db *DB) Places(ctx context.Context, pages []PageID) (map[PageID]Place, error) {
	out := make(map[PageID]Place, len(pages))
	if len(pages) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qPlaces.sql, pages, bucketsOf(pages))
	if err != nil {
		return nil, fmt.Errorf("read places of pages: %w", err)
	}
	var p Place
	var fetched *time.Time
	_, err = pgx.ForEachRow(rows, []any{&p.Page, &p.URL, &p.Host, &p.Site, &p.Title, &p.Language, &p.Version, &fetched, &p.FirstSeen}, func() error {
		p.LastFetched = deref(fetched)
		out[p.Page] = p
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read places of pages: %w", err)
	}
	return out, nil
}
