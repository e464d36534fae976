package configs

import "time"

// Times is a cron line, as Schedule has it. The zero Times never comes.
type Times struct{ schedule Schedule }

// UnmarshalText reads a cron line; an empty text is the zero Times.
func (t *Times) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = Times{}
		return nil
	}
	return t.schedule.UnmarshalText(text)
}

// String gives the cron line as it was written.
func (t Times) String() string { return t.schedule.text }

// MarshalText gives the cron line as it was written.
func (t Times) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// IsZero reports whether no time was given.
func (t Times) IsZero() bool { return t.schedule.text == "" }

// Next gives the first time after at, in UTC; zero: none.
func (t Times) Next(at time.Time) time.Time { return t.schedule.Next(at) }
