package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/monitor/sample"
)

// visitLog reads a log of visits, a line at a time: once to count, in memory that
// does not grow with the log, and once for the addresses of the pages drawn.
type visitLog struct {
	path   string
	former *canonical.Former
	rows   int
	bad    int
	faults []string // the first ones
}

// maxFaults is how many bad lines are named.
const maxFaults = 20

// count reads the log and gives its pages to a Drawer.
func (l *visitLog) count(ctx context.Context, opt sample.Options) (d *sample.Drawer, err error) {
	counter := sample.NewCounter(sample.CounterOptions{Spool: newSpool})
	defer func() { err = errors.Join(err, counter.Close()) }()
	err = l.each(ctx, func(url, user string, at int64) error {
		return counter.Add(sample.Visit{Page: sample.Hash(url), User: sample.Hash(user), At: at})
	})
	if err != nil {
		return nil, err
	}
	d = sample.NewDrawer(opt)
	for s := range counter.Pages() {
		d.Add(s)
	}
	return d, counter.Err()
}

// find gives the addresses of pages.
func (l *visitLog) find(ctx context.Context, pages []uint64) (map[uint64]string, error) {
	again := visitLog{path: l.path, former: l.former}
	urls := make(map[uint64]string, len(pages))
	for _, p := range pages {
		urls[p] = ""
	}
	err := again.each(ctx, func(url, _ string, _ int64) error {
		page := sample.Hash(url)
		if known, wanted := urls[page]; wanted && known == "" {
			urls[page] = strings.Clone(url)
		}
		return nil
	})
	return urls, err
}

// each calls f with every good row. Bad lines are counted.
func (l *visitLog) each(ctx context.Context, f func(url, user string, at int64) error) error {
	file, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return l.read(ctx, file, f)
}

func (l *visitLog) read(ctx context.Context, from io.Reader, f func(url, user string, at int64) error) error {
	r := bufio.NewReaderSize(from, maxLine)
	columns := [3]int{0, 1, 2}
	for line := 1; ; line++ {
		text, err := nextLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("%s: %w", l.path, err)
		}
		if line&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var row []string
		if err == nil {
			row, err = splitRow(string(text))
		}
		if err != nil {
			l.fault(line, err)
			continue
		}
		if line == 1 {
			row[0] = strings.TrimPrefix(row[0], "\ufeff")
			if named, ok := header(row); ok {
				columns = named
				continue
			}
		}
		url, user, at, err := l.row(row, columns)
		if err != nil {
			l.fault(line, err)
			continue
		}
		l.rows++
		if err := f(url, user, at); err != nil {
			return err
		}
	}
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 10

var errLongLine = fmt.Errorf("line of more than %d bytes", maxLine)

// nextLine returns a line, which is valid until the next call. One that is too
// long is passed over.
func nextLine(r *bufio.Reader) ([]byte, error) {
	text, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		return nil, errLongLine
	case errors.Is(err, io.EOF) && len(text) > 0:
		return text, nil
	}
	return text, err
}

// splitRow cuts a line. No cell of this log holds a line end, so that a quote that
// is not closed spoils its own line only.
func splitRow(line string) ([]string, error) {
	if !strings.Contains(line, `"`) {
		return strings.Split(strings.TrimRight(line, "\r\n"), ","), nil
	}
	row, err := csv.NewReader(strings.NewReader(line)).Read()
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		return nil, broken.Err
	}
	return row, err
}

// header tells whether the first row names the columns, and where they are.
func header(row []string) (columns [3]int, ok bool) {
	for i, name := range [...]string{"url", "user", "time"} {
		columns[i] = slices.IndexFunc(row, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), name) })
		if columns[i] < 0 {
			return columns, false
		}
	}
	return columns, true
}

func (l *visitLog) row(row []string, columns [3]int) (url, user string, at int64, err error) {
	if len(row) <= slices.Max(columns[:]) {
		return "", "", 0, fmt.Errorf("%d columns, want url, user and time", len(row))
	}
	if url, err = l.former.URL("", strings.TrimSpace(row[columns[0]])); err != nil {
		return "", "", 0, err
	}
	if user = strings.TrimSpace(row[columns[1]]); user == "" {
		return "", "", 0, errors.New("no user")
	}
	at, err = visitTime(strings.TrimSpace(row[columns[2]]))
	return url, user, at, err
}

// visitTime reads a time as RFC 3339, without zone (taken as UTC), or as seconds
// since 1970.
func visitTime(s string) (int64, error) {
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1e12 {
		return int64(math.Floor(x)), nil
	}
	for _, layout := range [...]string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix(), nil
		}
	}
	return 0, fmt.Errorf("time %q is neither as 2006-01-02T15:04:05Z nor in seconds since 1970", s)
}

func (l *visitLog) fault(line int, err error) {
	if l.bad++; l.bad <= maxFaults {
		l.faults = append(l.faults, fmt.Sprintf("%s:%d: %v", l.path, line, err))
	}
}

// report tells what was left out.
func (l *visitLog) report(w io.Writer) {
	for _, f := range l.faults {
		fmt.Fprintln(w, f)
	}
	if more := l.bad - len(l.faults); more > 0 {
		fmt.Fprintf(w, "%d more bad lines\n", more)
	}
	fmt.Fprintf(w, "%d visits, %d bad lines\n", l.rows, l.bad)
}

// spoolFile is a temporary file that is removed when it is closed.
type spoolFile struct{ *os.File }

func newSpool() (sample.Spool, error) {
	f, err := os.CreateTemp("", "strandline-visits-")
	if err != nil {
		return nil, err
	}
	return spoolFile{f}, nil
}

// Close closes and removes the file.
func (f spoolFile) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }
