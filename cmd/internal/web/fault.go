package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/strandlinehq/strandline/store"
)

// fault is an error that a reader is told in full.
type fault struct {
	status int
	title  string
	words  string // what happened, and what can be done
}

func (f fault) Error() string { return f.title + ": " + f.words }

func notFound(words string) error { return fault{http.StatusNotFound, "Not found", words} }

// badRequest is the reader's own mistake, such as a date that does not exist.
func badRequest(words string) error {
	return fault{http.StatusBadRequest, "This address cannot be understood", words}
}

func busy() error {
	return fault{http.StatusServiceUnavailable, "Too busy", "Too many pages are asked for at this moment. Fetching goes on and nothing is lost; try again in some seconds."}
}

// away is what readers are told while the database does not answer.
func away() fault {
	return fault{
		http.StatusServiceUnavailable, "The database does not answer",
		"Nothing that is stored is lost. While it is away no page can be shown, and fetches that are due wait, at most until their answers can be " +
			"stored; they are made as soon as it is back, and what came late is marked as late. The program tries again by itself every few seconds; so does this page.",
	}
}

// faultOf says what a reader is told of an error. What is not foreseen is told
// without its words, which stand in the log.
func faultOf(err error) fault {
	var f fault
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, store.ErrThinned):
		return fault{http.StatusGone, "Given up by retention", "The version is known, and what was measured of it stays in the history of its page; its content was given up with age, as the configuration says (retention, or the quota of a watch). Versions around it may be there still."}
	case errors.Is(err, store.ErrNotFound):
		return fault{http.StatusNotFound, "Not found", "The database has nothing under this address. It may have been mistyped, or been removed by retention."}
	case errors.Is(err, store.ErrDamaged):
		return fault{http.StatusInternalServerError, "A stored content is damaged", "What is stored does not match its hash, so it is not shown. The other versions are not touched by it; the log names the version."}
	case errors.As(err, &tooLarge):
		return fault{http.StatusRequestEntityTooLarge, "Too much", "The form is longer than any that this program has."}
	case errors.Is(err, context.DeadlineExceeded):
		return fault{http.StatusServiceUnavailable, "This took too long", "The page was not ready in time and was given up, so that fetching is not slowed down. Ask for less, such as one host or one watch, or try again later."}
	case store.Away(err):
		return away()
	}
	return fault{http.StatusInternalServerError, "Something went wrong", "This page cannot be shown. Fetching and storing go on; the log of the program says what happened."}
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && errors.Is(r.Context().Err(), context.Canceled) {
		return // the reader has gone
	}
	f := faultOf(err)
	if f.status >= http.StatusInternalServerError {
		s.log.Error("page not shown", "path", r.URL.Path, "status", f.status, "error", err)
	}
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Disposition", "Last-Modified"} {
		h.Del(name)
	}
	h.Set("Cache-Control", "no-store")
	if f.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "10")
	}
	if isAPI(r.URL.Path) {
		s.failJSON(w, r, f)
		return
	}
	if forPrograms(r.URL.Path) {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(f.status)
		_, _ = w.Write([]byte(f.title + ". " + f.words + "\n")) // the reader is gone when this fails
		return
	}
	body := struct {
		Title, Words string
		Status       int
		Refresh      bool
	}{f.title, f.words, f.status, f.status == http.StatusServiceUnavailable}
	s.write(w, r, f.status, "fault.html", f.title, body)
}

// forPrograms reports whether what stands at an address is read by programs, which
// are told of errors in plain text.
func forPrograms(path string) bool {
	for _, end := range []string{".csv", ".svg", ".atom"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	for _, start := range []string{"/feeds/", "/cdx", "/timegate/", "/timemap/", "/web/"} {
		if strings.HasPrefix(path, start) {
			return true
		}
	}
	return false
}
