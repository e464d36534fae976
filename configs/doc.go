// Package configs holds the configuration of Strandline: the YAML schema as Go types, the defaults, strict loading
// and validation, the sample files and the JSON Schema for editors.
//
// [Load] reads one file and the folder watches.d beside it and gives a [Config] in which every value is set, or
// [Errors], the list of everything that is wrong. Each [Error] names file, line, column, key, the value found and
// the values allowed, so that one run of "strandline check" is enough to mend a file.
//
// The file is decoded from the parsed YAML tree by the small reflecting decoder of this package and not by the YAML
// library's own: the library knows line and column of a fault but not the key it belongs to, nor which keys were
// written by the user. The second is what [Config.Given] and the position of a cross-file fault need.
//
// Limits of single values (minimum, maximum, enum) stand in the jsonschema tag of the field, so the loader and the
// generated schema cannot disagree. What concerns several values of one section is in that section's check method;
// what concerns several sections or files (names taken twice, unknown targets) is in link.go.
//
// Left out: reading secrets before they are needed ([SecretFile.Read] does it then), any environment variable, the
// time zone database (a program that runs where none is installed imports time/tzdata), and all behaviour of the
// things configured. No package of ours is imported here, and only cmd imports this one.
package configs
