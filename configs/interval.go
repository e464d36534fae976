package configs

import (
	"math/bits"
	"time"

	"github.com/robfig/cron/v3"
)

// The cron library keeps each field as one bit a value, and in the top bit whether it was written as a star.
const (
	valueBits = 1<<60 - 1
	starBit   = 1 << 63
)

// meanInterval gives the mean time between two due times, by counting and not by stepping, which takes the library
// a thousand times longer:
//
//	span / (days * hours * minutes * seconds)
//
// where span is four years with their leap day, days the days among them that the line meets, and the rest the
// number of values in each field.
func meanInterval(spec cron.Schedule) time.Duration {
	fields, ok := spec.(*cron.SpecSchedule)
	if !ok {
		every, _ := spec.(cron.ConstantDelaySchedule)
		return every.Delay
	}
	const span = 4*365 + 1
	days := span
	if fields.Month&starBit == 0 || fields.Dom&starBit == 0 || fields.Dow&starBit == 0 {
		days = 0
		for i := range span {
			if meets(fields, epoch().AddDate(0, 0, i)) {
				days++
			}
		}
	}
	times := bits.OnesCount64(fields.Hour&valueBits) * bits.OnesCount64(fields.Minute&valueBits) * bits.OnesCount64(fields.Second&valueBits)
	return span * day / time.Duration(max(1, days*times))
}

// meets reports whether the line is due on the day. As in every cron, a day of the month and a day of the week that
// are both given mean either.
func meets(fields *cron.SpecSchedule, at time.Time) bool {
	month := fields.Month&(1<<at.Month()) != 0
	dom := fields.Dom&(1<<at.Day()) != 0
	dow := fields.Dow&(1<<at.Weekday()) != 0
	if fields.Dom&starBit != 0 || fields.Dow&starBit != 0 {
		return month && dom && dow
	}
	return month && (dom || dow)
}
