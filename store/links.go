package store

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
)

// Packed links: the distinct targets of a page in rising order of their ids,
// each as an unsigned varint of
//
//	(id - id before) << 1 | nofollow
//
// Ids carry their bucket in the upper bits, so links within a host, which are
// most, differ in the lower bits only and take two or three bytes.

// Target is one distinct out-link.
type Target struct {
	Page     PageID
	NoFollow bool
}

var errLinksDamaged = errors.New("packed links are damaged")

// PackLinks packs targets, which it sorts and makes distinct: a link counts as
// followed when any of its occurrences is. The hash names the set.
func PackLinks(targets []Target) (packed []byte, hash [16]byte, n int) {
	slices.SortFunc(targets, func(a, b Target) int {
		if a.Page != b.Page {
			if a.Page < b.Page {
				return -1
			}
			return 1
		}
		if a.NoFollow == b.NoFollow {
			return 0
		}
		if b.NoFollow {
			return -1
		}
		return 1
	})
	targets = slices.CompactFunc(targets, func(a, b Target) bool { return a.Page == b.Page })
	packed = make([]byte, 0, 4*len(targets))
	var before PageID
	for _, t := range targets {
		v := uint64(t.Page-before) << 1
		if t.NoFollow {
			v |= 1
		}
		packed = binary.AppendUvarint(packed, v)
		before = t.Page
	}
	sum := sha256.Sum256(packed)
	copy(hash[:], sum[:16])
	return packed, hash, len(targets)
}

// UnpackLinks returns the targets in rising order of their ids.
func UnpackLinks(packed []byte) ([]Target, error) {
	var out []Target
	var before PageID
	for len(packed) > 0 {
		v, n := binary.Uvarint(packed)
		if n <= 0 {
			return nil, errLinksDamaged
		}
		packed = packed[n:]
		id := before + PageID(v>>1)
		if id < before || (id == before && len(out) > 0) {
			return nil, errLinksDamaged
		}
		out = append(out, Target{Page: id, NoFollow: v&1 == 1})
		before = id
	}
	return out, nil
}
