package store_test

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/migrations"
)

// migrationFiles returns the text of each migration by name.
func migrationFiles(t testing.TB) map[string]string {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}

var distributeCall = regexp.MustCompile(`core\.distribute\('core\.(\w+)'\)`)

// distributed are the tables that migrations spread by bucket.
func distributed(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, text := range migrationFiles(t) {
		for _, m := range distributeCall.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return out
}

func TestMigrationWords(t *testing.T) {
	t.Parallel()
	for name, text := range migrationFiles(t) {
		for _, w := range forbidden(text) {
			t.Errorf("%s: forbidden: %s", name, w)
		}
		up, _, found := strings.Cut(text, "-- +goose Down")
		if !found || !strings.Contains(up, "-- +goose Up") {
			t.Errorf("%s has not a way up and a way down", name)
		}
	}
	if got := forbidden("comment on table core.x is 'random() and ctid''s';\n-- rollup (a)\nselect random ()"); !cmp.Equal(got, []string{"random()"}) {
		t.Errorf("forbidden words %q, want random() of the statement alone", got)
	}
}

// localByBucket are tables that name a bucket and yet lie on one server.
var localByBucket = []string{"bucket_lease", "notice_page", "notice_todo", "topic_page", "topic_score", "topic_sentence"}

// catalogueRules are queries that give one line for each breach of a rule. $1 are
// the distributed tables.
var catalogueRules = []struct{ name, sql string }{
	{"every table that is passed to core.distribute exists", `
		select t from unnest($1::text[]) t where to_regclass('core.' || t) is null`},
	{"distributed tables have the column bucket integer not null, not generated", `
		select t from unnest($1::text[]) t
		where not exists (select 1 from pg_attribute a where a.attrelid = to_regclass('core.' || t) and a.attname = 'bucket'
		                  and a.atttypid = 'integer'::regtype and a.attnotnull and a.attgenerated = '')`},
	{"distributed tables have a primary key", `
		select t from unnest($1::text[]) t
		where not exists (select 1 from pg_constraint c where c.conrelid = to_regclass('core.' || t) and c.contype = 'p')`},
	{"unique indexes hold bucket, and not first", `
		select i.indexrelid::regclass::text from unnest($1::text[]) t
		join pg_index i on i.indrelid = to_regclass('core.' || t)
		left join pg_attribute a on a.attrelid = i.indrelid and a.attname = 'bucket' and a.attnum = any(i.indkey::int[])
		where i.indisunique and (a.attnum is null or i.indkey[0] = a.attnum)`},
	{"foreign keys hold bucket on both sides and join distributed tables", `
		select c.conrelid::regclass || ': ' || pg_get_constraintdef(c.oid) from pg_constraint c
		where c.contype = 'f' and c.conparentid = 0
		  and (c.conrelid in (select to_regclass('core.' || t) from unnest($1::text[]) t)
		       or c.confrelid in (select to_regclass('core.' || t) from unnest($1::text[]) t))
		  and not (c.conrelid in (select to_regclass('core.' || t) from unnest($1::text[]) t)
		       and c.confrelid in (select to_regclass('core.' || t) from unnest($1::text[]) t)
		       and exists (select 1 from unnest(c.conkey, c.confkey) k(a, b)
		                   join pg_attribute x on x.attrelid = c.conrelid and x.attnum = k.a and x.attname = 'bucket'
		                   join pg_attribute y on y.attrelid = c.confrelid and y.attnum = k.b and y.attname = 'bucket'))`},
	{"distributed tables have no identity, serial or other volatile default", `
		select a.attrelid::regclass || '.' || a.attname from unnest($1::text[]) t
		join pg_attribute a on a.attrelid = to_regclass('core.' || t) and a.attnum > 0
		left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
		where a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) ~* '\m(nextval|random|clock_timestamp)\s*\('`},
	{"distributed tables have no triggers", `
		select tgname::text from pg_trigger where not tgisinternal and tgrelid in (select to_regclass('core.' || t) from unnest($1::text[]) t)`},
	{"functions that read tables are not in language sql", `
		select p.oid::regprocedure::text from pg_proc p join pg_language l on l.oid = p.prolang
		where $1::text[] is not null and p.pronamespace in ('core'::regnamespace, 'api_v1'::regnamespace) and l.lanname = 'sql'
		  and pg_get_functiondef(p.oid) ~ 'AS .*\mcore\.|BEGIN ATOMIC.*\mcore\.'`},
	{"tables with a bucket are distributed, unless they are known to be local", `
		select c.relname::text from pg_class c
		join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket' and not a.attisdropped
		where c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		  and c.relname <> all ($1::text[])`},
}

func TestDistributedTables(t *testing.T) {
	t.Parallel()
	db := open(t)
	tables := distributed(t)
	if len(tables) < 12 {
		t.Fatalf("distributed tables: %v; some are missing", tables)
	}
	for _, rule := range catalogueRules {
		for _, breach := range column[string](t, db.Pool(), rule.sql, tables) {
			if !slices.Contains(localByBucket, breach) {
				t.Errorf("%s: not so: %s", rule.name, breach)
			}
		}
	}
}

// TestBreachesAreFound breaks each rule of the catalogue in turn.
func TestBreachesAreFound(t *testing.T) {
	t.Parallel()
	db := open(t)
	breaches := []string{
		``, // the first rule is broken by the missing table below
		`create table core.bad (page_id bigint, bucket integer, primary key (page_id))`,
		`create table core.bad (page_id bigint, bucket integer not null)`,
		`create table core.bad (page_id bigint, bucket integer not null, primary key (bucket, page_id))`,
		`create table core.bad (page_id bigint, bucket integer not null, primary key (page_id, bucket)); alter table core.bad add unique (page_id);
		 alter table core.change add foreign key (page_id) references core.bad (page_id)`,
		`create table core.bad (page_id bigint, bucket integer not null, n bigserial, primary key (page_id, bucket))`,
		`create function core.nothing() returns trigger language plpgsql as 'begin return null; end';
		 create trigger bad after insert on core.page execute function core.nothing()`,
		`create function api_v1.bad() returns bigint language sql as 'select count(*) from core.page'`,
		`create table core.bad (page_id bigint, bucket integer not null)`,
	}
	for i, rule := range catalogueRules {
		t.Run(rule.name, func(t *testing.T) {
			tx, err := db.Pool().Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(context.Background())
			if _, err := tx.Exec(t.Context(), breaches[i]); err != nil {
				t.Fatal(err)
			}
			tables := distributed(t)
			if i != len(catalogueRules)-1 {
				tables = append(tables, "bad")
			}
			if got := column[string](t, tx, rule.sql, tables); len(got) == 0 {
				t.Error("a breach was not found")
			}
		})
	}
}
