package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/web"
)

// schema is a schema of the API's document, as far as it uses them.
type schema struct {
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Ref        string             `json:"$ref"`
	AnyOf      []*schema          `json:"anyOf"`
	Items      *schema            `json:"items"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
}

// apiDocument is the description of the API.
type apiDocument struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]struct {
		Get, Post *apiOperation
	}
	Components struct{ Schemas map[string]*schema }
}

// apiOperation is what an address answers to a method.
type apiOperation struct {
	Parameters []struct {
		Name, In string
	}
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
}

// fits says what of a value a schema does not allow; empty: nothing.
func (d *apiDocument) fits(s *schema, v any, at string) string {
	if s == nil {
		return at + " has no schema"
	}
	if s.Ref != "" {
		return d.fits(d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")], v, at)
	}
	if s.AnyOf != nil {
		for _, one := range s.AnyOf {
			if d.fits(one, v, at) == "" {
				return ""
			}
		}
		return at + " fits none of its schemas"
	}
	ok := false
	switch x := v.(type) {
	case nil:
		ok = s.Type == "null"
	case string:
		ok = s.Type == "string"
		if _, err := time.Parse(time.RFC3339, x); s.Format == "date-time" && err != nil {
			return at + " is no time"
		}
	case bool:
		ok = s.Type == "boolean"
	case float64:
		ok = s.Type == "number" || s.Type == "integer" && x == float64(int64(x))
	case []any:
		for i, one := range x {
			if f := d.fits(s.Items, one, fmt.Sprintf("%s[%d]", at, i)); f != "" {
				return f
			}
		}
		ok = s.Type == "array"
	case map[string]any:
		for _, name := range s.Required {
			if _, there := x[name]; !there {
				return at + " has no " + name
			}
		}
		for name, one := range x {
			if s.Properties[name] == nil {
				return at + " has an unknown " + name
			}
			if f := d.fits(s.Properties[name], one, at+"."+name); f != "" {
				return f
			}
		}
		ok = s.Type == "object"
	}
	if !ok {
		return fmt.Sprintf("%s is %v, not of type %s", at, v, s.Type)
	}
	return ""
}

// apiAnswers asks every address of the API and holds its answers against the
// document, which has to name all of them.
func apiAnswers(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	var d apiDocument
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/openapi.json"))), &d); err != nil || d.OpenAPI != "3.1.0" {
		t.Fatalf("document: %v", err)
	}
	page := fmt.Sprint(fx.page(t, fx.urls[0]))
	filled := map[string]int{ // items that the fixture has at least
		"/pages": fixturePages, "/pages/{id}/versions": fixtureHours, "/pages/{id}/changes": fixtureHours - 1, "/pages/{id}/terms": 5, "/pages/{id}/elements": 2,
		"/pages/{id}/fetches": fixtureHours, "/changes": 100, "/watches": 1, "/schedule": 1, "/pages/{id}/days": 1, "/pages/{id}/blocks": 2, "/series": 1,
		"/series/{name}/snapshots": fixtureHours, "/series/{name}/snapshots/{number}/pages": 10, "/series/{name}/search": fixtureHours, "/series/{name}/search/pages": 10, "/search": 10,
		"/topics": 1, "/topics/{name}/pages": 3, "/topics/{name}/periods": 4, "/topics/{name}/periods/{period}/sentences": 2, "/topics/{name}/periods/{period}/terms": 2,
		"/topics/{name}/periods/{period}/pages": 3,
		"/series/{name}/convergence":            3 * (fixtureHours - 1), "/series/{name}/distribution": 3 * 11 * (fixtureHours - 1), "/series/{name}/accuracy": 3 * 12, "/topics/{name}/proposed": 1,
	}
	last := noon.Add(-2 * time.Hour).Format("20060102T150405Z")
	if want := 36; len(d.Paths) != want {
		t.Errorf("%d paths in the document, want %d: a new one wants a line in this test", len(d.Paths), want)
	}
	for path, p := range d.Paths {
		if (p.Get == nil) == (p.Post == nil) {
			t.Errorf("%s answers to GET: %v, to POST: %v; want one of them", path, p.Get != nil, p.Post != nil)
		}
		if p.Get == nil {
			continue // apiDecides
		}
		name := url.PathEscape(fixtureTopic)
		if strings.Contains(path, "/series/") {
			name = url.PathEscape(fixtureSeries)
		}
		address := strings.NewReplacer("{id}", page, "{name}", name, "{number}", "1", "{version}", "2", "{period}", last, "{list}", "due").Replace(path)
		if strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/search/pages") {
			address += "?q=hour+OR+the"
		}
		r := get(t, s, address)
		body := bodyOf(t, r)
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Errorf("GET %s: %v", address, err)
			continue
		}
		if f := d.fits(p.Get.Responses["200"].Content["application/json"].Schema, v, "answer"); f != "" || r.StatusCode != http.StatusOK {
			t.Errorf("GET %s: %d %s", address, r.StatusCode, f)
		}
		if again := get(t, s, address, "If-None-Match", r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("GET %s with its tag: %d", address, again.StatusCode)
		}
		// All pages of a list together are the list, each item once.
		if !slices.ContainsFunc(p.Get.Parameters, func(p struct{ Name, In string }) bool { return p.Name == "after" }) {
			if want := filled[strings.TrimPrefix(path, "/api/v1")]; want > 0 && len(v.(map[string]any)["items"].([]any)) < want {
				t.Errorf("GET %s: %s", address, body)
			}
			continue
		}
		apiPages(t, s, address, filled[strings.TrimPrefix(path, "/api/v1")])
	}
	apiScheduleIs(t, s, fx)
	apiReports(t, s)
	later := newServer(t, fx.DB, func(o *web.Options) { o.Now = func() time.Time { return noon.Add(time.Hour) } })
	for _, address := range []string{"/api/v1/schedule/due", "/api/v1/schedule/late"} {
		apiPages(t, later, address, fixturePages)
	}
	if body := bodyOf(t, get(t, later, "/api/v1/schedule/hosts")); !strings.Contains(body, "evil.test") {
		t.Errorf("queues of hosts: %s", body)
	}
	for address, want := range map[string]int{
		"/pages?limit=0": 400, "/pages?limit=1001": 400, "/pages?limt=5": 400, "/pages?q=a&q=b": 400, "/pages?sort=size": 400, "/pages?state=x": 400, "/pages?after=x": 400,
		"/pages?reverse=yes": 400, "/pages?watch=none": 404, "/pages/0": 404, "/pages/x": 404, "/pages/99999999999999999999/versions": 404, "/changes?from=2026-02-31": 400,
		"/changes?significance=7": 400, "/changes?after=1_2": 400, "/nothing": 404, "/series/none/snapshots": 404, "/pages?q=" + strings.Repeat("x", 2000): 400,
		"/search": 400, "/search?q=%22open": 400, "/search?q=a&sort=size": 400, "/search?q=a&after=NaN_1": 400, "/series/none/search?q=a": 404, "/topics/none": 404, "/schedule/never": 400, "/schedule/due?after=x": 400,
		"/series/hourly%20web/search/pages?q=a&sort=size": 400, "/series/hourly%20web/search/pages?q=a&kind=odd": 400, "/series/hourly%20web/search/pages?q=a&after=1_2": 400,
		"/series/hourly%20web/search/pages?q=a&snapshot=0": 400, "/pages?category=none&watch=none": 404, "/series/none/convergence": 404, "/series/hourly%20web/accuracy?delta=2": 400, "/series/hourly%20web/search?q=a&novel=2": 400,
		"/topics/none/proposed": 404, "/topics/none/pages": 404,
		"/topics/none/periods": 404, "/topics/the%20hours/periods/yesterday": 404, "/topics/the%20hours/periods/20000101T000000Z/terms": 404, "/topics/the%20hours/periods?after=x": 400,
		"/topics/the%20hours/periods/" + last + "/sentences?mode=odd": 400, "/topics?limit=0": 400, "/pages/" + page + "/versions/0": 400, "/pages/" + page + "/versions/9999": 404,
		"/pages/" + page + "/versions/x": 400, "/pages/" + page + "/diff?by=odd": 400, "/pages/" + page + "/diff?a=1&b=9999": 404, "/pages/" + page + "/diff?b=1": 404,
		"/pages/" + page + "/fetches?after=x": 400, "/pages/" + page + "/terms?after=-1": 400,
	} {
		r := get(t, s, "/api/v1"+address)
		var p struct {
			Type, Title, Detail string
			Status              int
		}
		if err := json.Unmarshal([]byte(bodyOf(t, r)), &p); err != nil || r.StatusCode != want || p.Status != want || p.Title == "" || p.Detail == "" || r.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("GET /api/v1%.60s: %d %s %+v, want %d", address, r.StatusCode, r.Header.Get("Content-Type"), p, want)
		}
	}
}

// apiScheduleIs wants the API to count the pages of a watch as the page of the schedule does.
func apiScheduleIs(t *testing.T, s http.Handler, fx fixture) {
	t.Helper()
	health, err := fx.ScheduleHealth(t.Context())
	if err != nil || len(health) != 1 || health[0].Due == 0 {
		t.Fatalf("the fixture has %+v: %v", health, err)
	}
	h := health[0]
	api, page := bodyOf(t, get(t, s, "/api/v1/schedule")), bodyOf(t, get(t, s, "/schedule"))
	if want := fmt.Sprintf(`"due":%d,"late":%d,"failing":%d`, h.Due, h.Late, h.Failing); !strings.Contains(api, want) {
		t.Errorf("the API has no %s: %s", want, api)
	}
	if want := fmt.Sprintf(`data-h="Due">%d</td><td class="num" data-h="Late">%d</td><td class="num" data-h="Failing">%d<`, h.Due, h.Late, h.Failing); !strings.Contains(page, want) {
		t.Errorf("the page has no %s", want)
	}
}

// apiReports wants the reports of a series to say what its pages' tables do.
func apiReports(t *testing.T, s http.Handler) {
	t.Helper()
	for report, column := range map[string]string{"convergence": "l1_change", "distribution": "pages", "accuracy": "hits"} {
		var list struct{ Items []map[string]any }
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, "/api/v1/series/hourly%20web/"+report+"?delta=0.1&limit=1000"))), &list); err != nil {
			t.Fatal(err)
		}
		rows := csvOf(t, s, "/snapshots/hourly%20web/"+report+".csv?delta=0.1")
		at := slices.IndexFunc(rows[0], func(name string) bool {
			return strings.HasPrefix(column, strings.ToLower(strings.ReplaceAll(name, " ", "_")))
		})
		want, got := 0.0, 0.0
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[at], 64)
			if err != nil {
				t.Fatal(err)
			}
			want += v
		}
		for _, one := range list.Items {
			got += one[column].(float64)
		}
		if math.Abs(want-got) > 1e-6*max(1, want) || len(list.Items) == 0 {
			t.Errorf("%s: %d items sum up to %v, the table to %v", report, len(list.Items), got, want)
		}
	}
}

// apiPages reads a list in small parts and at once.
func apiPages(t *testing.T, s http.Handler, address string, least int) {
	t.Helper()
	type list struct {
		Items []json.RawMessage `json:"items"`
		Next  string            `json:"next"`
	}
	read := func(limit int) (items []string) {
		mark := "?"
		if strings.Contains(address, "?") {
			mark = "&"
		}
		for next := fmt.Sprintf("%s%slimit=%d", address, mark, limit); next != ""; {
			var l list
			if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, next))), &l); err != nil || len(l.Items) > limit {
				t.Fatalf("GET %s: %d items, %v", next, len(l.Items), err)
			}
			for _, one := range l.Items {
				items = append(items, string(one))
			}
			next = l.Next
		}
		return items
	}
	whole, parts := read(1000), read(max(len(read(1000))/4, 3))
	if len(whole) < least || !slices.Equal(whole, parts) {
		t.Errorf("%s: %d items at once, %d in parts, want at least %d", address, len(whole), len(parts), least)
	}
	seen := map[string]bool{}
	for _, one := range whole {
		if seen[one] {
			t.Errorf("%s: twice %s", address, one)
		}
		seen[one] = true
	}
}

// apiTells wants a comparison to hold both versions: without what came it is the
// older text, without what went the newer one.
func apiTells(t *testing.T, fx fixture) {
	s := newServer(t, fx.DB, nil)
	read := func(address string, into any) {
		t.Helper()
		if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, address))), into); err != nil {
			t.Fatalf("GET %s: %v", address, err)
		}
	}
	for _, u := range fx.urls {
		base := fmt.Sprintf("/api/v1/pages/%d", fx.page(t, u))
		texts := [2]string{}
		for i := range texts {
			var v struct {
				Version struct{ Version int }
				Lines   []string
			}
			read(fmt.Sprintf("%s/versions/%d", base, i+3), &v)
			if texts[i] = strings.Join(v.Lines, "\n"); v.Version.Version != i+3 || texts[i] == "" {
				t.Fatalf("%s: version %d of %q", u, v.Version.Version, texts[i])
			}
		}
		var d struct {
			Dice   float64
			Pieces []struct{ Op, Text string }
		}
		read(base+"/diff?a=3&b=4", &d)
		var a, b strings.Builder
		for _, p := range d.Pieces {
			if p.Op != "insert" {
				a.WriteString(p.Text)
			}
			if p.Op != "delete" {
				b.WriteString(p.Text)
			}
		}
		if a.String() != texts[0] || b.String() != texts[1] || a.String() == b.String() {
			t.Errorf("%s: the comparison is of %q and %q, want %q", u, a.String(), b.String(), texts)
		}
		var days, blocks struct {
			Items []struct {
				Fetches, Changes int
				Path             string
			}
		}
		read(base+"/days", &days)
		fetches, changes := 0, 0
		for _, d := range days.Items {
			fetches, changes = fetches+d.Fetches, changes+d.Changes
		}
		var list struct{ Items []json.RawMessage }
		read(base+"/changes", &list)
		if fetches != fixtureHours || changes != len(list.Items) {
			t.Errorf("%s: %d fetches and %d changes by days, want %d and %d", u, fetches, changes, fixtureHours, len(list.Items))
		}
		if read(base+"/blocks", &blocks); len(blocks.Items) == 0 || blocks.Items[0].Path == "" {
			t.Errorf("%s: blocks %v", u, blocks)
		}
	}
}
