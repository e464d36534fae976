package configs

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

const scheduleAllowed = `a cron line such as "0 6 * * *" (UTC) or "CRON_TZ=Europe/Paris 0 6 * * *", seconds first if it has six fields; ` +
	`@hourly, @daily, @weekly, @monthly, @yearly; "@every 10m"`

// Schedule says when something is due: a cron line, or Auto. The zero Schedule is never due.
//
// A cron line has five fields, or six with seconds first, or is one of @hourly, @daily, @weekly, @monthly, @yearly and
// "@every 10m". It means UTC unless it starts with a zone, as in "CRON_TZ=Asia/Tokyo 0 3 * * *" (TZ= is the same).
type Schedule struct {
	// Lets the program find an interval for each page from how it changes (SCIENCE 2.1).
	Auto *Auto `yaml:"auto"`

	text string
	spec cron.Schedule
	zone *time.Location

	interval time.Duration // of spec
}

// Auto bounds the intervals that the program chooses by itself.
type Auto struct {
	// The shortest time between two fetches of a page.
	Min Duration `yaml:"min"`
	// The longest time between two fetches of a page.
	Max Duration `yaml:"max"`
	// How many fetches all pages of the watch may cost together, such as 500/h.
	Budget Rate `yaml:"budget"`
}

func (a *Auto) setDefaults() {
	*a = Auto{Min: Duration(10 * time.Minute), Max: Duration(day), Budget: Rate{Count: 500, Per: time.Hour}}
}

func (a *Auto) check(s *section) {
	if a.Min < Duration(time.Second) {
		s.fault("min", a.Min.String(), "is too short", "1s or more")
	}
	if a.Max < a.Min && !s.failed("min") {
		s.fault("max", a.Max.String(), "is shorter than min", "at least "+a.Min.String())
	}
	if a.Budget.Count == 0 {
		s.fault("budget", a.Budget.String(), "leaves no fetches", "1/w or more")
	}
}

// ParseSchedule reads a cron line.
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	err := s.UnmarshalText([]byte(text))
	return s, err
}

// UnmarshalText reads a cron line.
func (s *Schedule) UnmarshalText(text []byte) error {
	line := strings.TrimSpace(string(text))
	zone, times, err := splitZone(line)
	if err != nil {
		return err
	}
	spec, err := parseTimes(times, zone)
	if err != nil {
		return err
	}
	if spec.Next(epoch()).IsZero() {
		return &fault{"never comes due", "a line that some day of the next five years meets"}
	}
	*s = Schedule{text: line, spec: spec, zone: zone, interval: meanInterval(spec)}
	return nil
}

// splitZone takes the zone off the front of a cron line. The cron library would read it too, but panics on a zone
// without a space behind it and takes the machine's own zone where none is given.
func splitZone(line string) (*time.Location, string, error) {
	head, name, found := strings.Cut(line, "=")
	if !found || (head != "TZ" && head != "CRON_TZ") {
		return time.UTC, line, nil
	}
	name, times, found := strings.Cut(name, " ")
	if !found {
		return nil, "", &fault{"has a zone but no times", scheduleAllowed}
	}
	if name == "" || name == "Local" {
		return nil, "", &fault{"names no zone, so it would mean something else on another machine", "a zone such as UTC or Europe/Paris"}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, "", &fault{"names the unknown zone " + shorten(name), "a zone of the IANA database, such as UTC or Europe/Paris"}
	}
	return zone, strings.TrimSpace(times), nil
}

// parseTimes reads a cron line without its zone.
func parseTimes(times string, zone *time.Location) (spec cron.Schedule, err error) {
	defer func() { // the library's parser has panicked before; a configuration must not stop a daemon
		if r := recover(); r != nil {
			spec, err = nil, &fault{"is not a schedule", scheduleAllowed}
		}
	}()
	word, _, _ := strings.Cut(times, " ")
	if near := suggest(word, []string{"@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@every"}); near != "" && near != word {
		return nil, &fault{"is not a schedule; did you mean " + near + "?", scheduleAllowed}
	}
	if every, ok := strings.CutPrefix(times, "@every "); ok {
		d, err := ParseDuration(strings.TrimSpace(every))
		if err != nil || d.Std() < time.Second || d.Std()%time.Second != 0 {
			return nil, &fault{"is not a schedule", `"@every" with whole seconds, one or more, such as "@every 10m" or "@every 1d"`}
		}
		return cron.Every(d.Std()), nil
	}
	for field := range strings.FieldsSeq(times) {
		// The library takes "1,,2" and even "," alone, which no time meets and costs seconds to find out.
		if strings.Contains(","+field+",", ",,") {
			return nil, &fault{"is not a schedule (an empty place in " + shorten(field) + ")", scheduleAllowed}
		}
	}
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	spec, err = parser.Parse(times)
	if err != nil {
		// Faults of a single field are worth telling; the rest only says that it is no cron line.
		if reason := err.Error(); strings.Contains(reason, "range") || strings.Contains(reason, "minimum") || strings.Contains(reason, "maximum") {
			return nil, &fault{"is not a schedule (" + shorten(reason) + ")", scheduleAllowed}
		}
		return nil, &fault{"is not a schedule", scheduleAllowed}
	}
	if fields, ok := spec.(*cron.SpecSchedule); ok {
		fields.Location = zone
	}
	return spec, nil
}

// epoch is the fixed moment from which questions about a schedule as such are answered, so that the same file always
// gets the same answer.
func epoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Next gives the first due time after t, in t's zone; the zero time for Auto and the zero Schedule. "@every 10m"
// counts from t, so the caller passes the last due time and not the present.
func (s Schedule) Next(t time.Time) time.Time {
	if s.spec == nil || s.Auto != nil { // a schedule with Auto still has its default beneath
		return time.Time{}
	}
	next := s.spec.Next(t)
	if next.IsZero() {
		return next
	}
	return next.In(t.Location())
}

// Zone gives the zone in which the cron line is meant; UTC for Auto and the zero Schedule.
func (s Schedule) Zone() *time.Location {
	if s.zone == nil {
		return time.UTC
	}
	return s.zone
}

// Interval gives the mean time between two due times, clock changes left aside. It is Auto.Max for Auto and 0 for the zero Schedule.
func (s Schedule) Interval() time.Duration {
	if s.Auto != nil {
		return s.Auto.Max.Std()
	}
	return s.interval
}

// String gives the cron line as it was written, or the bounds of Auto.
func (s Schedule) String() string {
	if s.Auto != nil {
		return fmt.Sprintf("auto: {min: %s, max: %s, budget: %s}", s.Auto.Min, s.Auto.Max, s.Auto.Budget)
	}
	return s.text
}

// MarshalText gives the same form as String.
func (s Schedule) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Equal reports whether both are written the same.
func (s Schedule) Equal(other Schedule) bool {
	return s.text == other.text && reflect.DeepEqual(s.Auto, other.Auto)
}

// mustSchedule is for the defaults, which a test loads.
func mustSchedule(text string) Schedule {
	s, err := ParseSchedule(text)
	if err != nil {
		panic("configs: default schedule: " + err.Error())
	}
	return s
}
