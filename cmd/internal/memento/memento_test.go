package memento

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestParseAcceptDatetime(t *testing.T) {
	t.Parallel()
	want := time.Date(2007, 5, 31, 20, 35, 0, 0, time.UTC)
	if got, err := ParseAcceptDatetime(" Thu, 31 May 2007 20:35:00 GMT "); err != nil || !got.Equal(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{
		"", "Thu, 31 May 2007 20:35:00", "Thu, 31 May 2007 20:35:00 UTC", "Thu, 31 May 2007 20:35:00 +0000", "Fri, 31 May 2007 20:35:00 GMT",
		"Thu, 31 Feb 2007 20:35:00 GMT", "Thu, 31 May 07 20:35:00 GMT", "Thu, 31 May 2007 24:35:00 GMT", "2007-05-31T20:35:00Z", "Thursday, 31-May-07 20:35:00 GMT",
		"Thu, 1 Mar 2007 20:35:00 GMT", strings.Repeat("x", 1e5),
	} {
		if got, err := ParseAcceptDatetime(bad); err == nil {
			t.Errorf("%.60q is %v", bad, got)
		}
	}
}

func TestParseStamp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, from, to string }{
		{"2020", "20200101000000", "20210101000000"},
		{"202002", "20200201000000", "20200301000000"},
		{"20200229", "20200229000000", "20200301000000"},
		{"2020123123", "20201231230000", "20210101000000"},
		{"202012312359", "20201231235900", "20210101000000"},
		{"20201231235959", "20201231235959", "20210101000000"},
	} {
		from, to, err := ParseStamp(tt.in)
		if err != nil || Stamp(from) != tt.from || Stamp(to) != tt.to {
			t.Errorf("%s: %v to %v, %v", tt.in, from, to, err)
		}
	}
	for _, bad := range []string{"", "20", "202", "20201", "20210229", "202013", "20200101240000", "2020010100000000", "-202", "２０２０", "20200101t00000"} {
		if from, _, err := ParseStamp(bad); err == nil {
			t.Errorf("%q is %v", bad, from)
		}
	}
}

func TestTargetURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rest, query, want string }{
		{"http://example.com/", "", "http://example.com/"},
		{"http:/example.com/a", "", "http://example.com/a"},
		{"HTTPS://example.com/a%20b%2Fc", "q=%22&r=a+b", "https://example.com/a%20b%2Fc?q=%22&r=a+b"},
		{"http%3A%2F%2Fexample.com%2Fa%2520b%3Fq%3D1", "", "http://example.com/a%20b?q=1"},
		{"example.com/x", "y", "http://example.com/x?y"},
		{"example.com:8080/x", "", "http://example.com:8080/x"},
		{"http://example.com/go?to=http://other.test/", "", "http://example.com/go?to=http://other.test/"},
	} {
		if got, err := TargetURL(tt.rest, tt.query); err != nil || got != tt.want {
			t.Errorf("%s ? %s: %q, %v, want %q", tt.rest, tt.query, got, err, tt.want)
		}
	}
	for _, bad := range []string{"", "/", "http://", "https:///", "mailto:x@example.com", "javascript:alert(1)", "ftp://example.com/", "http%3A%2F%2Fx%zz", strings.Repeat("x", MaxURL+1)} {
		if got, err := TargetURL(bad, ""); err == nil {
			t.Errorf("%.40q is %.40q", bad, got)
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	at := time.Date(2007, 5, 31, 20, 35, 0, 0, time.UTC)
	got := Join([]Link{
		{URI: "http://example.com/?a=\">,<x\r\ny", Rel: "original"},
		{URI: "http://l/timemap", Rel: "timemap", Type: "application/link-format", From: at, Until: at.Add(time.Hour)},
		{URI: "http://l/web", Rel: "memento", At: at},
	}, ", ")
	const want = `<http://example.com/?a=%22%3E,%3Cx%0D%0Ay>; rel="original", ` +
		`<http://l/timemap>; rel="timemap"; type="application/link-format"; from="Thu, 31 May 2007 20:35:00 GMT"; until="Thu, 31 May 2007 21:35:00 GMT", ` +
		`<http://l/web>; rel="memento"; datetime="Thu, 31 May 2007 20:35:00 GMT"`
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

func FuzzAcceptDatetime(f *testing.F) {
	f.Add("Thu, 31 May 2007 20:35:00 GMT")
	f.Add("Thu, 31 Feb 2007 20:35:00 GMT")
	f.Fuzz(func(t *testing.T, in string) {
		at, err := ParseAcceptDatetime(in)
		if err == nil && at.Format(http.TimeFormat) != strings.TrimSpace(in) {
			t.Errorf("%q is %v", in, at)
		}
	})
}

func FuzzStamp(f *testing.F) {
	f.Add("2020")
	f.Add("20200229235959")
	f.Fuzz(func(t *testing.T, in string) {
		from, to, err := ParseStamp(in)
		if err == nil && (!to.After(from) || Stamp(from)[:len(in)] != in) {
			t.Errorf("%q is %v to %v", in, from, to)
		}
	})
}

func FuzzTargetURL(f *testing.F) {
	f.Add("http://example.com/%20", "a=b")
	f.Add("http%3A%2F%2Fexample.com", "")
	f.Add("example.com:80", "")
	f.Fuzz(func(t *testing.T, rest, query string) {
		got, err := TargetURL(rest, query)
		if err != nil {
			return
		}
		if !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") {
			t.Errorf("%q ? %q is %q", rest, query, got)
		}
		if s := (Link{URI: got, Rel: "original"}).String(); strings.ContainsAny(s, "\r\n") || strings.Count(s, ">") != 1 {
			t.Errorf("%q makes the link %q", got, s)
		}
	})
}
