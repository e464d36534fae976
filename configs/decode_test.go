package configs

import (
	"reflect"
	"testing"

	yaml "go.yaml.in/yaml/v4"
)

// TestAliasesAreBounded starts shortly before the bound, since reaching it takes seconds.
func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	var root yaml.Node
	if err := yaml.Load([]byte("watches: [{name: a}, {name: b}, {name: c}]\ntopics: [{name: t}]"), &root); err != nil {
		t.Fatal(err)
	}
	d := newDecoder("a.yaml", ".")
	d.nodes = mostNodes - 6
	config := Default()
	d.value(root.Content[0], reflect.ValueOf(config).Elem(), "", limits{})
	said := 0
	for _, e := range d.errs {
		if e.Message == "aliases unfold to too many values; nothing after this was read" {
			said++
		}
	}
	if said != 1 || len(config.Topics) > 0 {
		t.Errorf("said %d times, read on to %d topics: %v", said, len(config.Topics), d.errs)
	}
}

func TestZeroScheduleAndAuto(t *testing.T) {
	t.Parallel()
	auto := Schedule{Auto: new(Auto)}
	auto.Auto.setDefaults()
	if got, want := auto.String(), "auto: {min: 10m, max: 1d, budget: 500/h}"; got != want {
		t.Errorf("auto is written %q, want %q", got, want)
	}
	if auto.Zone().String() != "UTC" || !auto.Next(epoch()).IsZero() {
		t.Errorf("auto: zone %v, next %v", auto.Zone(), auto.Next(epoch()))
	}
	same := auto
	if (Schedule{}).Equal(auto) || !auto.Equal(same) {
		t.Error("Equal does not look at Auto")
	}
}
