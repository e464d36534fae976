package configs

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnbuilt(t *testing.T) {
	t.Parallel()
	config, err := Parse("a.yaml", []byte(`retention: {fetches: 400d}
http: {listen: ":9000"}
watches:
  - name: one
    urls: ["https://a.example/"]
    schedule: {auto: {min: 5m}}
    pairs: off
    masks: off
    sitemaps: []
    bursts: {}
  - name: two
    feeds: ["https://a.example/feed"]
    notify: {to: [ops]}
series: []
topics: [{name: t, query: q, notify: {to: [ops]}}]
targets: [{name: ops, url_file: ops.url}]
`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		have Features
		want []string
	}{
		{"nothing", nil, []string{"2:7 http", "4:3 watches", "15:9 topics", "16:10 targets"}},
		{"watches", FeatureSet(FeatureWatches, FeatureWeb), []string{
			"6:22 watches[0].schedule.auto", "8:12 watches[0].masks", "10:13 watches[0].bursts",
			"12:12 watches[1].feeds", "13:13 watches[1].notify", "15:9 topics", "16:10 targets",
		}},
		{"all but notify", allBut(FeatureNotify), []string{"13:13 watches[1].notify"}},
		{"all", allBut(), nil},
	}
	for _, tt := range tests {
		var got []string
		for _, e := range config.Unbuilt(tt.have) {
			got = append(got, strings.TrimPrefix(e.place(), "a.yaml:")+" "+e.Key)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	want := "a.yaml:2:7: http: is known, but this version of strandline does not do it yet; remove it"
	if got := config.Unbuilt(nil)[0].Error(); got != want {
		t.Errorf("message = %s, want %s", got, want)
	}
	if got := Default().Unbuilt(nil); len(got) > 0 {
		t.Errorf("the defaults need %v", got)
	}
}

func allBut(without ...Feature) Features {
	set := make(Features)
	for _, f := range gates() {
		set[f] = !slices.Contains(without, f)
	}
	return set
}

// TestGatesNameKeys finds keys of the table that the schema does not have.
func TestGatesNameKeys(t *testing.T) {
	t.Parallel()
	keys := make(map[string]bool)
	everyKey(reflect.TypeFor[Config](), "", keys)
	for key := range maps.Keys(gates()) {
		if !keys[key] {
			t.Errorf("gate %s is no key", key)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	before, err := Parse("a.yaml", []byte(`crawler: {workers: 8}
watches:
  - {name: gone, urls: ["https://a.example/"]}
  - {name: kept, urls: ["https://a.example/"]}
  - {name: news, urls: ["https://a.example/"], jitter: 5m, ignore: [nav]}
topics: [{name: t, query: q}]
`))
	if err != nil {
		t.Fatal(err)
	}
	after, err := Parse("b.yaml", []byte(`crawler: {workers: 16, timeout: 1m}
retention: {versions: {daily: forever}}
watches:
  - {name: new, urls: ["https://a.example/"]}
  - {name: news, urls: ["https://a.example/", "https://b.example/"], schedule: "@daily", ignore: [nav, footer], bursts: {}}
  - {name: kept, schedule: "@hourly", jitter: 300s, urls: ["https://a.example/"]}
series: [{name: s, seeds: ["https://a.example/"]}]
targets: [{name: ops, exec: [/bin/true]}]
topics: [{name: t, query: q, grow: {accept: review}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range Diff(before, after) {
		got = append(got, c.String())
	}
	want := []string{
		`changed setting crawler.timeout: "30s" -> "1m"`,
		`changed setting crawler.workers: "8" -> "16"`,
		`changed setting retention.versions.daily: "3y" -> "forever"`,
		`added watch new`,
		`changed watch news: bursts.every "" -> "4h", bursts.offsets "" -> "[0s, 2m, 16m, 32m]", bursts.rounds "" -> "8", ` +
			`bursts.spread "" -> "false", bursts.when "" -> "0.9", ignore "[nav]" -> "[nav, footer]", schedule "@hourly" -> "@daily", ` +
			`urls "[https://a.example/]" -> "[https://a.example/, https://b.example/]"`,
		`removed watch gone`,
		`added series s`,
		`changed topic t: grow.accept "auto" -> "review"`,
		`added target ops`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
	if same := Diff(before, before); len(same) > 0 {
		t.Errorf("a configuration differs from itself: %v", same)
	}
}

// TestDiffSeesURLFiles reloads after a line was added to a list of pages.
func TestDiffSeesURLFiles(t *testing.T) {
	t.Parallel()
	config := func(list string) *Config {
		dir := write(t, map[string]string{"a.yaml": "watches: [{name: w, urls_file: w.txt}]\nstate_dir: /s\n", "w.txt": list})
		c, err := Load(dir + "/a.yaml")
		if err != nil {
			t.Fatal(err)
		}
		c.Watches[0].URLsFile = "w.txt" // the folders differ
		return c
	}
	changes := Diff(config("https://a.example/\n"), config("https://a.example/\nhttps://b.example/\n"))
	want := []Change{{Changed, "watch", "w", []ValueChange{{"urls_file (its pages)", "1 pages", "2 pages"}}}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("Diff (-want +got):\n%s", diff)
	}
}
