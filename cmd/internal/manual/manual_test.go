package manual_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/strandlinehq/strandline/cmd/internal/manual"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/internal/need"
)

// line is a command line with all that completions and manual have to show.
type line struct {
	Config string `help:"It's a \"file\": [any] $one." placeholder:"FILE" short:"c"`
	Form   string `help:"Form." enum:"text,json" default:"text"`
	Run    struct {
		Speed float64 `help:"How fast." default:"1"`
	} `cmd:"" help:"The daemon: runs."`
	DB struct {
		Check   struct{} `cmd:"" help:"Check it."`
		Migrate struct {
			To string `arg:"" help:".starts like a request, and \\ has one."`
		} `cmd:"" help:"Move it."`
	} `cmd:"" name:"db" help:"Schema."`
	Secret struct{} `cmd:"" hidden:"" help:"Not shown."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&line{}, kong.Name("strandline"), kong.Description("Watches the web."))
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

// TestCompletions has each shell that is installed read its completions, and bash complete.
func TestCompletions(t *testing.T) {
	t.Parallel()
	for _, shell := range manual.Shells() {
		var b bytes.Buffer
		if err := manual.Completion(&b, model(t), shell); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"run", "migrate", "speed", "text json"} {
			if !strings.Contains(b.String(), want) && !(shell == "zsh" && want == "text json") {
				t.Errorf("%s: no %q", shell, want)
			}
		}
		if strings.Contains(b.String(), "ecret") {
			t.Errorf("%s shows a hidden command", shell)
		}
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed: its completions are not read", shell)
			continue
		}
		c := exec.CommandContext(t.Context(), shell, "-n")
		if shell == "fish" {
			c = exec.CommandContext(t.Context(), shell, "--no-config", "--no-execute", "/dev/stdin")
		}
		c.Stdin = &b
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
	if err := manual.Completion(&bytes.Buffer{}, model(t), "cmd.exe"); err == nil {
		t.Error("completions for an unknown shell")
	}
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	need.Program(t, "bash")
	var b bytes.Buffer
	if err := manual.Completion(&b, model(t), "bash"); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"strandline '' ":         "run db --config --form --help",
		"strandline r":           "run",
		"strandline db ''":       "check migrate --config --form --help",
		"strandline db m":        "migrate",
		"strandline --form ''":   "text json",
		"strandline run --sp":    "--speed",
		"strandline run --spx":   "",
		"strandline db check --": "--config --form --help",
	} {
		script := b.String() + "\nCOMP_WORDS=(" + typed + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _strandline; echo \"${COMPREPLY[*]}\""
		out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
		got := strings.Fields(string(out))
		if err != nil || !sameWords(got, strings.Fields(want)) {
			t.Errorf("%s: %q, %v, want %s", typed, got, err, want)
		}
	}
}

func sameWords(a, b []string) bool {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	for _, w := range b {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestManPages looks for every command and key, and has man read the pages where it is installed.
func TestManPages(t *testing.T) {
	t.Parallel()
	var one, five bytes.Buffer
	if err := manual.Man(&one, model(t), "1.0"); err != nil {
		t.Fatal(err)
	}
	if err := manual.ConfigMan(&five, configs.Schema(), configs.Minimal(), "1.0"); err != nil {
		t.Fatal(err)
	}
	for page, wants := range map[*bytes.Buffer][]string{
		&one:  {".SS run", ".SS db migrate <to>", `\-\-speed=1`, `\&.starts like a request, and \e has one.`, `\-c, \-\-config=FILE`},
		&five: {`\fBstate_dir\fR`, ".SS watches[]", ".SS crawler.host", `\fBmin_free\fR`, "Default: 1GiB.", ".SS watches[].schedule", "Default: @hourly."},
	} {
		for _, want := range wants {
			if !strings.Contains(page.String(), want) {
				t.Errorf("no %q in the page that begins %.60s", want, page)
			}
		}
	}
	need.Program(t, "man")
	for _, page := range []*bytes.Buffer{&one, &five} {
		c := exec.CommandContext(t.Context(), "man", "--warnings", "--local-file", "-")
		c.Stdin = page
		c.Env = append(c.Environ(), "LC_ALL=C.UTF-8", "MANROFFSEQ=", "MANWIDTH=80")
		var wrong bytes.Buffer
		c.Stderr = &wrong
		if out, err := c.Output(); err != nil || wrong.Len() > 0 || len(out) < 200 {
			t.Errorf("man: %v\n%s%.200s", err, wrong.String(), out)
		}
	}
}
