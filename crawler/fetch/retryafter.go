package fetch

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter keeps sums of times in range; the gate has a limit of its own.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter reads the header field: seconds, or a date (RFC 9110 section 10.2.3). What cannot be
// read, or has passed, is zero.
func retryAfter(h http.Header, now time.Time) time.Duration {
	field := strings.TrimSpace(h.Get("Retry-After"))
	if field == "" {
		return 0
	}
	return parseRetryAfter(field, h.Get("Date"), now)
}

// parseRetryAfter reads Retry-After. A date is compared with the answer's own date if it has one,
// since the clock of the host may be wrong, or not be ours.
func parseRetryAfter(field, date string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(field, 10, 63); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	until, err := http.ParseTime(field)
	if err != nil {
		return 0
	}
	if d, err := http.ParseTime(date); err == nil {
		now = d
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}
