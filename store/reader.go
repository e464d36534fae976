package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ReaderRole is the role of analysts: it sees the views of api_v1 and nothing else.
const ReaderRole = "strandline_reader"

var qGrantReader = statement{local, `select core.grant_reader()`}

// Since PostgreSQL 16 whoever makes a role may hand it on, yet not take it.
var qReaderTaken = statement{local, `
select case when current_setting('server_version_num')::int >= 160000
	then pg_has_role('strandline_reader', 'set') else pg_has_role('strandline_reader', 'member') end`}

var qTakeReader = statement{local, `grant strandline_reader to current_user`}

// GrantReader makes the role of analysts, unless it is there, and gives it the
// views of api_v1: read-only, a minute a statement. It needs the right to make
// roles, and gives the connected role the right to be the reader. The role has no
// password; its operator gives it one, or a line in pg_hba.conf.
func (db *DB) GrantReader(ctx context.Context) (made bool, err error) {
	if err := db.pool.QueryRow(ctx, qGrantReader.sql).Scan(&made); err != nil {
		return false, fmt.Errorf("grant %s: %w", ReaderRole, err)
	}
	var taken bool
	if err := db.pool.QueryRow(ctx, qReaderTaken.sql).Scan(&taken); err != nil {
		return made, fmt.Errorf("grant %s: %w", ReaderRole, err)
	}
	if taken {
		return made, nil
	}
	if _, err := db.pool.Exec(ctx, qTakeReader.sql); err != nil {
		return made, fmt.Errorf("take %s: %w", ReaderRole, err)
	}
	return made, nil
}

var qReaderThere = statement{local, `
select exists (select from pg_roles where rolname = 'strandline_reader') and exists (select from pg_namespace where nspname = 'api_v1')`}

var qReaderReads = statement{local, `select has_schema_privilege('strandline_reader', 'api_v1', 'usage')`}

// A setting that only a superuser makes would end the session of another.
var qReaderSettings = statement{local, `
select split_part(s, '=', 1), substr(s, strpos(s, '=') + 1)
from pg_roles r, unnest(r.rolconfig) s
where r.rolname = 'strandline_reader'
  and (exists (select from pg_settings p where lower(p.name) = lower(split_part(s, '=', 1)) and p.context = 'user')
    or (select rolsuper from pg_roles where rolname = current_user))`}

// ReaderSettings gives what a session of the connected role sets when it begins to be the
// reader's: the role, and the limits which that role has at a login of its own. ErrNotFound
// means that this database has no reader, or that the connected role may not be it.
func (db *DB) ReaderSettings(ctx context.Context) (map[string]string, error) {
	for _, q := range []statement{qReaderThere, qReaderTaken, qReaderReads} {
		var ok bool
		if err := db.pool.QueryRow(ctx, q.sql).Scan(&ok); err != nil {
			return nil, fmt.Errorf("settings of %s: %w", ReaderRole, err)
		}
		if !ok {
			return nil, fmt.Errorf("role %s: %w", ReaderRole, ErrNotFound)
		}
	}
	rows, err := db.pool.Query(ctx, qReaderSettings.sql)
	if err != nil {
		return nil, fmt.Errorf("settings of %s: %w", ReaderRole, err)
	}
	out := map[string]string{"role": ReaderRole}
	var name, value string
	if _, err := pgx.ForEachRow(rows, []any{&name, &value}, func() error {
		out[name] = value
		return nil
	}); err != nil {
		return nil, fmt.Errorf("settings of %s: %w", ReaderRole, err)
	}
	return out, nil
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
