package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// object is an object of a JSON document; its names are written in order.
type object map[string]any

// openapi answers with the description of the API (OpenAPI 3.1), made from the
// endpoints and the Go types of their answers.
func (s *Server) openapi(w http.ResponseWriter, r *http.Request) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(description(s.version)); err != nil {
		return err
	}
	s.send(w, r, http.StatusOK, "application/json", out.Bytes())
	return nil
}

func description(version string) object {
	if version == "" {
		version = "unknown"
	}
	schemas := object{}
	problemRef := schemaOf(reflect.TypeFor[problem](), schemas)
	paths := object{}
	inPath := regexp.MustCompile(`\{([a-z]+)\}`)
	for _, e := range endpoints() {
		params := []object{}
		for _, m := range inPath.FindAllStringSubmatch(e.path, -1) {
			kind := "string"
			if m[1] == "id" || m[1] == "number" {
				kind = "integer"
			}
			params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": kind}})
		}
		for _, p := range e.params {
			schema := object{"type": p.kind}
			switch {
			case p.kind == "date-time":
				schema = object{"type": "string", "format": "date-time"}
			case p.name == "limit":
				schema = object{"type": "integer", "minimum": 1, "maximum": apiMost, "default": apiDefault}
			case p.enum != nil:
				schema["enum"] = p.enum
			}
			params = append(params, object{"name": p.name, "in": "query", "description": p.note, "schema": schema})
		}
		responses := object{
			"200":     object{"description": "The answer.", "content": object{"application/json": object{"schema": schemaOf(e.kind, schemas)}}},
			"default": object{"description": "A problem (RFC 9457).", "content": object{"application/problem+json": object{"schema": problemRef}}},
		}
		one := object{"summary": e.summary, "operationId": operation(e.method(), e.path), "parameters": params, "responses": responses}
		if e.form != nil {
			one["requestBody"] = object{"required": true, "content": object{"application/x-www-form-urlencoded": object{"schema": formSchema(e.form)}}}
		} else {
			responses["304"] = object{"description": "The reader has it, by If-None-Match."}
		}
		paths[apiBase+e.path] = object{strings.ToLower(e.method()): one}
	}
	return object{
		"openapi": "3.1.0", "info": object{"title": "Strandline", "version": version, "description": "What is known of watched pages and how they change. Times are UTC; lists go on at next."},
		"paths": paths, "components": object{"schemas": schemas},
	}
}

// operation names an endpoint by its path.
func operation(method, path string) string {
	name := strings.NewReplacer("/", "_", "{", "by_", "}", "").Replace(strings.TrimPrefix(path, "/"))
	return strings.ToLower(method) + "_" + name
}

// formSchema describes what is sent as a form.
func formSchema(fields []param) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		one := object{"type": f.kind, "description": f.note}
		if f.enum != nil {
			one["enum"] = f.enum
		}
		properties[f.name] = one
		required = append(required, f.name)
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// schemaOf describes a Go type as encoding/json writes it. Structs become
// components.
func schemaOf(t reflect.Type, schemas object) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		return object{"anyOf": []object{schemaOf(t.Elem(), schemas), {"type": "null"}}}
	case t.Kind() == reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), schemas)}
	case t.Kind() == reflect.String:
		return object{"type": "string"}
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	case t.Kind() == reflect.Float64:
		return object{"type": "number"}
	case t.Kind() != reflect.Struct:
		return object{"type": "integer"}
	}
	name := componentName(t)
	ref := object{"$ref": "#/components/schemas/" + name}
	if _, ok := schemas[name]; ok {
		return ref
	}
	properties, required := object{}, []string{}
	schemas[name] = object{"type": "object", "properties": properties, "additionalProperties": false}
	for f := range t.Fields() {
		field, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		properties[field] = schemaOf(f.Type, schemas)
		if option != "omitempty" {
			required = append(required, field)
		}
	}
	schemas[name].(object)["required"] = required
	return ref
}

// componentName is the name of a type without package, brackets and the letters
// before it.
func componentName(t reflect.Type) string {
	name := t.Name()
	if base, arg, ok := strings.Cut(name, "["); ok {
		arg = strings.TrimSuffix(arg[strings.LastIndex(arg, ".")+1:], "]")
		name = strings.TrimPrefix(arg, "api") + strings.TrimPrefix(base, "api")
	}
	name = strings.TrimPrefix(name, "api")
	return strings.ToUpper(name[:1]) + name[1:]
}
