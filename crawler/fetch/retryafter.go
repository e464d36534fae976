package fetch

import (
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter keeps sums of times in range; the gate has a limit of its own.
const maxRetryAfter = 365 * 24 * time.Hour

// parseRetryAfter reads Retry-After. A date is compared with the answer's own date if it has one,
// since the clock of the host may be wrong, or not be ours.
func parseRetryAfter(field, date string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(field, 10, 63); err == nil {
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
