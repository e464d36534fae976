package store

import (
	"context"
	"fmt"
)

// ReaderRole is the role of analysts: it sees the views of api_v1 and nothing else.
const ReaderRole = "strandline_reader"

var qGrantReader = statement{local, `select core.grant_reader()`}

// GrantReader makes the role of analysts, unless it is there, and gives it the
// views of api_v1: read-only, a minute a statement. It needs the right to make
// roles. The role has no password; its operator gives it one, or a line in
// pg_hba.conf.
func (db *DB) GrantReader(ctx context.Context) (made bool, err error) {
	if err := db.pool.QueryRow(ctx, qGrantReader.sql).Scan(&made); err != nil {
		return false, fmt.Errorf("grant %s: %w", ReaderRole, err)
	}
	return made, nil
}

var qAnalyze = statement{local, `analyze core.host, core.page, core.page_state, core.fetch, core.version, core.body, core.record, core.link_set, core.change, core.monitor_todo, core.page_text, core.passage,
	core.page_analysis, core.page_curve, core.page_terms, core.page_elements`}

// Analyze brings the database's own figures up to date after much was written,
// for plans and for the view api_v1.storage.
func (db *DB) Analyze(ctx context.Context) error {
	if _, err := db.pool.Exec(ctx, qAnalyze.sql); err != nil {
		return fmt.Errorf("analyze: %w", err)
	}
	return nil
}
