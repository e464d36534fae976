package feed

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	at := func(h, m, s int) time.Time { return time.Date(2024, 7, 1, h, m, s, 0, time.UTC) }
	day := at(0, 0, 0)
	for in, want := range map[string]time.Time{
		// RFC 822, 1123, 850 and asctime.
		"Mon, 01 Jul 2024 10:30:15 GMT":      at(10, 30, 15),
		"Mon, 01 Jul 2024 10:30:15 +0200":    at(8, 30, 15),
		"Mon, 1 Jul 2024 10:30:15 -0430":     at(15, 0, 15),
		"01 Jul 24 10:30 EST":                at(15, 30, 0),
		"Monday, 01-Jul-24 10:30:15 GMT":     at(10, 30, 15),
		"Monday, 01-Jul-2024 10:30:15 -0100": at(11, 30, 15),
		"Mon Jul  1 10:30:15 2024":           at(10, 30, 15),
		"Mon Jul  1 10:30:15 CEST 2024":      at(8, 30, 15),
		// Liberties.
		" mon,01 JULY 2024 10:30:15 gmt ":  at(10, 30, 15),
		"Tue, 01 Jul 2024 10:30:15 GMT":    at(10, 30, 15), // not the right weekday
		"Montag, 1 Jul 2024 10:30":         at(10, 30, 0),
		"1 Jul 2024":                       day,
		"July 1, 2024":                     day,
		"July 1, 2024 10:30":               at(10, 30, 0),
		"Mon, 01 Jul 2024 10:30:15 +02:00": at(8, 30, 15),
		"Mon, 01 Jul 2024 10:30:15 XYZ":    at(10, 30, 15),
		"Mon, 01 Jul 2024 9:05 PDT":        at(16, 5, 0),
		"Sun, 30 Jun 2024 24:00:00 GMT":    day,
		"Mon, 01 Jul 2024 10:30:15.250 Z":  at(10, 30, 15),
		"Wed, 01 Jul 70 00:00:00 GMT":      time.Date(1970, 7, 1, 0, 0, 0, 0, time.UTC),
		"Mon, 01 Jul 69 00:00:00 GMT":      time.Date(2069, 7, 1, 0, 0, 0, 0, time.UTC),
		"2 Sept 2024 10:30 IST":            time.Date(2024, 9, 2, 5, 0, 0, 0, time.UTC),
		// RFC 3339 and near it.
		"2024-07-01T10:30:15Z":         at(10, 30, 15),
		"2024-07-01t10:30:15z":         at(10, 30, 15),
		"2024-07-01T10:30:15+02:00":    at(8, 30, 15),
		"2024-07-01T10:30:15.999+0200": time.Date(2024, 7, 1, 8, 30, 15, 999e6, time.UTC),
		"2024-07-01T10:30:15":          at(10, 30, 15),
		"2024-07-01T10:30":             at(10, 30, 0),
		"2024-07-01 10:30:15":          at(10, 30, 15),
		"2024-07-01 10:30:15 +0200":    at(8, 30, 15),
		"2024-07-01 10:30:15 UTC":      at(10, 30, 15),
		"2024-07-01":                   day,
		"2024-07":                      day,
		// Nothing.
		"": {}, "yesterday": {}, "0000-00-00": {}, "32 Jul 2024": {}, "31 Jun 2024": {}, "1 Jul": {}, "Jul 2024": {}, "01/07/2024": {},
		"1 Jul 2024 25:00": {}, "1 Jul 2024 10:60": {}, "1 Jul 2024 1:2:3:4": {}, "1720000000": {}, "2024-02-30": {}, "-": {}, "+": {}, ":": {}, "1--": {},
		strings.Repeat("1 Jul 2024 ", 9): {},
	} {
		if got := parseTime(in); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("parseTime(%q) = %v, want %v", in, got, want)
		}
	}
}

// Every time comes back from each standard form, to its precision.
func TestTimeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-12*60, 14*60).Draw(t, "zone"))
		at := time.Unix(rapid.Int64Range(2*86400, 3_000_000_000).Draw(t, "seconds"), 0).In(zone)
		for _, layout := range []string{time.RFC1123Z, time.RFC3339, "2 Jan 2006 15:04:05 -0700", "Monday, 02-Jan-06 15:04:05 -0700", "2006-01-02 15:04:05 -0700"} {
			if got := parseTime(at.Format(layout)); !got.Equal(at) {
				t.Fatalf("parseTime(%q) = %v, want %v", at.Format(layout), got, at)
			}
		}
	})
}

func FuzzParseTime(f *testing.F) {
	f.Add("Mon, 01 Jul 2024 10:30:15 +0200")
	f.Add("2024-07-01T10:30:15.5Z")
	f.Add("01-Jul-24 24:00 EST")
	f.Fuzz(func(t *testing.T, s string) {
		got := parseTime(s)
		if got.IsZero() {
			return
		}
		if again := parseTime(got.Format(time.RFC3339Nano)); got.Year() >= 1000 && got.Year() < 10_000 && !again.Equal(got) {
			t.Errorf("parseTime(%q) = %v, then %v", s, got, again)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, doc := range []string{rss2, atom, rdf, jsonFeed, "<rss><channel><item><link>http://a.example/", `{"items":[{"id":"http://a.example/"}`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Parse(strings.NewReader(string(in)), base, Options{MaxEntries: 10, MaxBytes: 1 << 16})
		if got == nil || len(got.Entries) > 10 || err == nil && got.Format == "" {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, e := range got.Entries {
			if !strings.HasPrefix(e.URL, "http") || e.ID == "" || strings.ContainsAny(e.Title, "\n\t") {
				t.Errorf("entry %+v", e)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.SetBytes(int64(len(rss2)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(strings.NewReader(rss2), base, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
