package configs

import _ "embed"

//go:embed example.yaml
var example string

//go:embed minimal.yaml
var minimal string

//go:embed schema.json
var schema string

// Example gives the sample configuration that shows every key.
func Example() string { return example }

// Minimal gives the shortest configuration that watches a page.
func Minimal() string { return minimal }

// Schema gives the JSON Schema of the configuration, for editors.
func Schema() string { return schema }
