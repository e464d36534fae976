package warc

import (
	"fmt"
	"strings"
	"time"
)

// ParseDate reads a WARC-Date: the W3C profile of ISO 8601 with 0 to 9 digits
// of a second (WARC/1.1, section 5.4), shortened down to the year, and what is
// found in older files: a zone other than Z, a space for the T, no zone (taken
// as UTC), the 14 digits of CDX. The result is in UTC.
func ParseDate(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339, // takes fractions of any length
		"20060102150405",
		"2006-01-02T15:04:05",
		"2006-01-02 15:04:05Z07:00",
		"2006-01-02 15:04:05",
		"2006-01-02T15:04:05-0700",
		"2006-01-02T15:04Z07:00",
		"2006-01-02T15Z07:00",
		"2006-01-02",
		"2006-01",
		"2006",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			// A zone can carry a date out of the four-digit years.
			if t = t.UTC(); t.Year() >= 0 && t.Year() <= 9999 {
				return t, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("unreadable date %s", show([]byte(s)))
}

// FormatDate writes a WARC-Date in UTC: whole seconds, or microseconds where t
// has them. Finer parts are cut off.
func FormatDate(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond()/1000 != 0 {
		return t.Format("2006-01-02T15:04:05.000000Z")
	}
	return t.Format("2006-01-02T15:04:05Z")
}
