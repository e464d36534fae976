package store

import (
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/migrations"
)

// schemaText tells what the migrations make: a line an object, as qSchema gives
// them. A test holds it against a database that was just migrated.
//
//go:embed schema.txt
var schemaText string

// Partitions are made by the calendar and have what their table has. Views are
// told by their columns, since servers of different versions print their text
// differently; not-null is told with the column for the same reason.
var (
	qSchema = statement{local, `
		with space as (select oid from pg_namespace where nspname in ('core', 'api_v1')),
		relation as (select c.* from pg_class c where c.relnamespace in (select oid from space) and not c.relispartition)
		select format(E'%s %s\t%s', case when c.relkind = 'v' then 'view' else 'table' end, c.oid::regclass,
		              case when c.relkind = 'p' then 'by ' || pg_get_partkeydef(c.oid) else '' end)
		from relation c where c.relkind in ('r', 'p', 'v')
		union all
		select format(E'column %s.%s\t%s%s%s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
		              case when a.attnotnull then ' not null' else '' end,
		              case when a.attgenerated <> '' then ' generated ' else ' default ' end || pg_get_expr(d.adbin, d.adrelid))
		from relation c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
		where c.relkind in ('r', 'p', 'v')
		union all
		select format(E'index %s\t%s', i.indexrelid::regclass, pg_get_indexdef(i.indexrelid))
		from relation c join pg_index i on i.indrelid = c.oid
		union all
		select format(E'constraint %s.%s\t%s', c.oid::regclass, k.conname, pg_get_constraintdef(k.oid))
		from relation c join pg_constraint k on k.conrelid = c.oid and k.contype in ('c', 'f', 'p', 'u', 'x')
		union all
		select format(E'function %s\t%s', p.oid::regprocedure, md5(p.prosrc)) from pg_proc p where p.pronamespace in (select oid from space)
		union all
		select format(E'type %s\t%s', y.oid::regtype, (select string_agg(e.enumlabel, ' ' order by e.enumsortorder) from pg_enum e where e.enumtypid = y.oid))
		from pg_type y where y.typnamespace in (select oid from space) and y.typtype = 'e'
		order by 1`}
	qAppliedSteps = statement{local, `
		select distinct on (version_id) version_id from strandline_migration where version_id > 0 and is_applied order by version_id, id desc`}
	qInvalidIndexes = statement{local, `
		select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
		where not i.indisvalid and c.relnamespace in ('core'::regnamespace, 'api_v1'::regnamespace) order by 1`}
	qEncoding = statement{local, `
		select pg_encoding_to_char(encoding), coalesce(datcollversion <> pg_database_collation_actual_version(oid), false)
		from pg_database where datname = current_database()`}
)

// SchemaFault is a difference between the database and what the migrations make.
type SchemaFault struct {
	Object string // such as "index core.fetch_pkey"; empty for what concerns the whole
	What   string // what is wrong with it, in words
	// Harmless tells of something that is there and ought not to be, but keeps nothing from working.
	Harmless bool
}

func (f SchemaFault) String() string {
	if f.Object == "" {
		return f.What
	}
	return f.Object + " " + f.What
}

// CheckSchema compares the database with what this program's migrations make:
// steps, tables, columns, indexes, constraints, functions and types, and asks for
// indexes that are not valid and for the encoding.
func (db *DB) CheckSchema(ctx context.Context) ([]SchemaFault, error) {
	steps, err := db.missingSteps(ctx)
	if err != nil {
		return nil, err
	}
	have, err := db.schemaLines(ctx)
	if err != nil {
		return nil, err
	}
	faults := slices.Concat(steps, compareSchema(strings.Split(strings.TrimSpace(schemaText), "\n"), have))
	rows, err := db.pool.Query(ctx, qInvalidIndexes.sql)
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	invalid, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	for _, name := range invalid {
		faults = append(faults, SchemaFault{Object: "index " + name, What: "is not valid: run 'reindex index " + name + "'"})
	}
	var encoding string
	var collation bool
	if err := db.pool.QueryRow(ctx, qEncoding.sql).Scan(&encoding, &collation); err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	if encoding != "UTF8" {
		faults = append(faults, SchemaFault{What: "the encoding of the database is " + encoding + ", which has to be UTF8"})
	}
	if collation {
		faults = append(faults, SchemaFault{What: "the machine sorts text differently than when the indexes were made: run 'reindex database', then 'alter database ... refresh collation version'"})
	}
	return faults, nil
}

// schemaLines tells the schema of the database as schemaText does.
func (db *DB) schemaLines(ctx context.Context) ([]string, error) {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// Names are told with their schema only where the path does not hold it.
	if _, err := tx.Exec(ctx, qNoPath.sql); err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	rows, err := tx.Query(ctx, qSchema.sql)
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	return lines, nil
}

var qNoPath = statement{local, `set local search_path = pg_catalog`}

// compareSchema tells what differs between two lists of lines.
func compareSchema(want, have []string) []SchemaFault {
	there := map[string]string{}
	for _, line := range have {
		name, definition, _ := strings.Cut(line, "\t")
		there[name] = definition
	}
	var faults []SchemaFault
	for _, line := range want {
		name, definition, _ := strings.Cut(line, "\t")
		got, ok := there[name]
		delete(there, name)
		switch {
		case !ok:
			faults = append(faults, SchemaFault{Object: name, What: "is missing"})
		case got != definition && strings.HasPrefix(name, "function "):
			faults = append(faults, SchemaFault{Object: name, What: "was changed"})
		case got != definition:
			faults = append(faults, SchemaFault{Object: name, What: fmt.Sprintf("is %q, and was made as %q", got, definition)})
		}
	}
	for _, line := range have {
		name, _, _ := strings.Cut(line, "\t")
		if _, left := there[name]; left {
			faults = append(faults, SchemaFault{Object: name, What: "is none of ours", Harmless: true})
		}
	}
	return wholes(faults)
}

// wholes leaves out the columns and constraints of a table or view that is itself missing, or too much.
func wholes(faults []SchemaFault) []SchemaFault {
	named := map[[2]string]bool{} // object and what is wrong with it
	for _, f := range faults {
		named[[2]string{f.Object, f.What}] = true
	}
	return slices.DeleteFunc(faults, func(f SchemaFault) bool {
		kind, name, _ := strings.Cut(f.Object, " ")
		if kind != "column" && kind != "constraint" {
			return false
		}
		of := name[:max(strings.LastIndex(name, "."), 0)]
		return named[[2]string{"table " + of, f.What}] || named[[2]string{"view " + of, f.What}]
	})
}

// missingSteps compares the steps that were applied with those of the program: a
// database of a development version can lack one in the middle.
func (db *DB) missingSteps(ctx context.Context) ([]SchemaFault, error) {
	rows, err := db.pool.Query(ctx, qAppliedSteps.sql)
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("check schema: %w", err)
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return nil, err
	}
	ours := map[int64]string{}
	for _, name := range names {
		n, err := strconv.ParseInt(strings.SplitN(name, "_", 2)[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", name, err)
		}
		ours[n] = path.Base(name)
	}
	var faults []SchemaFault
	for _, n := range applied {
		if _, ok := ours[n]; !ok {
			faults = append(faults, SchemaFault{What: fmt.Sprintf("step %d was applied by another version of the program", n)})
		}
		delete(ours, n)
	}
	for _, name := range names {
		for _, left := range ours {
			if left == path.Base(name) {
				faults = append(faults, SchemaFault{What: "step " + left + " was never applied"})
			}
		}
	}
	return faults, nil
}
