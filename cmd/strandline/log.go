package main

import (
	"context"
	"io"
	"log/slog"
)

// The forms of the log on stderr, by the flag --log.
const (
	logText    = "text"
	logJSON    = "json"
	logJournal = "journal"
)

// newLogger makes the log of a command. A person sees warnings and errors; what goes to
// a file or to the journal has every step, since it is read when something went wrong.
func newLogger(form string, verbose bool, w io.Writer) *slog.Logger {
	level := slog.LevelWarn
	if form != logText {
		level = slog.LevelInfo
	}
	if verbose {
		level = slog.LevelDebug
	}
	opt := &slog.HandlerOptions{Level: level}
	switch form {
	case logJSON:
		return slog.New(slog.NewJSONHandler(w, opt))
	case logJournal:
		return slog.New(newJournal(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

// journal writes lines as systemd reads them from a service: the priority of syslog(3) in
// front, as in <4>, and no time, which the journal adds.
type journal struct {
	byPriority map[byte]slog.Handler
}

func newJournal(w io.Writer, opt *slog.HandlerOptions) journal {
	j := journal{map[byte]slog.Handler{}}
	opt.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}
	for _, p := range []byte("3467") {
		j.byPriority[p] = slog.NewTextHandler(prefixed{w, []byte{'<', p, '>'}}, opt)
	}
	return j
}

// priority is that of syslog(3): error, warning, information, debugging.
func priority(l slog.Level) byte {
	switch {
	case l >= slog.LevelError:
		return '3'
	case l >= slog.LevelWarn:
		return '4'
	case l >= slog.LevelInfo:
		return '6'
	}
	return '7'
}

// Enabled implements slog.Handler.
func (j journal) Enabled(ctx context.Context, l slog.Level) bool {
	return j.byPriority[priority(l)].Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (j journal) Handle(ctx context.Context, r slog.Record) error {
	return j.byPriority[priority(r.Level)].Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (j journal) WithAttrs(attrs []slog.Attr) slog.Handler {
	return j.each(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (j journal) WithGroup(name string) slog.Handler {
	return j.each(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (j journal) each(f func(slog.Handler) slog.Handler) journal {
	out := journal{make(map[byte]slog.Handler, len(j.byPriority))}
	for p, h := range j.byPriority {
		out.byPriority[p] = f(h)
	}
	return out
}

// prefixed puts bytes before every write, which is a line each time.
type prefixed struct {
	w      io.Writer
	prefix []byte
}

// Write implements io.Writer.
func (p prefixed) Write(line []byte) (int, error) {
	if _, err := p.w.Write(append(p.prefix[:len(p.prefix):len(p.prefix)], line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}
