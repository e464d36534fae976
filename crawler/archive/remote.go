package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/crawler/fetch"
	"github.com/strandlinehq/strandline/crawler/intake"
	"github.com/strandlinehq/strandline/crawler/warc"
	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

const (
	remoteBatch    = 64 // captures that are fetched before they are stored
	remoteTries    = 4  // for one capture, while the archive says that it is busy
	remoteFailures = 20 // captures in a row that could not be had: the archive is away
	remotePause    = time.Minute
	remoteMaxPause = 10 * time.Minute
)

// Remote asks another archive for the captures that its index names.
type Remote struct {
	// Template is the address of a raw capture, with {timestamp} (14 digits) and {url}, such as
	// https://archive.example/web/{timestamp}id_/{url}. A {url} behind a question mark is escaped.
	Template string
	// Get fetches one address, politely.
	Get func(ctx context.Context, address string) fetch.Result
	// Dir is where captures are kept until they are stored; empty means the machine's.
	Dir string
	// Clock is waited on while the archive is busy; nil means the machine's.
	Clock clock.Clock
	// Progress is called behind each entry.
	Progress func(done, total int)
	// Failed is called for each capture that could not be had, and why.
	Failed func(e cdxj.Entry, why string)
}

// RemoteReport counts what asking another archive came to. Every entry is in
// one of Fetched, Repeats, Errors, Known, Redirects, Others and Failed.
type RemoteReport struct {
	Entries   int
	Fetched   int // payloads that came
	Repeats   int // captures with the digest of one that came: not asked for again
	Errors    int // captures of error answers, of which the index tells all that is used
	Known     int // captures stored before
	Redirects int // captures of redirects, whose goal no index tells: left out
	Others    int // the archive answered with a capture of another time: left out
	Failed    int // could not be had
	// Differs counts those fetched whose bytes have another digest than the index tells: coded
	// there, or changed by the archive.
	Differs int
	Import  Report // of what was stored
}

// CheckTemplate says what is wrong with the address of a raw capture.
func CheckTemplate(template string) error {
	if !strings.Contains(template, "{timestamp}") || !strings.Contains(template, "{url}") {
		return errors.New("the address of a raw capture has to hold {timestamp} and {url}, as in https://archive.example/web/{timestamp}id_/{url}")
	}
	u, err := url.Parse(strings.NewReplacer("{timestamp}", "20000101000000", "{url}", "x").Replace(template))
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s is no address of http or https", template)
	}
	return nil
}

// ImportIndex fetches the captures of entries, which are in the order of
// cdxj.Compare, and stores them with their own times. It may be stopped at any
// time and repeated: what is stored is not fetched again. An error is returned
// when the archive seems to be away and for a database that fails; the report
// tells what was done until then.
func (r *Remote) ImportIndex(ctx context.Context, db *store.DB, reader *intake.Reader, entries []cdxj.Entry, opt ImportOptions) (RemoteReport, error) {
	h := &harvest{Remote: r, db: db, reader: reader, opt: opt, got: map[string]got{}}
	h.report.Entries = len(entries)
	h.report.Import = Report{Damage: map[warc.Kind]int{}, Mended: map[warc.Kind]int{}}
	if h.Clock == nil {
		h.Clock = clock.Real{}
	}
	for start := 0; start < len(entries); start += remoteBatch {
		batch := entries[start:min(start+remoteBatch, len(entries))]
		if err := h.batch(ctx, batch, start, len(entries)); err != nil {
			return h.report, err
		}
	}
	return h.report, nil
}

// got is a payload that came.
type got struct {
	at     time.Time
	digest warc.Digest
}

type harvest struct {
	*Remote
	db     *store.DB
	reader *intake.Reader
	opt    ImportOptions
	report RemoteReport
	row    int // failures in a row

	url   string          // of got and known
	got   map[string]got  // by the digest that the index tells
	known map[string]bool // captures stored before, by timestamp
}

// batch fetches some captures into a WARC file and stores that, which is what
// makes a capture of another archive the same as one of a file.
func (h *harvest) batch(ctx context.Context, entries []cdxj.Entry, done, total int) error {
	f, err := os.CreateTemp(h.Dir, "captures-*.warc.gz")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	out, err := warc.NewWriter(f, warc.WriterOptions{})
	if err != nil {
		return err
	}
	if _, err := out.Info("", h.Clock.Now(), nil); err != nil {
		return err
	}
	var stop error
	for i, e := range entries {
		if stop = h.entry(ctx, out, e); stop != nil {
			break
		}
		if h.Progress != nil {
			h.Progress(done+i+1, total)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// What came before the archive went away is stored all the same.
	if err := f.Close(); err != nil {
		return err
	}
	report, err := Import(ctx, h.db, h.reader, []string{f.Name()}, h.opt)
	h.report.Import.add(report)
	return cmp.Or(err, stop)
}

func (h *harvest) entry(ctx context.Context, out *warc.Writer, e cdxj.Entry) error {
	if err := h.page(ctx, e.URL); err != nil {
		return err
	}
	if h.known[stamp(e.Time)] {
		h.report.Known++
		return nil
	}
	revisit := e.MIME == "warc/revisit"
	switch {
	case e.Status >= 300 && e.Status < 400 && !revisit:
		h.report.Redirects++
		return nil
	case e.Status >= 400 && !revisit:
		h.report.Errors++
		_, err := out.Response(e.URL, e.Time, statusLine(e.Status), nil, nil)
		return err
	}
	if g, ok := h.got[e.Digest]; ok && e.Digest != "" {
		h.report.Repeats++
		_, err := out.Revisit(e.URL, e.Time, nil, g.digest, warc.Revisit{Profile: warc.ProfileIdenticalPayload, TargetURI: e.URL, Date: g.at})
		return err
	}
	res, err := h.fetch(ctx, e)
	if err != nil {
		return err
	}
	if why := failure(&res); why != "" {
		h.report.Failed++
		if h.Failed != nil {
			h.Failed(e, why)
		}
		if h.row++; h.row == remoteFailures {
			return fmt.Errorf("%d captures in a row could not be had, the last for this reason: %s; run the import again to go on", h.row, why)
		}
		return nil
	}
	h.row = 0
	if at, err := http.ParseTime(res.Header.Get("Memento-Datetime")); err == nil && !at.Equal(e.Time) {
		h.report.Others++
		return nil
	}
	h.report.Fetched++
	digest := warc.SumDigest("sha1", res.Body)
	if want, err := warc.ParseDigest(withAlgorithm(e.Digest)); err == nil && want.Algo == "sha1" && !slices.Equal(want.Sum, digest.Sum) {
		h.report.Differs++
	}
	if e.Digest != "" {
		h.got[e.Digest] = got{e.Time, digest}
	}
	var extra warc.Header
	if res.Truncated {
		extra = warc.Header{{Name: "WARC-Truncated", Value: "length"}}
	}
	_, err = out.Response(e.URL, e.Time, archivedHead(&res), res.Body, extra)
	return err
}

// page makes ready for the captures of a URL.
func (h *harvest) page(ctx context.Context, address string) error {
	if h.url == address && h.known != nil {
		return nil
	}
	h.url, h.known = address, map[string]bool{}
	clear(h.got)
	name, err := h.reader.Canonical(address)
	if err != nil {
		return nil // the import of what comes says so
	}
	page, err := h.db.PageByURL(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.db.EachMemento(ctx, []store.PageID{page.ID}, time.Time{}, time.Time{}, false, func(m store.Memento) error {
		h.known[stamp(m.At)] = true
		return nil
	})
}

// fetch asks for one capture, and waits while the archive says that it is busy.
func (h *harvest) fetch(ctx context.Context, e cdxj.Entry) (fetch.Result, error) {
	address := h.address(e)
	for try := 1; ; try++ {
		res := h.Get(ctx, address)
		if ctx.Err() != nil {
			return res, ctx.Err()
		}
		busy := res.Kind == fetch.Skipped || res.Status == http.StatusTooManyRequests || res.Status == http.StatusServiceUnavailable
		if !busy || try == remoteTries {
			return res, nil
		}
		pause := cmp.Or(res.RetryAfter, remotePause)
		if !res.RetryAt.IsZero() {
			pause = res.RetryAt.Sub(h.Clock.Now())
		}
		if err := clock.Sleep(ctx, h.Clock, min(max(pause, time.Second), remoteMaxPause)); err != nil {
			return res, err
		}
	}
}

// address is where the raw capture of e is.
func (h *harvest) address(e cdxj.Entry) string {
	before, _, _ := strings.Cut(h.Template, "{url}")
	name, _, _ := strings.Cut(e.URL, "#")
	if strings.Contains(before, "?") {
		name = url.QueryEscape(name)
	}
	return strings.NewReplacer("{timestamp}", stamp(e.Time), "{url}", name).Replace(h.Template)
}

func stamp(t time.Time) string { return t.UTC().Format(cdxj.TimeLayout) }

// failure says why a result holds no capture. What the judge of pages makes of
// the content does not count here: the import judges with the page's past.
func failure(res *fetch.Result) string {
	if res.Status >= 200 && res.Status < 300 && (res.Kind == fetch.Content || len(res.Body) > 0) {
		return ""
	}
	if res.Text != "" {
		return fmt.Sprintf("%s (%s)", res.Text, res.Reason)
	}
	return fmt.Sprintf("status %d (%s)", res.Status, cmp.Or(string(res.Reason), string(res.Kind)))
}

// withAlgorithm names the algorithm where an index tells the bare digest.
func withAlgorithm(digest string) string {
	if digest == "" || strings.Contains(digest, ":") {
		return digest
	}
	return "sha1:" + digest
}

func (r *Report) add(o Report) {
	r.Records += o.Records
	r.Captures += o.Captures
	r.New += o.New
	r.Changed += o.Changed
	r.Same += o.Same
	r.Failed += o.Failed
	r.Stored += o.Stored
	r.Completed += o.Completed
	r.Skipped += o.Skipped
	r.Bytes += o.Bytes
	for kind, n := range o.Damage {
		r.Damage[kind] += n
	}
	for kind, n := range o.Mended {
		r.Mended[kind] += n
	}
}
