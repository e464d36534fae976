package novelty

import "time"

// earliestModified is the first year that a Last-Modified may name: there was no
// HTTP before it.
const earliestModified = 1990

// LastModified reports whether the Last-Modified time of a response says anything
// about the page (SCIENCE T2). It says nothing when it is before 1990, when it is
// after the fetch (a clock that is wrong or a page of the future), or when it equals
// the response's own Date: then the server made the page on the spot. A zero
// modified or date stands for a header that is missing or is no date.
func LastModified(modified, date, fetched time.Time) bool {
	switch {
	case modified.IsZero(), modified.UTC().Year() < earliestModified:
		return false
	case modified.After(fetched):
		return false
	case !date.IsZero() && modified.Equal(date):
		return false
	}
	return true
}

// ModifiedBefore reports whether a page was, by a valid Last-Modified, last modified
// before t: the flag Modified when t is t_{k-1}.
func ModifiedBefore(t, modified, date, fetched time.Time) bool {
	return LastModified(modified, date, fetched) && modified.Before(t)
}
