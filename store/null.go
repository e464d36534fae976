package store

import (
	"strings"
	"time"
	"unicode/utf8"
)

// The database has null where a Go value is zero; these functions translate.

func deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// textOrNil makes text that PostgreSQL takes: bytes from the web may hold NUL or
// be no UTF-8.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	s = cleanText(s)
	return &s
}

func cleanText(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

func statusOrNil(status int) *int16 {
	if status == 0 {
		return nil
	}
	s := int16(min(max(status, 0), 32767))
	return &s
}

func watchOrNil(id int32) *int32 {
	if id == 0 {
		return nil
	}
	return &id
}
