package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/body"
)

// When a base goes, the frame on it that is nearest to it takes its place: it is
// written on what the base was based on, and the others on it.
//
//	    p               p
//	    |               |
//	    x       =>      a
//	  / | \            / \
//	 a  b  c          b   c
//
// So nobody comes to lie deeper, and what lies below a comes up by one. It is done where
// it takes fewer bytes than keeping x for the sake of the others, which is nearly always.

var (
	qRewriteBodies = statement{routed, `
		update core.body b set depth = v.depth, base_sha256 = v.base_sha256, data = v.data
		from unnest($2::bytea[], $3::smallint[], $4::bytea[], $5::bytea[]) v(sha256, depth, base_sha256, data)
		where b.bucket = $1 and b.sha256 = v.sha256 and b.base_sha256 = $6`}
	qRewriteRecords = statement{routed, `
		update core.record b set depth = v.depth, base_sha256 = v.base_sha256, data = v.data
		from unnest($2::bytea[], $3::smallint[], $4::bytea[], $5::bytea[]) v(sha256, depth, base_sha256, data)
		where b.bucket = $1 and b.sha256 = v.sha256 and b.base_sha256 = $6`}
	// Frames of depth 3 are nobody's base, so two levels are all there can be below. As one
	// list they are found by the index; with "or" all frames of the bucket would be read.
	qRaiseBodies = statement{routed, `
		update core.body b set depth = b.depth - 1
		where b.bucket = $1 and b.depth > 1 and b.base_sha256 = any(array(
			select $2::bytea union all
			select c.sha256 from core.body c where c.bucket = $1 and c.base_sha256 = $2))`}
	qRaiseRecords = statement{routed, `
		update core.record b set depth = b.depth - 1
		where b.bucket = $1 and b.depth > 1 and b.base_sha256 = any(array(
			select $2::bytea union all
			select c.sha256 from core.record c where c.bucket = $1 and c.base_sha256 = $2))`}
)

func (t blobTable) rewrite() statement { return blobSQL{qRewriteBodies, qRewriteRecords}[t] }
func (t blobTable) raise() statement   { return blobSQL{qRaiseBodies, qRaiseRecords}[t] }

// replace writes the frames on a base anew without it and deletes it, and reports
// whether it did. A base that would cost more to replace than to keep stays and is
// struck off; it is looked at again when something that it carries goes.
func (s *sweep) replace(ctx context.Context, x frameRow, on []frameRow) (bool, error) {
	frames, err := s.without(ctx, x, on)
	if err != nil {
		return false, err
	}
	old, now := x.size, 0
	for i := range on {
		old += on[i].size
	}
	for _, f := range frames {
		now += len(f.Data)
	}
	if frames == nil || now >= old {
		return false, s.strike(ctx, []SHA256{x.hash})
	}
	_, ok, err := s.short(ctx, func(tx pgx.Tx) error { return s.exchange(ctx, tx, x, frames) })
	if err != nil && !errors.Is(err, errNeeded) {
		return false, err
	}
	if !ok {
		s.report.Waiting++
		return false, nil
	}
	s.report.Rebased += int64(len(frames))
	s.count([]SHA256{x.hash}, []frameRow{x})
	s.report.Bytes += int64(old - x.size - now)
	return true, nil
}

// without makes the frames, the first of them that in the place of the base; nil where
// one of the contents cannot be read.
func (s *sweep) without(ctx context.Context, x frameRow, on []frameRow) ([]body.Frame, error) {
	slices.SortFunc(on, func(a, b frameRow) int { return a.size - b.size })
	keys := make([]ContentKey, 0, len(on)+1)
	for _, f := range on {
		keys = append(keys, ContentKey{s.bucket, f.hash})
	}
	base := ContentKey{s.bucket, x.base}
	if x.depth > 0 {
		keys = append(keys, base)
	}
	raws, _, err := s.db.readBlobs(ctx, s.db.pool, s.table, keys)
	if err != nil {
		return nil, err
	}
	if len(raws) < len(keys) {
		return nil, nil
	}
	var ref body.Ref
	var raw []byte
	if x.depth > 0 {
		ref, raw = base.ref(), raws[base]
	}
	depth := x.depth - 1
	out := make([]body.Frame, 0, len(on))
	for i, f := range on {
		key := ContentKey{s.bucket, f.hash}
		frame, err := s.db.codec.EncodeOn(body.Body{Ref: key.ref(), Raw: raws[key]}, ref, depth, raw)
		if err != nil {
			return nil, err
		}
		out = append(out, frame)
		if i == 0 {
			ref, raw, depth = key.ref(), raws[key], frame.Depth
		}
	}
	return out, nil
}

// errNeeded takes an exchange back: somebody has come to need the base, or the frames
// lie on something else by now.
var errNeeded = errors.New("the base is needed")

// exchange is the transaction: the frames are written, then the base is deleted as any
// other that nothing is based on.
func (s *sweep) exchange(ctx context.Context, tx pgx.Tx, x frameRow, frames []body.Frame) error {
	if _, err := tx.Exec(ctx, qHoldBlobs.sql); err != nil {
		return err
	}
	// What the first frame is put on must not go meanwhile.
	if x.depth > 0 {
		have, err := (&blobBatch{db: s.db, tx: tx}).have(ctx, s.table, []ContentKey{{s.bucket, x.base}})
		if err != nil {
			return err
		}
		if len(have) == 0 {
			return errNeeded
		}
	}
	if _, err := tx.Exec(ctx, s.table.raise().sql, s.bucket, frames[0].Ref.Hash[:]); err != nil {
		return fmt.Errorf("raise frames: %w", err)
	}
	var in struct {
		hashes, bases, data [][]byte
		depths              []int16
	}
	for i := range frames {
		f := &frames[i]
		var base []byte
		if f.Depth > 0 {
			base = f.Base.Hash[:]
		}
		in.hashes, in.bases, in.data = append(in.hashes, f.Ref.Hash[:]), append(in.bases, base), append(in.data, f.Data)
		in.depths = append(in.depths, int16(f.Depth))
	}
	tag, err := tx.Exec(ctx, s.table.rewrite().sql, s.bucket, in.hashes, in.depths, in.bases, in.data, x.hash[:])
	if err != nil {
		return fmt.Errorf("write frames anew: %w", err)
	}
	if tag.RowsAffected() != int64(len(frames)) {
		return errNeeded
	}
	dropped, err := s.removeLocked(ctx, tx, []frameRow{x})
	if err == nil && len(dropped) == 0 {
		err = errNeeded
	}
	return err
}
