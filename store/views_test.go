package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// shipped are the views in which rows of one distributed table meet those of
// another without their bucket, with the reason why that is right.
var shipped = map[string]string{}

// TestViewsJoinByBucket wants every join of two distributed tables in a view to
// be done part by part.
func TestViewsJoinByBucket(t *testing.T) {
	t.Parallel()
	tw := newTwin(t)
	for _, view := range viewsOf(t, tw) {
		fault := tw.joinFault(t, "select * from api_v1."+view)
		reason, excused := shipped[view]
		if fault != "" && !excused {
			t.Errorf("api_v1.%s: %s", view, fault)
		}
		if fault == "" && excused {
			t.Errorf("api_v1.%s is excused without need (%s)", view, reason)
		}
	}
}

// TestJoinsWithoutBucketAreFound holds the check itself.
func TestJoinsWithoutBucketAreFound(t *testing.T) {
	t.Parallel()
	tw := newTwin(t)
	tests := []struct {
		name, sql string
		good      bool
	}{
		{"three tables", `select p.url, h.name, s.title from core.page p join core.host h using (bucket, host_id) left join core.page_state s using (bucket, page_id)`, true},
		{"by id alone", `select p.url from core.page p join core.page_state s using (page_id)`, false},
		{"outer, by id alone", `select p.url from core.page p left join core.page_state s using (page_id)`, false},
		{"the third by id alone", `select p.url from core.page p join core.host h using (bucket, host_id) left join core.page_state s using (page_id)`, false},
		{"months", `select 1 from core.fetch f join core.version v using (bucket, page_id, version)`, true},
		{"with a small table", `select 1 from core.fetch f left join core.watch w using (watch_id)`, true},
		{"sums", `select 1 from (select tld, count(*) from core.host group by tld) a join (select trap, count(*) from core.page group by trap) b on a.tld = b.trap`, true},
		{"rows with sums", `select 1 from core.host a join (select trap, count(*) from core.page group by trap) b on a.tld = b.trap`, false},
		{"exists", `select 1 from core.page p where exists (select 1 from core.version v where v.bucket = p.bucket and v.page_id = p.page_id)`, true},
		{"exists, by id alone", `select 1 from core.page p where exists (select 1 from core.version v where v.page_id = p.page_id)`, false},
	}
	for _, test := range tests {
		if got := tw.joinFault(t, test.sql); (got == "") != test.good {
			t.Errorf("%s: fault %q", test.name, got)
		}
	}
}

// joinFault says what is wrong with the joins of a query. A join part by part is
// possible when PostgreSQL plans one under some setting; on empty tables its
// estimates say too little to choose it always.
func (tw *twin) joinFault(t *testing.T, sql string) string {
	t.Helper()
	var fault string
	for _, off := range []string{"", "enable_hashjoin", "enable_mergejoin", "enable_nestloop"} {
		settings := "reset all; set enable_partitionwise_join = on; set enable_partitionwise_aggregate = on"
		if off != "" {
			settings += "; set " + off + " = off"
		}
		if _, err := tw.Exec(t.Context(), settings); err != nil {
			t.Fatal(err)
		}
		p, err := tw.explain(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if fault = tw.joinsAcross(p); fault == "" {
			return ""
		}
	}
	return fault
}

// joinsAcross looks for a join that has several parts of distributed tables on
// both of its sides. Sums of such tables may meet, since they are few rows; rows
// may meet neither rows nor sums.
func (tw *twin) joinsAcross(p *plan) (fault string) {
	p.each(func(n *plan) {
		switch n.Type {
		case "Hash Join", "Merge Join", "Nested Loop":
		default:
			return
		}
		var sides []map[string][]int
		summed := true
		for i := range n.Plans {
			if rel := n.Plans[i].Parent; rel == "Outer" || rel == "Inner" {
				sides = append(sides, tw.touched(&n.Plans[i]))
				summed = summed && tw.summed(&n.Plans[i])
			}
		}
		parts := map[int]bool{}
		for _, side := range sides {
			if len(side) == 0 {
				return // a small table, or a part of the query that was computed before
			}
			for _, ps := range side {
				for _, part := range ps {
					parts[part] = true
				}
			}
		}
		if len(parts) > 1 && !summed {
			fault = fmt.Sprintf("%s of %v and %v spans parts: a join without bucket", n.Type,
				slices.Sorted(maps.Keys(sides[0])), slices.Sorted(maps.Keys(sides[1])))
		}
	})
	return fault
}

// summed reports whether all that a plan reads of distributed tables is aggregated.
func (tw *twin) summed(p *plan) bool {
	if p.Type == "Aggregate" {
		return true
	}
	if _, _, ok := tw.part(p); ok {
		return false
	}
	for i := range p.Plans {
		if !tw.summed(&p.Plans[i]) {
			return false
		}
	}
	return true
}

func viewsOf(t testing.TB, q rower) []string {
	t.Helper()
	return column[string](t, q, `
		select relname::text from pg_class where relnamespace = 'api_v1'::regnamespace and relkind in ('v', 'm') order by 1`)
}
