package fetch

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		field, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"120", "", 2 * time.Minute},
		{" 0 ", "", 0},
		{"-5", "", 0},
		{"1.5", "", 0},
		{"soon", "", 0},
		{"99999999999999999999999", "", maxRetryAfter},
		{"9223372036854775807", "", maxRetryAfter},
		{"Tue, 01 Jul 2025 12:10:00 GMT", "", 10 * time.Minute},
		{"Tue, 01 Jul 2025 11:10:00 GMT", "", 0},
		{"Tue, 01 Jul 2025 11:10:00 GMT", "Tue, 01 Jul 2025 11:00:00 GMT", 10 * time.Minute},
		{"Tuesday, 01-Jul-25 12:10:00 GMT", "", 10 * time.Minute},
		{"Fri, 01 Jul 2095 12:10:00 GMT", "", maxRetryAfter},
	} {
		h := http.Header{"Retry-After": {tc.field}, "Date": {tc.date}}
		if got := retryAfter(h, now); got != tc.want {
			t.Errorf("Retry-After %q, Date %q: %s, want %s", tc.field, tc.date, got, tc.want)
		}
	}
}

// TestHeadEnd cuts a header into pieces at every place: the end is found all the same.
func TestHeadEnd(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\r\n"} {
		for _, before := range []string{"", "HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 100 Continue\n\n"} {
			all := before + head + "body\r\n\r\nmore"
			for i := range all {
				for _, j := range []int{i, min(i+1, len(all)), min(i+2, len(all)), len(all)} {
					r := &recorder{}
					r.start()
					r.keep([]byte(all[:i]))
					r.keep([]byte(all[i:j]))
					r.keep([]byte(all[j:]))
					if got, ok := r.take(); !ok || string(got) != head {
						t.Fatalf("%q cut at %d and %d: %q, %t", all, i, j, got, ok)
					}
				}
			}
		}
	}
	r := &recorder{}
	r.start()
	r.keep([]byte("HTTP/1.1 200 OK\r\nA: b\r\n"))
	if got, ok := r.take(); ok {
		t.Errorf("half a header was taken: %q", got)
	}
}
