package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	qLabelledPages = statement{all, `
		select p.page_id, p.category, h.site, coalesce(v.language, ''), v.record
		from core.page p
		join core.host h using (bucket, host_id)
		join core.page_state s using (bucket, page_id)
		join core.version v on v.bucket = s.bucket and v.page_id = s.page_id and v.version = s.version
		where p.category is not null
		order by p.page_id`}
	qUncategorised = statement{all, `
		select p.page_id, h.site, coalesce(v.language, ''), v.record
		from core.watch_page m
		join core.watch w on w.watch_id = m.watch_id
		join core.page p using (bucket, page_id)
		join core.host h using (bucket, host_id)
		join core.page_state s using (bucket, page_id)
		join core.version v on v.bucket = s.bucket and v.page_id = s.page_id and v.version = s.version
		left join core.page_category f on f.bucket = p.bucket and f.page_id = p.page_id
		where coalesce(m.category, w.category) = 'auto' and m.left_at is null and w.paused_at is null and p.category is null
		  and (f.record, f.classifier_id) is distinct from (v.record, $1::int)
		group by p.page_id, h.site, v.language, v.record
		order by p.page_id
		limit $2`}
	qClassifier = statement{local, `
		select c.classifier_id, c.trained_at, c.trained_on, c.pages, c.categories, c.tested, c.correct, c.largest, c.sites_apart, coalesce(c.refused, ''), c.model
		from core.classifier c order by c.classifier_id desc limit 1`}
	qPutClassifier = statement{local, `
		insert into core.classifier (trained_at, trained_on, pages, categories, tested, correct, largest, sites_apart, refused, model)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning classifier_id`}
	qPutCategories = statement{routed, `
		insert into core.page_category (page_id, bucket, classifier_id, category, margin, record)
		select v.page_id, (v.page_id >> 40)::int, $2, nullif(v.category, ''), v.margin, v.record
		from unnest($1::bigint[], $3::text[], $4::float8[], $5::bytea[]) v(page_id, category, margin, record)
		on conflict (page_id, bucket) do update set classifier_id = excluded.classifier_id, category = excluded.category,
		    margin = excluded.margin, record = excluded.record`}
)

// CategoryPage is the last version of a page as a classifier of categories looks at it.
type CategoryPage struct {
	Page     PageID
	Category string // "" unless it is labelled
	Site     string
	Language string
	Record   SHA256
}

// LabelledPages returns the pages whose category is configured and that have a
// version, by id.
func (db *DB) LabelledPages(ctx context.Context) ([]CategoryPage, error) {
	rows, err := db.pool.Query(ctx, qLabelledPages.sql)
	if err != nil {
		return nil, fmt.Errorf("read labelled pages: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p CategoryPage, err error) {
		var record []byte
		err = row.Scan(&p.Page, &p.Category, &p.Site, &p.Language, &record)
		copy(p.Record[:], record)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read labelled pages: %w", err)
	}
	return out, nil
}

// Uncategorised returns some of the pages whose watch asks for a category to be found
// and whose last version the classifier has not looked at.
func (db *DB) Uncategorised(ctx context.Context, classifier int32, limit int) ([]CategoryPage, error) {
	rows, err := db.pool.Query(ctx, qUncategorised.sql, classifier, limit)
	if err != nil {
		return nil, fmt.Errorf("read pages without category: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p CategoryPage, err error) {
		var record []byte
		err = row.Scan(&p.Page, &p.Site, &p.Language, &record)
		copy(p.Record[:], record)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read pages without category: %w", err)
	}
	return out, nil
}

// Classifier is a classifier of categories with what cross-validation says of it.
type Classifier struct {
	ID         int32
	TrainedAt  time.Time
	TrainedOn  []byte // hash of the labelled pages
	Pages      int    // labelled
	Categories json.RawMessage
	Tested     int
	Correct    int
	Largest    int // pages of the largest category
	SitesApart bool
	Refused    string // why there is no model; "" where there is one
	Model      []byte // packed by monitor/category
}

// Classifier returns the one in force; its error wraps ErrNotFound where none was
// ever made.
func (db *DB) Classifier(ctx context.Context) (Classifier, error) {
	var c Classifier
	err := db.pool.QueryRow(ctx, qClassifier.sql).Scan(&c.ID, &c.TrainedAt, &c.TrainedOn, &c.Pages, &c.Categories, &c.Tested, &c.Correct, &c.Largest,
		&c.SitesApart, &c.Refused, &c.Model)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrNotFound
	}
	if err != nil {
		return c, fmt.Errorf("read classifier: %w", err)
	}
	return c, nil
}

// PutClassifier stores a classifier, which is the one in force from now on, and
// returns its number.
func (db *DB) PutClassifier(ctx context.Context, c Classifier) (int32, error) {
	var id int32
	categories := c.Categories
	if len(categories) == 0 {
		categories = []byte("[]")
	}
	err := db.pool.QueryRow(ctx, qPutClassifier.sql, c.TrainedAt, c.TrainedOn, c.Pages, categories, c.Tested, c.Correct, c.Largest, c.SitesApart,
		textOrNil(c.Refused), c.Model).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("store classifier: %w", err)
	}
	return id, nil
}

// FoundCategory is a category that a classifier found.
type FoundCategory struct {
	Page     PageID
	Category string // "" where the page is like none
	Margin   float64
	Record   SHA256
}

// PutCategories stores what a classifier found.
func (db *DB) PutCategories(ctx context.Context, classifier int32, found []FoundCategory) error {
	var (
		pages      []PageID
		categories []string
		margins    []float64
		records    [][]byte
	)
	for i := range found {
		pages = append(pages, found[i].Page)
		categories, margins = append(categories, found[i].Category), append(margins, found[i].Margin)
		records = append(records, found[i].Record[:])
	}
	if _, err := db.pool.Exec(ctx, qPutCategories.sql, pages, classifier, categories, margins, records); err != nil {
		return fmt.Errorf("store categories: %w", err)
	}
	return nil
}
