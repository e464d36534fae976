package canonical

import (
	"strings"
	"testing"
	"time"
)

var now = time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)

func TestTrap(t *testing.T) {
	t.Parallel()
	const host = "https://example.org"
	tests := []struct{ path, want string }{
		{"/a?jsessionid=1", TrapSession},
		{"/a;jsessionid=0A1B2C?b=1", TrapSession},
		{"/a;lang=en;JSESSIONID=0A1B2C/b", TrapSession},
		{"/a?b=1&PHPSESSID=q8fj2", TrapSession},
		{"/a?ASPSESSIONIDQQBCD=XYZ", TrapSession},
		{"/a?sid=0123456789abcdef0123456789abcdef", TrapSession},
		{"/a?s=0123456789abcdef", TrapSession},
		{"/a?sessionid=kj3h4kjh5kjh34kjh5k3j4", TrapSession},
		{"/(S(lit3py55t21z5v55vlm25s55))/order.aspx", TrapSession},
		{"/(X(1)S(lit3py55t21z5v55vlm25s55))/order.aspx", TrapSession},

		{"/x/x/x", TrapRepeat},
		{"/a/x/x/x/b", TrapRepeat},
		{"/a/b/a/b/a/b", TrapRepeat},
		{"/top/a/b/c/a/b/c/a/b/c/", TrapRepeat},
		{"/a?x=1&x=1&x=1", TrapRepeat},

		{"/calendar/2031-05", TrapCalendar},
		{"/events/2031/05", TrapCalendar},
		{"/events/2031/05/07/", TrapCalendar},
		{"/events/1999-05-07", TrapCalendar},
		{"/event-calendar/20310507", TrapCalendar},
		{"/kalender?datum=2040-01", TrapCalendar},
		{"/c?month=3&year=1975", TrapCalendar},
		{"/agenda?date=2050-01-01", TrapCalendar},
		{"/a?from=2024-01-01&to=2024-02-01&on=20240115", TrapCalendar},
		{"/a?year=2024&month=7&day=1&hour=3", TrapCalendar},
		{"/2040/01/", TrapCalendar},
		{"/a?d=9999-12-31", TrapCalendar},

		{strings.Repeat("/a/b", 10) + "/c", TrapDeep},
		{"/a?q=" + strings.Repeat("x", 1023), TrapQuery},
	}
	for _, tt := range tests {
		if got, ok := Trap(host+tt.path, now); got != tt.want || !ok {
			t.Errorf("Trap(%q) = %q, %v; want %q", tt.path, got, ok, tt.want)
		}
	}
}

// TestNoTrap holds addresses of ordinary pages that look a little like traps.
func TestNoTrap(t *testing.T) {
	t.Parallel()
	const host = "https://example.org"
	for _, path := range []string{
		"/", "/a", "/index.php?id=7",
		"/2024/07/01/slug", "/1998/12/old-news", "/1912/04/16/", "/archive/1776/07", "/2024-07-01-slug", "/20240701/slug",
		"/2010/05/what-a-day", "/2010/05/school-calendar", "/events/1998/12/old-concert", "/events/2024/08", "/calendar/2026-01",
		"/calendar", "/events/15", "/calendar?year=2024&month=7&day=1", "/?m=201207", "/report?year=1950", "/plan/2050", "/vision-2050-01",
		"/a?from=2024-01-01&to=2024-02-01", "/item/99991231123", "/item/22221231", "/p/12345678",
		"/a?s=harbour", "/?s=0123", "/?sid=17", "/conference?sessionid=123", "/talks?session=opening-keynote-of-the-day", "/a;v=1/b",
		"/a?sid=averylongnamewithoutdigits", "/a?sid=2024-07-01-12-00-00-00-00", "/a?phpsessid=", "/session/12", "/jsessionid",
		"/x/x", "/a/b/a/b", "/en/en/x", "/x/y/x/y/x", "/1/1/1/1", "/2007/7/7/7/7", "/a/b/a/c/a/d", "//a//b//c",
		"/a?x=1&x=2&x=3", "/a?x&x&x", "/a?tag=a&tag=b&tag=c",
		strings.Repeat("/a/b/c/d", 2) + "/e/f/g/h/i/j/k/l/m/n/o/p", "/a?q=" + strings.Repeat("x", 1022),
	} {
		if kind, ok := Trap(host+path, now); ok {
			t.Errorf("Trap(%q) = %q", path, kind)
		}
	}
}

func FuzzTrap(f *testing.F) {
	f.Add("https://example.org/a/b/a/b?c=d&e=2024-07-01")
	f.Add("https://example.org/2024/07;sid=1")
	f.Add("")
	f.Fuzz(func(t *testing.T, url string) {
		kind, ok := Trap(url, now)
		if ok != (kind != "") {
			t.Errorf("Trap(%q) = %q, %v", url, kind, ok)
		}
		// What is too deep or repeats stays so with more path behind it.
		if (kind == TrapDeep || kind == TrapRepeat) && !strings.Contains(url, "?") {
			if _, ok := Trap(url+"/more", now); !ok {
				t.Errorf("Trap(%q) = %q, but with more path it is none", url, kind)
			}
		}
	})
}

func BenchmarkTrap(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Trap("https://www.example.org/politics/2024/07/01/a-long-headline.html?page=2&view=all", now)
	}
}
