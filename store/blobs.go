package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/body"
)

// Bodies and records are blobs: named by their hash, stored once per bucket, as
// frames that may need an earlier blob of the same bucket as their dictionary.

// ContentKey names a stored payload or record.
type ContentKey struct {
	Bucket int32
	Hash   SHA256
}

// blobTable is one of the two tables of blobs, which have the same columns.
type blobTable int

const (
	bodyTable blobTable = iota
	recordTable
)

func (t blobTable) String() string {
	if t == bodyTable {
		return "body"
	}
	return "record"
}

var (
	qReadBodies = statement{routed, `
		select bucket, sha256, depth, raw_size, base_sha256, data from core.body
		where bucket = any($1::int[]) and sha256 = any($2::bytea[])`}
	qReadRecords = statement{routed, `
		select bucket, sha256, depth, raw_size, base_sha256, data from core.record
		where bucket = any($1::int[]) and sha256 = any($2::bytea[])`}
	// What a writer found stored must stay until it has committed what refers to it:
	// the lock keeps retention from deleting the row, and nobody else from anything.
	qHaveBodies = statement{routed, `
		select bucket, sha256 from core.body where bucket = any($1::int[]) and sha256 = any($2::bytea[]) for key share`}
	qHaveRecords = statement{routed, `
		select bucket, sha256 from core.record where bucket = any($1::int[]) and sha256 = any($2::bytea[]) for key share`}
	qInsertBodies = statement{routed, `
		insert into core.body (bucket, sha256, depth, raw_size, base_sha256, data)
		select * from unnest($1::int[], $2::bytea[], $3::smallint[], $4::int[], $5::bytea[], $6::bytea[])
		on conflict (sha256, bucket) do nothing`}
	qInsertRecords = statement{routed, `
		insert into core.record (bucket, sha256, depth, raw_size, base_sha256, data)
		select * from unnest($1::int[], $2::bytea[], $3::smallint[], $4::int[], $5::bytea[], $6::bytea[])
		on conflict (sha256, bucket) do nothing`}
	qInsertLinks = statement{routed, `
		insert into core.link_set (bucket, links_hash, links, targets)
		select * from unnest($1::int[], $2::uuid[], $3::int[], $4::bytea[])
		on conflict (links_hash, bucket) do nothing`}
)

func (t blobTable) read() statement   { return [...]statement{qReadBodies, qReadRecords}[t] }
func (t blobTable) have() statement   { return [...]statement{qHaveBodies, qHaveRecords}[t] }
func (t blobTable) insert() statement { return [...]statement{qInsertBodies, qInsertRecords}[t] }

// ErrDamaged is wrapped by the error of a blob whose frame does not give back
// what was stored.
var ErrDamaged = errors.New("stored content is damaged")

// ref names the content for the codec, which knows it by bucket.
func (k ContentKey) ref() body.Ref { return body.Ref{Page: int64(k.Bucket), Hash: k.Hash} }

func keyOf(r body.Ref) ContentKey { return ContentKey{int32(r.Page), r.Hash} }

// contents returns decoded blobs. It fails when one is missing or damaged.
func (db *DB) contents(ctx context.Context, q queryer, t blobTable, keys []ContentKey) (map[ContentKey][]byte, error) {
	blobs, bad, err := db.readBlobs(ctx, q, t, keys)
	if err != nil {
		return nil, err
	}
	out := make(map[ContentKey][]byte, len(keys))
	for _, k := range keys {
		b, ok := blobs[k]
		if !ok {
			if bad[k] != nil {
				return nil, bad[k]
			}
			return nil, fmt.Errorf("%s %s: %w", t, k.Hash, ErrNotFound)
		}
		out[k] = b
	}
	return out, nil
}

// readBlobs reads and decodes blobs with the bases that they need. What is damaged
// is reported by key and left out; what is missing is left out.
//
// Frames are read before their bases, and retention may put a frame on another base
// and delete the one that it had in between. So a frame whose base is missing is
// read a second time before it counts as damaged.
func (db *DB) readBlobs(ctx context.Context, q queryer, t blobTable, keys []ContentKey) (map[ContentKey][]byte, map[ContentKey]error, error) {
	out, bad, err := db.readFrames(ctx, q, t, keys)
	if err != nil {
		return nil, nil, err
	}
	var again []ContentKey
	for k, err := range bad {
		if errors.Is(err, ErrNotFound) {
			again = append(again, k)
		}
	}
	if len(again) == 0 {
		return out, bad, nil
	}
	more, still, err := db.readFrames(ctx, q, t, again)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range again {
		if delete(bad, k); still[k] != nil {
			bad[k] = still[k]
		} else if b, ok := more[k]; ok {
			out[k] = b
		}
	}
	return out, bad, nil
}

// readFrames does so once, in at most four rounds, since a frame's depth is at most
// three.
func (db *DB) readFrames(ctx context.Context, q queryer, t blobTable, keys []ContentKey) (map[ContentKey][]byte, map[ContentKey]error, error) {
	r := blobReader{codec: db.codec, table: t, frames: map[ContentKey]body.Frame{}, done: map[ContentKey][]byte{}, bad: map[ContentKey]error{}}
	want := keys
	for round := 0; len(want) > 0 && round <= body.MaxDepth; round++ {
		var ask []ContentKey
		for _, k := range want {
			if _, ok := r.done[k]; ok {
				continue
			}
			if b, ok := db.blobs.get(t, k); ok {
				r.done[k] = b
				continue
			}
			if _, ok := r.frames[k]; !ok {
				ask = append(ask, k)
			}
		}
		if len(ask) == 0 {
			break
		}
		bases, err := r.load(ctx, q, ask)
		if err != nil {
			return nil, nil, err
		}
		want = bases
	}
	out := make(map[ContentKey][]byte, len(keys))
	for _, k := range keys {
		b, err := r.decode(k, 0)
		switch {
		case errors.Is(err, ErrNotFound) && r.frames[k].Data == nil:
		case err != nil:
			r.bad[k] = fmt.Errorf("%s %s in bucket %d: %w: %w", t, k.Hash, k.Bucket, ErrDamaged, err)
		default:
			out[k] = b
			db.blobs.put(t, k, b)
		}
	}
	return out, r.bad, nil
}

// blobReader decodes blobs that share bases once.
type blobReader struct {
	codec  *body.Codec
	table  blobTable
	frames map[ContentKey]body.Frame
	done   map[ContentKey][]byte
	bad    map[ContentKey]error
}

// load reads frames and returns the keys of their bases.
func (r *blobReader) load(ctx context.Context, q queryer, keys []ContentKey) ([]ContentKey, error) {
	buckets := make([]int32, len(keys))
	hashes := make([][]byte, len(keys))
	asked := make(map[ContentKey]bool, len(keys))
	for i, k := range keys {
		buckets[i], hashes[i] = k.Bucket, k.Hash[:]
		asked[k] = true
	}
	rows, err := q.Query(ctx, r.table.read().sql, distinct(buckets), hashes)
	if err != nil {
		return nil, fmt.Errorf("read %s frames: %w", r.table, err)
	}
	var bases []ContentKey
	_, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (struct{}, error) {
		var k ContentKey
		var hash, base []byte
		var f body.Frame
		if err := row.Scan(&k.Bucket, &hash, &f.Depth, &f.RawSize, &base, &f.Data); err != nil {
			return struct{}{}, err
		}
		copy(k.Hash[:], hash)
		if !asked[k] { // the same content on another host of the batch
			return struct{}{}, nil
		}
		f.Ref = k.ref()
		if base != nil {
			f.Base = body.Ref{Page: int64(k.Bucket), Hash: SHA256(base)}
			bases = append(bases, ContentKey{k.Bucket, f.Base.Hash})
		}
		r.frames[k] = f
		return struct{}{}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s frames: %w", r.table, err)
	}
	return bases, nil
}

func (r *blobReader) decode(k ContentKey, depth int) ([]byte, error) {
	if b, ok := r.done[k]; ok {
		return b, nil
	}
	f, ok := r.frames[k]
	if !ok {
		return nil, fmt.Errorf("%s %s: %w", r.table, k.Hash, ErrNotFound)
	}
	if depth > body.MaxDepth {
		return nil, fmt.Errorf("chain of bases is longer than %d", body.MaxDepth)
	}
	var base []byte
	if f.Depth > 0 {
		b, err := r.decode(ContentKey{k.Bucket, f.Base.Hash}, depth+1)
		if err != nil {
			return nil, fmt.Errorf("its base: %w", err)
		}
		base = b
	}
	raw, err := r.codec.Decode(f, base)
	if err != nil {
		return nil, err
	}
	r.done[k] = raw
	return raw, nil
}
