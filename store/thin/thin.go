// Package thin decides which versions of a page lose their stored content with age.
//
// The main type is [Policy]: everything for a while, then the last version of each
// day, then the last of each month, then nothing. [Policy.Drop] looks at the versions
// of one page and names those to give up. What it decides follows from the page's
// timeline and the time alone, so it can be asked again at any moment, and a version
// that was given up changes nothing for the others.
//
// Left out: where contents are stored and how they are deleted (package store).
package thin

import (
	"fmt"
	"time"
)

// Policy says how long versions are kept. The three lengths do not fall.
type Policy struct {
	All     time.Duration // every version
	Daily   time.Duration // the last version of each day, UTC
	Monthly time.Duration // the last version of each month, UTC
}

// Check reports lengths that fall or lie below zero.
func (p Policy) Check() error {
	if p.All < 0 || p.Daily < p.All || p.Monthly < p.Daily {
		return fmt.Errorf("retention of versions: all %s, daily %s, monthly %s: each has to be at least the one before", p.All, p.Daily, p.Monthly)
	}
	return nil
}

// Version is one version of a page.
type Version struct {
	First, Last time.Time // first and last seen
	Hash        [32]byte  // of the content
	Thinned     bool      // its content was given up before
	Pinned      bool      // something else needs its content
}

// keep is how finely a moment's versions are kept.
type keep int

const (
	every keep = iota
	daily
	monthly
	none
)

// at gives how a version is kept that was last seen so long ago.
func (p Policy) at(age time.Duration) keep {
	switch {
	case age <= p.All:
		return every
	case age <= p.Daily:
		return daily
	case age <= p.Monthly:
		return monthly
	}
	return none
}

// Drop returns the indices of the versions of one page to be given up now, ascending.
// Versions are all versions of the page in order of time.
//
// A version has the age of its last sight: one that stood for a year is as old as the
// day it was replaced. It is the last of its day when the next one was first seen on
// another day. The first and the last version of a page stay, and so does each whose
// content a version that stays has too, since giving it up would free nothing.
func (p Policy) Drop(now time.Time, versions []Version) []int {
	kept := make([]bool, len(versions))
	contents := map[[32]byte]bool{}
	for i, v := range versions {
		kept[i] = !v.Thinned && (i == 0 || i == len(versions)-1 || v.Pinned || p.keeps(now, v, versions[min(i+1, len(versions)-1)].First))
		if kept[i] {
			contents[v.Hash] = true
		}
	}
	var out []int
	for i, v := range versions {
		if !kept[i] && !v.Thinned && !contents[v.Hash] {
			out = append(out, i)
		}
	}
	return out
}

// keeps reports whether the policy keeps a version that was followed by another at next.
func (p Policy) keeps(now time.Time, v Version, next time.Time) bool {
	switch p.at(now.Sub(v.Last)) {
	case every:
		return true
	case daily:
		return day(v.First) != day(next)
	case monthly:
		return month(v.First) != month(next)
	default:
		return false
	}
}

// day numbers the days of UTC.
func day(t time.Time) int64 {
	s := t.Unix()
	d := s / 86400
	if s%86400 < 0 {
		d--
	}
	return d
}

// month numbers the months of UTC.
func month(t time.Time) int {
	t = t.UTC()
	return t.Year()*12 + int(t.Month())
}
