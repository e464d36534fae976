package store_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The tests of this file hold the rules by which the tables may be spread over
// several servers by bucket, see ARCHITECTURE.md, "Keys".

// overrides are parameters of single statements, by position from 1, where those
// chosen by type do not fit.
var overrides = map[string]map[int]any{
	// The end of a range of ids has to lie behind its start.
	"qRecordChains":    {3: int64(1) << 60},
	"qRecordTemplates": {3: int64(1) << 60},
	"qDeleteRecords":   {3: int64(1) << 60},
	"qNamedBodies":     {3: int64(1) << 60},
	"qNamedRecords":    {3: int64(1) << 60},
	"qBodyChains":      {3: int64(1) << 60},
	"qBodyTemplates":   {3: int64(1) << 60},
	"qRetainPages":     {3: int64(1) << 60},
	// The same of spans of time.
	"qOutcomes":      {4: time.Unix(0, 0)},
	"qPeriodFetches": {3: time.Unix(0, 0)},
}

// TestRoutes plans every statement on the twin and holds the rule of its kind.
func TestRoutes(t *testing.T) {
	t.Parallel()
	tw := newTwin(t)
	statements := readSource(t).statements
	for _, s := range statements {
		for _, fault := range tw.faults(t, s) {
			t.Errorf("%s: %s", s.name, fault)
		}
	}
	for name := range overrides {
		if !slices.ContainsFunc(statements, func(s sourceStatement) bool { return s.name == name }) {
			t.Errorf("overrides name %s, which is no statement", name)
		}
	}
}

// TestBadRoutes gives the check statements that break each rule.
func TestBadRoutes(t *testing.T) {
	t.Parallel()
	tw := newTwin(t)
	tests := []struct{ name, kind, sql, want string }{
		{"claim", "routed", `
			with d as (select bucket, page_id from core.monitor_todo where bucket = any($1::int[]) order by page_id limit $2 for update skip locked)
			delete from core.monitor_todo t using d where t.bucket = any($1::int[]) and t.bucket = d.bucket and t.page_id = d.page_id`, ""},
		{"claim by one filter", "routed", `
			with d as (select bucket, page_id from core.monitor_todo where bucket = any($1::int[]) order by page_id limit $2 for update skip locked)
			delete from core.monitor_todo t using d where t.bucket = d.bucket and t.page_id = d.page_id`, "8 parts of monitor_todo"},
		{"no filter", "routed", `select url from core.page where page_id = any($1::bigint[])`, "8 parts of page"},
		{"join without filter", "routed", `
			select p.url from core.page_state s join core.page p using (bucket, page_id) where s.bucket = any($1::int[])`, "8 parts of page"},
		{"never true", "routed", `select url from core.page where bucket = 1 and bucket = 2`, "no part of page"},
		{"two groups", "routed", `select url from core.page where bucket in (0, 1, 2, 3, 4, 5)`, "parts of page"},
		{"insert", "routed", `insert into core.monitor_todo select p, $1, 1, 'x', now() from unnest($2::bigint[]) p on conflict do nothing`, ""},
		{"reads all", "all", `select count(*) from core.page`, ""},
		{"locks all", "all", `select 1 from core.page where trap is null for share`, "locks rows"},
		{"writes all", "all", `update core.page set trap = null`, ""},
		{"local", "local", `select name from core.watch`, ""},
		{"not local", "local", `select name from core.host where bucket = $1`, "touches host"},
		{"no statement", "local", `selekt 1`, "syntax error"},
		{"random", "local", `select random()`, "random()"},
		{"clock", "local", `select Clock_Timestamp ()`, "clock_timestamp()"},
		{"nextval in an update", "local", `update core.watch set name = nextval('core.page_no')::text`, "nextval in an update"},
		{"nextval", "local", `select nextval('core.page_no')`, ""},
		{"ctid", "local", `select ctid from core.watch`, "ctid"},
		{"rollup", "all", `select tld, count(*) from core.host group by rollup (tld)`, "grouping sets"},
	}
	for _, test := range tests {
		got := strings.Join(tw.faults(t, sourceStatement{test.name, test.kind, test.sql}), "; ")
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: faults %q, want %q", test.name, got, test.want)
		}
	}
}

// faults says what is wrong with a statement.
func (tw *twin) faults(t *testing.T, s sourceStatement) []string {
	t.Helper()
	var out []string
	for _, w := range forbidden(s.sql) {
		out = append(out, "forbidden: "+w)
	}
	switch word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s.sql)), " "); strings.TrimSpace(word) {
	case "select", "insert", "update", "delete", "with":
	default:
		if s.kind == "local" && slices.Contains([]string{"listen", "unlisten", "notify", "set", "analyze", "grant"}, word) {
			return out // has no plan
		}
	}
	args, err := tw.parameters(t.Context(), s.sql)
	if err != nil {
		return append(out, err.Error())
	}
	for i, v := range overrides[s.name] {
		args[i-1] = v
	}
	p, err := tw.explain(t.Context(), s.sql, args...)
	if err != nil {
		return append(out, err.Error())
	}
	touched := tw.touched(p)
	switch s.kind {
	case "routed":
		out = append(out, tw.routeFaults(s.sql, touched)...)
	case "all":
		p.each(func(n *plan) {
			if n.Type == "LockRows" {
				out = append(out, "a statement over all buckets locks rows")
			}
		})
	case "local":
		for table := range touched {
			out = append(out, "a local statement touches "+table)
		}
	}
	return out
}

var tableWord = regexp.MustCompile(`\bcore\.(\w+)`)

// routeFaults wants each distributed table that the SQL names to be touched in
// one and the same part: one that is not touched at all shows that the parameters
// contradict each other and the plan proves nothing.
func (tw *twin) routeFaults(sql string, touched map[string][]int) []string {
	var out []string
	parts := map[int]bool{}
	for _, table := range slices.Sorted(maps.Keys(touched)) {
		n := 0
		for _, part := range touched[table] {
			if part >= 0 {
				n++
				parts[part] = true
			}
		}
		if n > 1 {
			out = append(out, fmt.Sprintf("touches %d parts of %s", n, table))
		}
	}
	if len(out) == 0 && len(parts) > 1 {
		out = append(out, "touches other parts of one table than of another")
	}
	for _, m := range tableWord.FindAllStringSubmatch(sql, -1) {
		if slices.Contains(tw.tables, m[1]) && len(touched[m[1]]) == 0 {
			out = append(out, "touches no part of "+m[1])
		}
	}
	return out
}

// forbiddenWords are what servers of a cluster could not agree on, or what its
// distributed tables do not know. Serial and identity columns, triggers and
// foreign keys are looked up in the catalogue instead, where it is known which
// tables are distributed.
var forbiddenWords = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"random()", regexp.MustCompile(`(?i)\brandom\s*\(`)},
	{"clock_timestamp()", regexp.MustCompile(`(?i)\bclock_timestamp\s*\(`)},
	{"nextval in an update", regexp.MustCompile(`(?is)\bupdate\s+core\..*\bnextval\s*\(`)},
	{"merge into", regexp.MustCompile(`(?i)\bmerge\s+into\b`)},
	{"grouping sets, rollup or cube", regexp.MustCompile(`(?i)\b(grouping\s+sets|rollup|cube)\s*\(`)},
	{"detach concurrently", regexp.MustCompile(`(?i)\bdetach\s+partition\b.*\bconcurrently\b`)},
	{"ctid", regexp.MustCompile(`(?i)\bctid\b`)},
}

var sqlComment = regexp.MustCompile(`--[^\n]*|(?is)\bcomment\s+on\s[^;]*?\sis\s+'(?:[^']|'')*'`)

// forbidden returns the forbidden words in SQL, comments aside.
func forbidden(sql string) []string {
	sql = sqlComment.ReplaceAllString(sql, "")
	var out []string
	for _, w := range forbiddenWords {
		if w.pattern.MatchString(sql) {
			out = append(out, w.name)
		}
	}
	return out
}

// TestTwinRefusesKeysWithoutBucket proves that the twin stands in for a cluster.
func TestTwinRefusesKeysWithoutBucket(t *testing.T) {
	t.Parallel()
	tw := newTwin(t)
	if len(tw.tables) < 12 {
		t.Fatalf("the twin has the distributed tables %v; some are missing", tw.tables)
	}
	for _, sql := range []string{
		`create unique index on core.page (url_hash)`,
		`create table core.extra (page_id bigint primary key, bucket integer); select core.distribute('core.extra')`,
	} {
		_, err := tw.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		if err == nil || !strings.Contains(err.Error(), "unique constraint on partitioned table must include all partitioning columns") {
			t.Errorf("%s: %v, want a refusal", sql, err)
		}
	}
}
