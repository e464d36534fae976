package main

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoinQueries(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	const query = "-- Which?\nselect 1"
	for _, test := range []struct {
		name       string
		args, want []string
	}{
		{"short", []string{"sql", "-c", query}, []string{"sql", "--command=" + query}},
		{"long, between flags", []string{"-v", "--config", "f.yaml", "sql", "--command", query, "--csv"}, []string{"-v", "--config", "f.yaml", "sql", "--command=" + query, "--csv"}},
		{"two queries", []string{"sql", "-c", query, "-c", "-c"}, []string{"sql", "--command=" + query, "--command=-c"}},
		{"a value that is the flag", []string{"sql", "--config", "-c", "-c", query}, []string{"sql", "--config", "-c", "--command=" + query}},
		{"a value that is the command", []string{"--config", "sql", "check", "-c", "x"}, []string{"--config", "sql", "check", "-c", "x"}},
		{"no query", []string{"--json", "sql", "-c"}, []string{"--json", "sql", "-c"}},
		{"another command", []string{"search", "sql", "-c", "x"}, []string{"search", "sql", "-c", "x"}},
		{"behind the end of flags", []string{"sql", "--", "-c", "x"}, []string{"sql", "--", "-c", "x"}},
		{"nothing", []string{}, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, joinQueries(parser.Model, test.args)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
