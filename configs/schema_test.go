package configs

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
)

// TestSchemaIsFresh makes the JSON Schema from the types, their doc comments and their defaults; -update writes it.
func TestSchemaIsFresh(t *testing.T) {
	t.Parallel()
	got := generateSchema(t)
	if *update {
		if err := os.WriteFile("schema.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(Schema(), string(got)); diff != "" {
		t.Errorf("schema.json is stale, run go test ./configs -update (-have +want):\n%s", diff)
	}
}

func generateSchema(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous:                  true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
		Mapper:                     schemaOf,
	}
	if err := r.AddGoComments("github.com/strandlinehq/strandline/configs", "."); err != nil {
		t.Fatal(err)
	}
	schema := r.Reflect(&Config{})
	for name, definition := range r.Reflect(&Auto{}).Definitions {
		schema.Definitions[name] = definition // reached by way of schemaOf only, which the reflector does not follow
	}
	schema.ID = "https://raw.githubusercontent.com/strandlinehq/strandline/main/configs/schema.json"
	schema.Title = "Configuration of Strandline"
	putDefaults(schema, reflect.TypeFor[Config](), Default())
	for _, section := range []defaulter{new(Watch), new(Bursts), new(Auto), new(Series), new(Topic)} {
		section.setDefaults()
		putDefaults(schema, reflect.TypeOf(section).Elem(), section)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		t.Fatal(err)
	}
	// Readers of an editor's hint have no use for where a rule comes from.
	return regexp.MustCompile(` \(SCIENCE [^)]*\)`).ReplaceAll(out.Bytes(), nil)
}

// schemaOf gives the schema of the types that are single values in YAML, nil for all others.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	const duration = `([0-9.]+(ms|s|m|h|d|w|y))+|0`
	text := func(pattern string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Pattern: pattern}
	}
	switch t {
	case reflect.TypeFor[bool](): // "on" is a text in YAML 1.2, so editors must be told
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "boolean"}, {Enum: []any{"on", "off", "yes", "no"}}}}
	case reflect.TypeFor[Duration]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{text("^(" + duration + ")$"), {Type: "integer", Const: 0}}}
	case reflect.TypeFor[Keep]():
		return text("^(" + duration + "|forever)$")
	case reflect.TypeFor[Size]():
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{text("^[0-9.]+([KMGT]i?B|kB|B)?$"), {Type: "integer", Minimum: "0"}}}
	case reflect.TypeFor[Rate]():
		return text("^[0-9]+/[smhdw]$")
	case reflect.TypeFor[Name]():
		return text("^[a-z0-9-]+$")
	case reflect.TypeFor[URL]():
		return text("^[hH][tT][tT][pP][sS]?://[^/]")
	case reflect.TypeFor[Schedule]():
		auto := jsonschema.NewProperties()
		auto.Set("auto", &jsonschema.Schema{Ref: "#/$defs/Auto"})
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			{Type: "string"},
			{Type: "object", Properties: auto, AdditionalProperties: jsonschema.FalseSchema, Required: []string{"auto"}},
		}}
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return text("")
	}
	return nil
}

// putDefaults writes the values of a section, which are its defaults, into its definition and those below it.
func putDefaults(schema *jsonschema.Schema, t reflect.Type, section any) {
	v := reflect.Indirect(reflect.ValueOf(section))
	definition := schema.Definitions[t.Name()]
	for _, key := range keysOf(t) {
		field, _ := fieldOf(t, key)
		property, _ := definition.Properties.Get(key)
		value := v.FieldByIndex(field.Index)
		marshaler, isText := value.Interface().(encoding.TextMarshaler)
		switch {
		case isText:
			if text, err := marshaler.MarshalText(); err == nil {
				property.Default = string(text)
			}
		case hasKeys(value.Type()):
			putDefaults(schema, value.Type(), value.Interface())
		case value.Kind() == reflect.Slice && value.Len() > 0, value.Kind() != reflect.Slice && value.Kind() != reflect.Pointer && value.Kind() != reflect.Map && !strings.Contains(field.Tag.Get("jsonschema"), "required"):
			property.Default = value.Interface()
		}
	}
}

// TestSchemaDescribesEveryKey finds keys whose field has no doc comment.
func TestSchemaDescribesEveryKey(t *testing.T) {
	t.Parallel()
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	keys := 0
	for section, definition := range schema.Defs {
		for key, property := range definition.Properties {
			if keys++; property.Description == "" {
				t.Errorf("%s.%s has no description", section, key)
			}
		}
	}
	if keys < 90 {
		t.Errorf("the schema has only %d keys", keys)
	}
}
