package configs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScheduleNext(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, time.May, 4, 10, 30, 15, 0, time.UTC) // a Monday
	tests := []struct {
		text string
		want string
	}{
		{"@hourly", "2026-05-04T11:00:00Z"},
		{"@daily", "2026-05-05T00:00:00Z"},
		{"@every 10m", "2026-05-04T10:40:15Z"},
		{"@every 1d", "2026-05-05T10:30:15Z"},
		{"0 6 * * *", "2026-05-05T06:00:00Z"},
		{"  0   6 * *  * ", "2026-05-05T06:00:00Z"},
		{"30 0 6 * * *", "2026-05-05T06:00:30Z"},
		{"*/20 * * * * *", "2026-05-04T10:30:20Z"},
		{"0 3 1 */2 *", "2026-07-01T03:00:00Z"},
		{"0 9 * * TUE", "2026-05-05T09:00:00Z"},
		{"CRON_TZ=Asia/Tokyo 0 3 * * *", "2026-05-04T18:00:00Z"},
		{"TZ=Europe/Paris 0 6 * * *", "2026-05-05T04:00:00Z"},
		{"TZ=Europe/Paris @daily", "2026-05-04T22:00:00Z"},
		{"0 0 29 2 *", "2028-02-29T00:00:00Z"},
	}
	for _, tt := range tests {
		s, err := ParseSchedule(tt.text)
		if err != nil {
			t.Errorf("ParseSchedule(%q): %v", tt.text, err)
			continue
		}
		if got := s.Next(from).Format(time.RFC3339); got != tt.want {
			t.Errorf("%q after %v is due %s, want %s", tt.text, from, got, tt.want)
		}
	}
	if next := (Schedule{}).Next(from); !next.IsZero() {
		t.Errorf("the zero Schedule is due %v", next)
	}
}

func TestScheduleIsIndependentOfTheMachine(t *testing.T) {
	t.Parallel()
	s, err := ParseSchedule("0 6 * * *")
	if err != nil {
		t.Fatal(err)
	}
	far := time.FixedZone("far", 9*3600)
	got := s.Next(time.Date(2026, 5, 4, 0, 0, 0, 0, far))
	if want := time.Date(2026, 5, 3, 15, 0, 0, 0, time.UTC).Add(15 * time.Hour); !got.Equal(want) || got.Location() != far {
		t.Errorf("due %v, want %v in the zone of the question", got, want)
	}
	if s.Zone() != time.UTC {
		t.Errorf("zone %v", s.Zone())
	}
}

func TestScheduleRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "hourly", "@evry 10m", "@every", "@every 0s", "@every 1.5s", "@every -1h", "* * * *", "* * * * * * *",
		"60 * * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "1-2-3 * * * *", "a * * * *", ", * * * *",
		"TZ=UTC", "CRON_TZ=", "TZ= * * * * *", "TZ=Local 0 6 * * *", "TZ=No/Where 0 6 * * *", "TZ=../etc/passwd 0 6 * * *",
		"TZ=UTC TZ=UTC", "0 0 31 2 *", "\x00 * * * *",
	} {
		if s, err := ParseSchedule(text); err == nil {
			t.Errorf("ParseSchedule(%q) = %v, want an error", text, s)
		}
	}
}

func TestScheduleInterval(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		min, max time.Duration
	}{
		{"@hourly", time.Hour, time.Hour},
		{"@every 10m", 10 * time.Minute, 10 * time.Minute},
		{"0 6 * * *", day, day},
		{"0 3 1 */2 *", 60 * day, 62 * day},
		{"0 */6 * * MON", 41 * time.Hour, 43 * time.Hour}, // four a week
		{"0 0 29 2 *", 3 * year, 5 * year},
	}
	for _, tt := range tests {
		s, err := ParseSchedule(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Interval(); got < tt.min || got > tt.max {
			t.Errorf("%q: interval %v, want %v to %v", tt.text, got, tt.min, tt.max)
		}
	}
	auto := Schedule{Auto: &Auto{Max: Duration(day)}}
	if auto.Interval() != day || (Schedule{}).Interval() != 0 {
		t.Errorf("interval of auto %v, of the zero Schedule %v", auto.Interval(), Schedule{}.Interval())
	}
}

// TestIntervalAgainstTheLibrary steps through four years of due times.
func TestIntervalAgainstTheLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0 6 * * *", "0 3 1 */2 *", "0 */6 * * MON", "30 7,19 1-7 * FRI", "0 0 29 2 *", "0 0 */1 * 1-5", "5 4 31 * *", "* 12 1 1 ?"} {
		s, err := ParseSchedule(text)
		if err != nil {
			t.Fatal(err)
		}
		end, n := epoch().AddDate(4, 0, 0), 0
		for at := s.Next(epoch().Add(-time.Second)); at.Before(end); at = s.Next(at) {
			n++
		}
		if want := end.Sub(epoch()) / time.Duration(n); s.Interval() != want {
			t.Errorf("%q: interval %v, want %v from %d due times", text, s.Interval(), want, n)
		}
	}
}

func TestClockChange(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"30 2 * * *", ""}, // UTC has no changes
		{"TZ=Asia/Tokyo 30 2 * * *", ""},
		{"TZ=Europe/Paris 30 2 * * *", "skipped on 2026-03-29"},
		{"TZ=Europe/Paris 0 3 * * *", ""}, // the first moment after the gap
		{"TZ=Europe/Paris 59 1 * * *", ""},
		{"TZ=Europe/Paris 0 6 * * *", ""},
		{"TZ=Europe/Paris 30 2 * 10 *", "due twice on 2026-10-25"},
		{"TZ=Europe/Paris 30 2 15 * *", ""},
		{"TZ=Europe/Paris 30 2 * * MON", ""}, // the change is on a Sunday
		{"TZ=Europe/Paris 30 * * * *", ""},   // every hour that passes has its run
		{"TZ=Europe/Paris 30 0-23 * * *", ""},
		{"TZ=Europe/Paris @every 1h", ""},
		{"TZ=America/New_York 30 2 * * *", "skipped on 2026-03-08"},
		{"TZ=America/New_York 30 1 * * *", "due twice on 2026-11-01"},
		{"TZ=Australia/Lord_Howe 15 2 * 10 *", "skipped on 2026-10-04"}, // half an hour only
		{"TZ=Australia/Lord_Howe 45 2 * 10 *", ""},
	}
	for _, tt := range tests {
		s, err := ParseSchedule(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.clockChange(); (tt.want == "") != (got == "") || !strings.HasSuffix(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestClockChangeIsTrue counts the runs on the days that the warnings name.
func TestClockChangeIsTrue(t *testing.T) {
	t.Parallel()
	s, err := ParseSchedule("TZ=Europe/Paris 30 2 * * *")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for at := epoch(); ; {
		if at = s.Next(at); at.Year() > 2026 {
			break
		}
		got[at.In(s.Zone()).Format(time.DateOnly)]++
	}
	odd := make(map[string]int)
	for d := epoch(); d.Year() == 2026; d = d.AddDate(0, 0, 1) {
		if n := got[d.Format(time.DateOnly)]; n != 1 {
			odd[d.Format(time.DateOnly)] = n
		}
	}
	if diff := cmp.Diff(map[string]int{"2026-03-29": 0, "2026-10-25": 2}, odd); diff != "" {
		t.Errorf("days without exactly one run (-want +got):\n%s", diff)
	}
}

func FuzzSchedule(f *testing.F) {
	for _, text := range []string{"@hourly", "TZ=UTC", "TZ=UTC TZ=", "CRON_TZ=Europe/Paris 30 2 * * *", "*/5 0-59/7 ? 1,2 JAN-DEC 0", "@every 1d", ", * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSchedule(text)
		if err != nil {
			return
		}
		again, err := ParseSchedule(s.String())
		if err != nil || !again.Equal(s) {
			t.Errorf("%q is written %q and reads back as %q, %v", text, s, again, err)
		}
		at := epoch()
		if next := s.Next(at); !next.After(at) {
			t.Errorf("%q is due %v after %v", text, next, at)
		}
		s.clockChange()
		if s.Interval() < time.Second {
			t.Errorf("%q: interval %v", text, s.Interval())
		}
	})
}
