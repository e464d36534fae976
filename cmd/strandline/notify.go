package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/notify"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/monitor/ignore"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// notifyCmd holds the commands on messages.
type notifyCmd struct {
	Test  notifyTestCmd  `cmd:"" help:"Send a test message to a target now, and say what became of it."`
	Retry notifyRetryCmd `cmd:"" help:"Have messages that were given up tried again."`
}

type notifyTestCmd struct {
	Target string `arg:"" help:"Name of the target."`
}

// Run makes one attempt and does not use the outbox: a test that comes later is none.
func (c *notifyTestCmd) Run(ctx context.Context, a *app) error {
	config, err := a.config()
	if err != nil {
		return err
	}
	var names []string
	for i := range config.Targets {
		t := &config.Targets[i]
		names = append(names, string(t.Name))
		if string(t.Name) != c.Target {
			continue
		}
		target, err := buildTarget(t, config.Crawler.UserAgent)
		if err != nil {
			return usagef("target %s: %w", t.Name, err)
		}
		now := time.Now()
		m := notice.Message{
			ID: notice.ID(notice.KindTest, now, rand.Text()), Kind: notice.KindTest, At: now, Source: "strandline notify test", Title: "Test message of Strandline",
			Note: "Somebody asked whether the target " + c.Target + " works. It does.", Link: baseURL(config),
		}
		out, err := notify.Outgoing(m, nil)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		if err := target.Send(ctx, now, store.Notification{
			ID: m.ID, Target: c.Target, Kind: m.Kind, Source: m.Source, Title: out.Title, Payload: out.Payload, Created: now, Attempt: 1,
		}); err != nil {
			return fmt.Errorf("target %s: %w", c.Target, err)
		}
		fmt.Fprintf(a.stdout, "target %s took the test message %s\n", c.Target, m.ID)
		return nil
	}
	if len(names) == 0 {
		return usagef("the configuration has no targets")
	}
	return usagef("no target is called %q; the configuration has %s", c.Target, strings.Join(names, ", "))
}

type notifyRetryCmd struct {
	Target string `arg:"" optional:"" help:"Name of the target; default all."`
}

// Run revives dead messages; a running daemon sends them.
func (c *notifyRetryCmd) Run(ctx context.Context, a *app) error {
	o, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	n, err := o.ReviveOutbox(ctx, c.Target, time.Now())
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s to be tried again\n", plural(n, "message"))
	return nil
}

// buildTargets makes the targets of a configuration, reading their secrets. The error has every
// target that cannot be made, with its place.
func buildTargets(c *configs.Config) (map[string]notify.Target, error) {
	out := make(map[string]notify.Target, len(c.Targets))
	var faults configs.Errors
	for i := range c.Targets {
		t, err := buildTarget(&c.Targets[i], c.Crawler.UserAgent)
		var fault targetFault
		switch {
		case errors.As(err, &fault):
			faults = append(faults, c.Fault(fmt.Sprintf("targets[%d].%s", i, fault.key), fault.err.Error(), ""))
		case err != nil:
			return nil, err
		}
		out[string(c.Targets[i].Name)] = t
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return out, nil
}

// virtualTargets stand in for the targets where time is not the machine's: what
// happens there is no news, so nothing leaves the machine and no secret is read.
// Files stay what they are; for all others there is one file in the state directory.
func virtualTargets(c *configs.Config, stateDir string) map[string]notify.Target {
	out := make(map[string]notify.Target, len(c.Targets))
	for _, t := range c.Targets {
		file := string(t.File)
		if file == "" {
			file = filepath.Join(stateDir, "messages.ndjson")
		}
		out[string(t.Name)] = notify.NewFile(file)
	}
	return out
}

// targetFault is what a key of a target has against it.
type targetFault struct {
	key string
	err error
}

func (f targetFault) Error() string { return f.key + ": " + f.err.Error() }
func (f targetFault) Unwrap() error { return f.err }

// buildTarget makes a target; its error is a targetFault.
func buildTarget(t *configs.Target, agent string) (notify.Target, error) {
	target, key, err := makeTarget(t, agent, os.Getenv("CREDENTIALS_DIRECTORY"))
	if err != nil {
		return nil, targetFault{key, err}
	}
	return target, nil
}

// makeTarget makes a target, or gives the key that is at fault.
func makeTarget(t *configs.Target, agent, credentials string) (target notify.Target, key string, err error) {
	switch {
	case t.File != "":
		dir := filepath.Dir(string(t.File))
		if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, "file", fmt.Errorf("the folder %s is not there: make it, or correct the path", dir)
		} else if err == nil && !info.IsDir() {
			return nil, "file", fmt.Errorf("%s is not a folder", dir)
		}
		return notify.NewFile(string(t.File)), "", nil
	case len(t.Exec) > 0:
		return notify.NewProgram(t.Exec), "exec[0]", checkProgram(t.Exec[0])
	case t.Webhook != nil:
		var secret configs.Secret
		if t.Webhook.SecretFile != "" {
			if secret, err = t.Webhook.SecretFile.Read(credentials); err != nil {
				return nil, "webhook.secret_file", err
			}
		}
		target, err = notify.NewWebhook(t.Webhook.URL.Reveal(), secret.Reveal(), agent, t.Webhook.Private)
		return target, "webhook", err
	case t.URLFile != "":
		secret, err := t.URLFile.Read(credentials)
		if err != nil {
			return nil, "url_file", err
		}
		target, err = notify.NewService(strings.TrimSpace(secret.Reveal()))
		return target, "url_file", err
	case t.URL != "":
		target, err = notify.NewService(t.URL.Reveal())
		return target, "url", err
	}
	return nil, "name", errors.New("says not where messages go")
}

func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no program %s: install it, or correct the path", path)
	case err != nil:
		return err
	case info.IsDir() || info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%s is not a program: run chmod +x %s", path, path)
	}
	return nil
}

// tellingWatches translates the watches that tell somebody, by the ids that the store gave.
func tellingWatches(c *configs.Config, rows []store.WatchRow) ([]notify.Watch, error) {
	ids := make(map[string]int32, len(rows))
	for _, row := range rows {
		ids[row.Name] = row.ID
	}
	var out []notify.Watch
	for i := range c.Watches {
		w := &c.Watches[i]
		id, ok := ids[string(w.Name)]
		if w.Notify == nil || !ok {
			continue
		}
		rules, err := ignore.Compile(ruleTexts(w.Ignore))
		if err != nil {
			return nil, usagef("watch %s: %w", w.Name, err)
		}
		n := notify.Watch{
			ID: id, Name: string(w.Name), To: targetNames(w.Notify.To), Ignore: rules, FlapStates: w.Notify.FlapStates, Failures: w.Notify.Failures,
			Expect: w.ExpectChangeWithin.Std(),
		}
		if when := w.Notify.When; when != nil {
			n.Rule = notice.Rule{DiceBelow: when.DiceBelow, Significance: when.Significance, Added: when.AddedMatches.Regexp(), Removed: when.RemovedMatches.Regexp()}
		}
		if !w.Notify.Digest.IsZero() {
			n.Digest = w.Notify.Digest.Next
		}
		out = append(out, n)
	}
	return out, nil
}

func targetNames(names []configs.Name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

// baseURL is where people reach the web pages, without a slash at its end.
func baseURL(c *configs.Config) string {
	if c.HTTP.BaseURL != "" {
		return strings.TrimRight(string(c.HTTP.BaseURL), "/")
	}
	host, port, err := net.SplitHostPort(c.HTTP.Listen)
	if err != nil || port == "0" {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
