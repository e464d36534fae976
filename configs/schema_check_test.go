package configs

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	yaml "go.yaml.in/yaml/v4"
)

// TestSamplesMeetTheSchema validates the samples as an editor would.
func TestSamplesMeetTheSchema(t *testing.T) {
	t.Parallel()
	check := newSchemaCheck(t)
	for name, text := range map[string]string{"example.yaml": Example(), "minimal.yaml": Minimal()} {
		for _, fault := range check.text(t, text) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// TestSchemaRefuses shows that the test above can fail, and that the schema sees what an editor should mark.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	check := newSchemaCheck(t)
	for _, text := range []string{
		"wathces: []",
		"crawler: {workers: 0}",
		"crawler: {timeout: 30}",
		"crawler: {robots: ignore}",
		"watches: [{urls: ['https://a.example/']}]",
		"watches: [{name: Big, urls: ['https://a.example/']}]",
		"watches: [{name: a, urls: 'https://a.example/'}]",
		"watches: [{name: a, schedule: {auto: {budget: 5}}}]",
		"series: [{name: a, novelty: {delta: 1}}]",
	} {
		if len(check.text(t, text)) == 0 {
			t.Errorf("schema allows %s", text)
		}
	}
}

// schemaCheck validates against the part of JSON Schema that schema.json uses; it fails on any other word.
type schemaCheck struct{ defs map[string]any }

func newSchemaCheck(t *testing.T) schemaCheck {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	return schemaCheck{schema["$defs"].(map[string]any)}
}

func (c schemaCheck) text(t *testing.T, text string) []string {
	t.Helper()
	var value any
	if err := yaml.Load([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return c.value(map[string]any{"$ref": "#/$defs/Config"}, value, "")
}

func (c schemaCheck) value(schema map[string]any, value any, path string) (faults []string) {
	fault := func(format string, args ...any) {
		faults = append(faults, path+": "+fmt.Sprintf(format, args...))
	}
	for word, rule := range schema {
		switch word {
		case "$ref":
			faults = append(faults, c.value(c.defs[rule.(string)[len("#/$defs/"):]].(map[string]any), value, path)...)
		case "type":
			if !isType(value, rule.(string)) {
				fault("%v (%T) is not of type %s", value, value, rule)
			}
		case "const":
			if number(value) != rule.(float64) {
				fault("%v is not %v", value, rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), value) {
				fault("%v is not one of %v", value, rule)
			}
		case "pattern":
			if text, ok := value.(string); ok && !regexp.MustCompile(rule.(string)).MatchString(text) {
				fault("%q does not match %s", text, rule)
			}
		case "minimum":
			if number(value) < rule.(float64) {
				fault("%v is below %v", value, rule)
			}
		case "maximum":
			if number(value) > rule.(float64) {
				fault("%v is above %v", value, rule)
			}
		case "exclusiveMaximum":
			if number(value) >= rule.(float64) {
				fault("%v is not below %v", value, rule)
			}
		case "oneOf":
			met := 0
			for _, choice := range rule.([]any) {
				if len(c.value(choice.(map[string]any), value, path)) == 0 {
					met++
				}
			}
			if met != 1 {
				fault("%v meets %d of the choices", value, met)
			}
		case "items":
			list, _ := value.([]any)
			for i, one := range list {
				faults = append(faults, c.value(rule.(map[string]any), one, item(path, i))...)
			}
		case "required":
			table, _ := value.(map[string]any)
			for _, key := range rule.([]any) {
				if _, ok := table[key.(string)]; !ok {
					fault("%s is missing", key)
				}
			}
		case "properties":
			table, _ := value.(map[string]any)
			for key, one := range table {
				if property, ok := rule.(map[string]any)[key]; ok {
					faults = append(faults, c.value(property.(map[string]any), one, join(path, key))...)
				}
			}
		case "additionalProperties":
			table, _ := value.(map[string]any)
			properties, _ := schema["properties"].(map[string]any)
			for key, one := range table {
				if _, known := properties[key]; known {
					continue
				}
				if others, ok := rule.(map[string]any); ok {
					faults = append(faults, c.value(others, one, join(path, key))...)
				} else {
					fault("%s is not a key", key)
				}
			}
		case "description", "default":
		default:
			fault("the schema says %s, which this test does not know", word)
		}
	}
	return faults
}

func isType(value any, name string) bool {
	switch value.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number"
	case int:
		return name == "number" || name == "integer"
	}
	return false
}

// number gives NaN, which no limit refuses, for what is no number.
func number(value any) float64 {
	switch n := value.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}
