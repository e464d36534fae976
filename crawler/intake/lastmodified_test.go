package intake_test

import (
	"testing"
	"time"

	"github.com/strandlinehq/strandline/crawler/intake"
)

func TestLastModified(t *testing.T) {
	t.Parallel()
	fetched := time.Date(2021, 5, 1, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		header, date string
		want         string // empty: none
		valid        bool
	}{
		{"Fri, 02 Apr 2021 08:00:00 GMT", "", "2021-04-02T08:00:00Z", true},
		{"Fri, 02 Apr 2021 08:00:00 GMT", "Sat, 01 May 2021 10:00:00 GMT", "2021-04-02T08:00:00Z", true},
		{"Friday, 02-Apr-21 08:00:00 GMT", "", "2021-04-02T08:00:00Z", true},
		{"Fri Apr  2 08:00:00 2021", "", "2021-04-02T08:00:00Z", true},
		{"Sat, 01 May 2021 10:00:00 GMT", "", "2021-05-01T10:00:00Z", true}, // at the fetch
		{"Sat, 01 May 2021 10:00:01 GMT", "", "2021-05-01T10:00:01Z", false},
		{"Sat, 01 May 2021 09:59:00 GMT", "Sat, 01 May 2021 09:59:00 GMT", "2021-05-01T09:59:00Z", false}, // made on the spot
		{"Mon, 01 Jan 1990 00:00:00 GMT", "", "1990-01-01T00:00:00Z", true},
		{"Sun, 31 Dec 1989 23:59:59 GMT", "", "1989-12-31T23:59:59Z", false},
		{"Thu, 01 Jan 1970 00:00:00 GMT", "", "1970-01-01T00:00:00Z", false},
		{"yesterday", "", "", false},
		{"", "", "", false},
	} {
		at, valid := intake.LastModified(test.header, test.date, fetched)
		got := ""
		if !at.IsZero() {
			got = at.Format(time.RFC3339)
		}
		if got != test.want || valid != test.valid {
			t.Errorf("LastModified(%q, %q) = %s, %v; want %s, %v", test.header, test.date, got, valid, test.want, test.valid)
		}
	}
}
