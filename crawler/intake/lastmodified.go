package intake

import (
	"net/http"
	"time"
)

// earliestModified is the first year that a Last-Modified may name: there was no
// HTTP before it.
const earliestModified = 1990

// LastModified reads the header of that name and reports whether it may be trusted
// (SCIENCE T2): not before 1990, not after the fetch, and not the moment of the
// answer itself, which is what a server says that makes the page on the spot. A
// header that is no date gives the zero time.
func LastModified(header, date string, fetched time.Time) (at time.Time, valid bool) {
	at, err := http.ParseTime(header)
	if err != nil {
		return time.Time{}, false
	}
	at = at.UTC()
	answered, err := http.ParseTime(date)
	switch {
	case at.Year() < 1, at.Year() > 9999:
		return time.Time{}, false
	case at.Year() < earliestModified, at.After(fetched), err == nil && at.Equal(answered):
		return at, false
	}
	return at, true
}
