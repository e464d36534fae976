package store

import (
	"context"
	"math"
)

// qVersionsBy orders versions by a value of theirs: $3 names it, $4 turns it round, and
// $5 and $6 are the place of the last one told. What has no value comes last.
var qVersionsBy = statement{routed, `
	select h.* from (` + historyColumns + `
		where v.bucket = $2 and v.page_id = $1) h
	cross join lateral (
		select coalesce(case when $4 then -1 else 1 end
		       * case $3 when 'dice' then h.dice when 'bytes' then -h.bytes when 'words' then -h.words when 'fetches' then -h.fetches else -h.version end::float8, 'infinity') as value) o
	where $5::float8 is null or (o.value, -h.version) > ($5, -$6::int)
	order by o.value, h.version desc
	limit $7`}

// VersionOrder is an order of the versions of a page.
type VersionOrder string

// The orders. Each has its natural direction; VersionsBy can turn it round.
const (
	ByNumber  VersionOrder = "version" // newest first
	ByDice    VersionOrder = "dice"    // most changed first
	ByBytes   VersionOrder = "bytes"   // largest first
	ByWords   VersionOrder = "words"   // most words first
	ByFetches VersionOrder = "fetches" // fetched most often first
)

// VersionMark is the place of a version in an order.
type VersionMark struct {
	Value  float64
	Number int32
}

// Mark is the version's place in an order.
func (v *Version) Mark(by VersionOrder, reverse bool) VersionMark {
	value := -float64(v.Number)
	switch by {
	case ByDice:
		if v.Dice == nil {
			return VersionMark{math.Inf(1), v.Number}
		}
		value = *v.Dice
	case ByBytes:
		value = -float64(v.Bytes)
	case ByWords:
		value = -float64(v.Words)
	case ByFetches:
		value = -float64(v.Fetches)
	}
	if reverse {
		value = -value
	}
	return VersionMark{value, v.Number}
}

// VersionsBy returns up to limit versions in an order, those behind a place; nil is the
// beginning.
func (db *DB) VersionsBy(ctx context.Context, page PageID, by VersionOrder, reverse bool, after *VersionMark, limit int) ([]Version, error) {
	var value *float64
	var number int32
	if after != nil {
		value, number = &after.Value, after.Number
	}
	rows, err := db.pool.Query(ctx, qVersionsBy.sql, page, page.Bucket(), string(by), reverse, value, number, limit)
	return collectVersions(page, rows, err)
}
