package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// TestEverythingHasAComment wants a comment on every schema, table, view, column,
// function and type that a person can meet in psql.
func TestEverythingHasAComment(t *testing.T) {
	t.Parallel()
	db := open(t)
	for _, missing := range column[string](t, db.Pool(), uncommented) {
		t.Errorf("%s has no comment", missing)
	}
	if _, err := db.Pool().Exec(t.Context(), `
		create table core.bare (a integer); comment on table core.bare is ' ';
		create function api_v1.bare() returns integer language plpgsql as 'begin return 1; end'; create type core.bare_kind as enum ('a')`); err != nil {
		t.Fatal(err)
	}
	want := []string{"column core.bare.a", "function api_v1.bare()", "table or view core.bare", "type core.bare_kind"}
	if diff := cmp.Diff(want, column[string](t, db.Pool(), uncommented)); diff != "" {
		t.Errorf("things without comment (-want +got):\n%s", diff)
	}
}

// uncommented lists what has no comment. Columns of partitions are their table's.
const uncommented = `
	with space as (select oid, nspname from pg_namespace where nspname in ('core', 'api_v1')),
	thing as (
		select 'schema ' || nspname as name, obj_description(oid, 'pg_namespace') as comment from space
		union all
		select 'table or view ' || c.oid::regclass, obj_description(c.oid, 'pg_class') from pg_class c
		where c.relnamespace in (select oid from space) and c.relkind in ('r', 'p', 'v', 'm')
		union all
		select 'column ' || c.oid::regclass || '.' || a.attname, col_description(c.oid, a.attnum)
		from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
		where c.relnamespace in (select oid from space) and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
		union all
		select 'function ' || p.oid::regprocedure, obj_description(p.oid, 'pg_proc') from pg_proc p where p.pronamespace in (select oid from space)
		union all
		select 'type ' || y.oid::regtype, obj_description(y.oid, 'pg_type') from pg_type y where y.typnamespace in (select oid from space) and y.typtype in ('e', 'd')
	)
	select name from thing where coalesce(trim(comment), '') = '' order by 1`

// contract is what analysts were promised: the columns of each view, in order.
// Views may have further columns behind these, but for bucket, which is last.
var contract = map[string]string{
	"page":             "page_id,url,host,site,tld,depth,category,first_seen,last_fetched,last_version,language,title",
	"fetch_log":        "page_id,url,due_at,started_at,finished_at,outcome,status,error,bytes,version,watch,kind",
	"version":          "page_id,url,version,first_seen,last_seen,fetches,status,bytes,words,sentences,title,language,sha256",
	"change":           "page_id,url,version,changed_at,hours,dice,words_added,words_removed,sentences_added,sentences_removed,significance,masked",
	"change_curve":     "page_id,url,step,hours,dice,support",
	"change_knot":      "page_id,url,shape,hours,dice,slope1,slope2,sse,versions",
	"term":             "page_id,url,term,staying_power,divergence,first_seen,last_seen,versions",
	"element_life":     "page_id,url,path,life_hours,travel_hours,first_seen,last_seen",
	"change_by_class":  "class_kind,class,pages,unchanged,hours_mean,hours_median,dice_mean,knot_hours_mean,knot_dice_mean",
	"subhour_change":   "interval_minutes,pages,any_changed,all_changed,dice_mean,dice_median",
	"element_survival": "horizon,pages,mean,median",
	"snapshot":         "series,snapshot,started_at,finished_at,pages,links,fringe,l2,old_other,unidentified",
	"snapshot_page":    "series,snapshot,page_id,url,crawled_at,last_modified,class,novelty,in_links",
	"link":             "series,snapshot,source_id,target_id",
	"novelty_accuracy": "series,snapshot,delta,threshold,precision,recall,judged",
	"keyword_novelty":  "snapshot,at,old_new_keyword,novel,uncertain,captured",
	"topic":            "topic,query,language,pages,last_period",
	"topic_page":       "topic,page_id,url,added_at,added_by,score,up_to_date,rank,left_at",
	"topic_term":       "topic,period_start,period_end,rank,term,weight,pages,hosts",
	"topic_sentence":   "topic,period_start,period_end,rank,sentence,before,after,weight,pages,hosts,page_id,url,version,label",
	"topic_period":     "topic,period_start,period_end,pages_checked,pages_changed,sentences",
	"schedule_health":  "kind,name,due,late,failing,oldest_due_at,lag_p50,lag_p99",
	"storage":          "kind,bytes,rows,raw_bytes",
	"data_dictionary":  "view_name,column_name,type,unit,meaning",
}

// view is a view of api_v1 as it is, or as the golden file has it.
type view struct {
	name    string
	columns []string // "name type"
}

// names returns the columns' names without bucket.
func (v view) names() []string {
	var out []string
	for _, c := range v.columns {
		if name, _, _ := strings.Cut(c, " "); name != "bucket" {
			out = append(out, name)
		}
	}
	return out
}

func actualViews(t testing.TB, q rower) []view {
	t.Helper()
	var out []view
	for _, name := range viewsOf(t, q) {
		out = append(out, view{name, column[string](t, q, `
			select a.attname || ' ' || format_type(a.atttypid, a.atttypmod) from pg_attribute a
			where a.attrelid = ('api_v1.' || quote_ident($1))::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`, name)})
	}
	return out
}

// TestContract holds the views of api_v1 against the contract, and against
// testdata/api_v1.txt, which has what earlier versions showed beyond it.
func TestContract(t *testing.T) {
	t.Parallel()
	db := open(t)
	views := actualViews(t, db.Pool())
	for _, v := range views {
		if promised, ok := contract[v.name]; ok {
			if names := v.names(); !strings.HasPrefix(strings.Join(names, ",")+",", promised+",") {
				t.Errorf("api_v1.%s has the columns %v, promised are %s", v.name, names, promised)
			}
		}
		names := v.names()
		ofPage := slices.Contains(names, "page_id") || slices.Contains(names, "source_id")
		if last := v.columns[len(v.columns)-1]; ofPage != (last == "bucket integer") || len(v.columns)-len(names) > 1 {
			t.Errorf("api_v1.%s: a view of page data, and no other, has bucket as its last column; it has %s there", v.name, last)
		}
	}
	golden := filepath.Join("testdata", "api_v1.txt")
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	// What the file has stays, also when it is rewritten.
	lost := takenAway(parseViews(string(text)), views)
	for _, l := range lost {
		t.Error(l)
	}
	now := printViews(views)
	if *update && len(lost) == 0 {
		if err := os.WriteFile(golden, now, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(lost) == 0 && !bytes.Equal(text, now) {
		t.Errorf("api_v1 has grown; run 'go test ./store -run Contract -update' to promise it from now on:\n%s", cmp.Diff(string(text), string(now)))
	}
}

const goldenHead = `# The views of api_v1: their columns and types, in order. What stands here stays.
# New columns come behind the others, but before bucket. Written by
# go test ./store -run Contract -update
`

func printViews(views []view) []byte {
	b := []byte(goldenHead)
	for _, v := range views {
		b = fmt.Appendf(b, "\n%s\n", v.name)
		for _, c := range v.columns {
			b = fmt.Appendf(b, "    %s\n", c)
		}
	}
	return b
}

func parseViews(text string) []view {
	var out []view
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " "):
			out[len(out)-1].columns = append(out[len(out)-1].columns, strings.TrimSpace(line))
		default:
			out = append(out, view{name: line})
		}
	}
	return out
}

// takenAway says what of the promised views is missing or other than it was.
func takenAway(promised, have []view) []string {
	var out []string
	for _, p := range promised {
		i := slices.IndexFunc(have, func(v view) bool { return v.name == p.name })
		if i < 0 {
			out = append(out, fmt.Sprintf("api_v1.%s is gone", p.name))
			continue
		}
		for j, c := range p.columns {
			switch {
			case c == "bucket integer":
				if !slices.Contains(have[i].columns, c) {
					out = append(out, fmt.Sprintf("api_v1.%s has lost its bucket", p.name))
				}
			case j >= len(have[i].columns) || have[i].columns[j] != c:
				out = append(out, fmt.Sprintf("api_v1.%s: column %d is no longer %q", p.name, j+1, c))
			}
		}
	}
	return out
}

func TestTakenAway(t *testing.T) {
	t.Parallel()
	promised := parseViews("a\n    x integer\n    y text\n    bucket integer\n")
	tests := []struct {
		name, have string
		want       int
	}{
		{"the same", "a\n    x integer\n    y text\n    bucket integer\n", 0},
		{"grown", "a\n    x integer\n    y text\n    z text\n    bucket integer\nb\n    x text\n", 0},
		{"other type", "a\n    x bigint\n    y text\n    bucket integer\n", 1},
		{"other order", "a\n    y text\n    x integer\n    bucket integer\n", 2},
		{"shorter", "a\n    x integer\n    bucket integer\n", 1},
		{"without bucket", "a\n    x integer\n    y text\n", 1},
		{"gone", "b\n    x integer\n", 1},
	}
	for _, test := range tests {
		if got := takenAway(promised, parseViews(test.have)); len(got) != test.want {
			t.Errorf("%s: %q, want %d", test.name, got, test.want)
		}
	}
}

// TestDataDictionary wants a row for each view and column, and units where the
// type or the name asks for one.
func TestDataDictionary(t *testing.T) {
	t.Parallel()
	db := open(t)
	rows := column[string](t, db.Pool(), `select view_name || coalesce('.' || column_name, '') from api_v1.data_dictionary where meaning <> '' order by 1`)
	for _, v := range actualViews(t, db.Pool()) {
		for _, c := range append([]string{""}, v.columns...) {
			key := v.name
			if c != "" {
				name, _, _ := strings.Cut(c, " ")
				key += "." + name
			}
			if !slices.Contains(rows, key) {
				t.Errorf("the dictionary says nothing of %s", key)
			}
		}
	}
	for _, missing := range column[string](t, db.Pool(), `
		select view_name || '.' || column_name || ' ' || type from api_v1.data_dictionary
		where unit is null and (type = 'timestamp with time zone' or column_name in ('bytes', 'raw_bytes', 'language')
		                        or column_name ~ '(^|_)(hours|minutes|seconds)(_|$)|^lag_')
		order by 1`) {
		t.Errorf("the dictionary gives no unit of %s", missing)
	}
	unit := column[string](t, db.Pool(), `
		select view_name || '.' || column_name || ' ' || unit from api_v1.data_dictionary
		where view_name in ('change', 'version') and column_name in ('hours', 'bytes', 'first_seen') order by 1`)
	if diff := cmp.Diff([]string{"change.hours hours", "version.bytes bytes", "version.first_seen UTC"}, unit); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
}
