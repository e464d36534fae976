package store_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store"
)

// TestSchemaText wants schema.txt to tell what the migrations make.
func TestSchemaText(t *testing.T) {
	t.Parallel()
	db := open(t)
	lines, err := db.SchemaLines(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("schema.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("the migrations make another schema; run 'go test ./store -run SchemaText -update' (-file +database):\n%s", diff)
	}
}

// TestCheckSchema finds what somebody changed by hand, and nothing else.
func TestCheckSchema(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		sql  string
		want []string
	}{
		"nothing":       {`select 1`, nil},
		"a partition":   {`select core.ensure_partition('fetch', '2001-05-01')`, nil},
		"no index":      {`drop index core.change_at; create table core.mine (a int)`, []string{"index core.change_at is missing", "table core.mine is none of ours"}},
		"no view":       {`drop view api_v1.watch_storage`, []string{"view api_v1.watch_storage is missing"}},
		"no column":     {`alter table core.notice_page drop column noisy_at`, []string{"column core.notice_page.noisy_at is missing"}},
		"column's type": {`alter table core.page_elements alter depth type bigint`, []string{`column core.page_elements.depth is "bigint`}},
		"a function":    {`create or replace function core.bucket_of_host(name text) returns integer language sql immutable strict parallel safe as 'select 1'`, []string{"function core.bucket_of_host(text) was changed"}},
		"a step":        {`delete from strandline_migration where version_id = 20`, []string{"step 00020_analysis.sql was never applied"}},
		"another step":  {`insert into strandline_migration (version_id, is_applied) values (19, true)`, []string{"step 19 was applied by another version of the program"}},
		"an index that was never finished": {
			`update pg_index set indisvalid = false where indexrelid = 'core.page_host'::regclass`, []string{"index core.page_host is not valid"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			if _, err := db.Pool().Exec(t.Context(), test.sql); err != nil {
				t.Fatal(err)
			}
			faults, err := db.CheckSchema(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range faults {
				got = append(got, f.String())
			}
			for _, want := range test.want {
				if !strings.Contains(strings.Join(got, "\n"), want) {
					t.Errorf("not found: %s\nfound: %q", want, got)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// TestCheckContents finds every body that does not read back, from any start.
func TestCheckContents(t *testing.T) {
	t.Parallel()
	url, db := openURL(t)
	for i := range 12 {
		write(t, db, capture("https://a.test/", 60*i, fmt.Sprintf("%d tides rise and fall %s", i, strings.Repeat("word ", 50+i))))
	}
	db.Close()
	// Each look is that of another program, which has none of the bodies in memory.
	look := func() *store.DB {
		db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		return db
	}
	db = look()
	all, faults, err := db.CheckContents(t.Context(), store.SHA256{0x80}, 0)
	if err != nil || len(faults) > 0 || all == 0 {
		t.Fatalf("read %d, faults %v, %v", all, faults, err)
	}
	if some, _, err := db.CheckContents(t.Context(), store.SHA256{0xf0}, 2); err != nil || some != 4 {
		t.Errorf("with a limit of 2 of each: read %d, %v", some, err)
	}
	if _, err := db.Pool().Exec(t.Context(), `
		update core.body set data = set_byte(data, length(data) / 2, 255 - get_byte(data, length(data) / 2))
		where depth = 0 and ctid = (select ctid from core.body where depth = 0 limit 1)`); err != nil {
		t.Fatal(err)
	}
	_, faults, err = look().CheckContents(t.Context(), store.SHA256{0x80}, 0)
	if err != nil || len(faults) == 0 {
		t.Errorf("after a byte was changed: faults %v, %v", faults, err)
	}
	for _, f := range faults {
		if !regexp.MustCompile(`^https://a\.test/ version \d+: body [0-9a-f]+ in bucket \d+: stored content is damaged: `).MatchString(f.Error()) || strings.Contains(f.Error(), "page") {
			t.Errorf("the fault does not name its version: %v", f)
		}
	}
	if _, err := db.Pool().Exec(t.Context(), `delete from core.body where ctid = (select ctid from core.body limit 1)`); err != nil {
		t.Fatal(err)
	}
	lost, err := db.BodilessVersions(t.Context(), 10)
	if err != nil || len(lost) == 0 {
		t.Errorf("after a body was deleted: versions without %v, %v", lost, err)
	}
}
