package configs

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// everyHour is the hour field of a cron line that is due in every hour, one bit an hour.
const everyHour = 1<<24 - 1

// clockChange says in words what the zone's clock changes do to the schedule, "" when they do nothing: a due time in
// the hour that spring skips is left out on that day, one in the hour that autumn repeats comes twice.
//
// The wall clock jumps at moment T from offset a to offset b. The times of the wall clock between T+a and T+b are
// those skipped (b > a) or repeated (b < a), and the schedule is hit when its line, read as UTC, is due among them. A
// line due in every hour is never hit, since it goes by hours that pass and not by the clock's name for them.
func (s Schedule) clockChange() string {
	fields, ok := s.spec.(*cron.SpecSchedule)
	if !ok || fields.Hour&everyHour == everyHour {
		return ""
	}
	wall := *fields
	wall.Location = time.UTC

	until := epoch().AddDate(4, 0, 0)
	_, change := epoch().In(s.Zone()).ZoneBounds()
	for !change.IsZero() && change.Before(until) {
		_, before := change.Add(-time.Second).Zone()
		_, after := change.Zone()
		from := change.UTC().Add(time.Duration(min(before, after)) * time.Second)
		to := change.UTC().Add(time.Duration(max(before, after)) * time.Second)
		if due := wall.Next(from.Add(-time.Second)); !due.IsZero() && due.Before(to) {
			word := "skipped"
			if after < before {
				word = "due twice"
			}
			return fmt.Sprintf("lies in the hour in which %s changes its clocks: %s on %s", s.Zone(), word, due.Format(time.DateOnly))
		}
		_, change = change.In(s.Zone()).ZoneBounds()
	}
	return ""
}
