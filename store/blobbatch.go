package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/strandlinehq/strandline/store/body"
)

var (
	qReadHostStates = statement{routed, `
		select host_id, body_templates, record_templates from core.host_state
		where bucket = any($2::int[]) and host_id = any($1::bigint[])`}
	qPutHostStates = statement{routed, `
		insert into core.host_state (host_id, bucket, body_templates, record_templates)
		select v.host_id, (v.host_id >> 40)::int, v.bodies, v.records
		from unnest($1::bigint[], $2::bytea[], $3::bytea[]) v(host_id, bodies, records)
		on conflict (host_id, bucket) do update
		set body_templates = excluded.body_templates, record_templates = excluded.record_templates`}
)

// errLostRace means that another writer stored the same content meanwhile, or that
// retention deleted one that a frame was based on; the batch has to be done again,
// and will find what is there.
var errLostRace = errors.New("stored contents have changed meanwhile")

// blobBatch collects the bodies, records and link sets of a batch and stores
// those that are not stored yet.
type blobBatch struct {
	db      *DB
	tx      pgx.Tx
	offered map[ContentKey][]byte // payloads that the batch brings
	stored  map[ContentKey]bool   // payloads looked up in the database
	jobs    [2][]blobJob          // by table
	links   map[linkKey]linkRow
	written []blobJob
	restart map[int64]bool // hosts whose record templates are to begin anew
}

// blobJob is one blob to be stored, with the page whose chain it joins.
type blobJob struct {
	table blobTable
	page  *pageBatch
	key   ContentKey
	raw   []byte
	frame body.Frame
	done  bool // it has its frame
}

type linkKey struct {
	bucket int32
	hash   [16]byte
}

type linkRow struct {
	packed []byte
	n      int
}

func newBlobBatch(db *DB, tx pgx.Tx) *blobBatch {
	return &blobBatch{db: db, tx: tx, offered: map[ContentKey][]byte{}, stored: map[ContentKey]bool{}, links: map[linkKey]linkRow{}}
}

// offer makes a payload of the batch known.
func (bb *blobBatch) offer(page PageID, hash SHA256, raw []byte) {
	bb.offered[ContentKey{page.Bucket(), hash}] = raw
}

// has reports whether a payload is at hand: in the batch or in the database.
func (bb *blobBatch) has(ctx context.Context, page PageID, hash SHA256) (bool, error) {
	key := ContentKey{page.Bucket(), hash}
	if hash == (SHA256{}) {
		return false, nil
	}
	if _, ok := bb.offered[key]; ok {
		return true, nil
	}
	if ok, asked := bb.stored[key]; asked {
		return ok, nil
	}
	have, err := bb.have(ctx, bodyTable, []ContentKey{key})
	if err != nil {
		return false, err
	}
	bb.stored[key] = have[key]
	return have[key], nil
}

// payload returns a payload that has said is at hand.
func (bb *blobBatch) payload(ctx context.Context, page PageID, hash SHA256) ([]byte, error) {
	key := ContentKey{page.Bucket(), hash}
	if raw, ok := bb.offered[key]; ok {
		return raw, nil
	}
	got, err := bb.db.contents(ctx, bb.tx, bodyTable, []ContentKey{key})
	if err != nil {
		return nil, err
	}
	return got[key], nil
}

func (bb *blobBatch) have(ctx context.Context, t blobTable, keys []ContentKey) (map[ContentKey]bool, error) {
	buckets, hashes := splitKeys(keys)
	rows, err := bb.tx.Query(ctx, t.have().sql, distinct(buckets), hashes)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", t, err)
	}
	out := map[ContentKey]bool{}
	var bucket int32
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&bucket, &hash}, func() error {
		out[ContentKey{bucket, SHA256(hash)}] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", t, err)
	}
	return out, nil
}

func splitKeys(keys []ContentKey) (buckets []int32, hashes [][]byte) {
	buckets, hashes = make([]int32, len(keys)), make([][]byte, len(keys))
	for i := range keys {
		buckets[i], hashes[i] = keys[i].Bucket, keys[i].Hash[:]
	}
	return buckets, hashes
}

// addBody asks for a payload to be stored.
func (bb *blobBatch) addBody(p *pageBatch, hash SHA256) {
	key := ContentKey{p.id.Bucket(), hash}
	if raw, ok := bb.offered[key]; ok { // else it is stored already
		bb.jobs[bodyTable] = append(bb.jobs[bodyTable], blobJob{table: bodyTable, page: p, key: key, raw: raw})
	}
}

// addRecord asks for a record to be stored.
func (bb *blobBatch) addRecord(p *pageBatch, hash SHA256, raw []byte) {
	bb.jobs[recordTable] = append(bb.jobs[recordTable],
		blobJob{table: recordTable, page: p, key: ContentKey{p.id.Bucket(), hash}, raw: raw})
}

// store encodes and inserts what is not stored yet.
func (bb *blobBatch) store(ctx context.Context) error {
	chains := map[int64]*hostChain{}
	for t := range bb.jobs {
		if err := bb.dropStored(ctx, blobTable(t)); err != nil {
			return err
		}
		for _, j := range bb.jobs[t] {
			id := j.page.state.HostID
			if chains[id] == nil {
				chains[id] = &hostChain{id: id}
			}
			chains[id].jobs[t] = append(chains[id].jobs[t], j)
		}
	}
	if len(chains) > 0 {
		if err := bb.encode(ctx, chains); err != nil {
			return err
		}
	}
	return bb.insertLinks(ctx)
}

// dropStored keeps of a table's jobs the first of each content that is not stored.
func (bb *blobBatch) dropStored(ctx context.Context, t blobTable) error {
	jobs := bb.jobs[t]
	if len(jobs) == 0 {
		return nil
	}
	keys := make([]ContentKey, len(jobs))
	for i, j := range jobs {
		keys[i] = j.key
	}
	have, err := bb.have(ctx, t, keys)
	if err != nil {
		return err
	}
	bb.jobs[t] = slices.DeleteFunc(jobs, func(j blobJob) bool {
		if have[j.key] {
			return true
		}
		have[j.key] = true // the next job with this content is a copy
		return false
	})
	return nil
}

// encode makes the frames of all chains and stores them. Most bodies need one base of the several that the
// codec may ask for, so the first pass reads that one; the pages that want another one, about one in eight
// of those that change a little, wait for the second, which reads all that they may ask for.
func (bb *blobBatch) encode(ctx context.Context, chains map[int64]*hostChain) error {
	ordered := make([]*hostChain, 0, len(chains))
	for _, c := range chains {
		ordered = append(ordered, c)
	}
	slices.SortFunc(ordered, func(a, b *hostChain) int { return cmp.Compare(a.id, b.id) })
	if err := bb.readHosts(ctx, ordered); err != nil {
		return err
	}
	for _, all := range []bool{false, true} {
		if err := bb.encodePass(ctx, ordered, all); err != nil {
			return err
		}
	}
	for t := range bb.jobs {
		var jobs []blobJob
		for _, c := range ordered {
			jobs = append(jobs, c.jobs[t]...)
		}
		if err := bb.insert(ctx, blobTable(t), jobs); err != nil {
			return err
		}
		bb.written = append(bb.written, jobs...)
	}
	return bb.writeHosts(ctx, ordered)
}

func (bb *blobBatch) encodePass(ctx context.Context, chains []*hostChain, all bool) error {
	bases, err := bb.loadBases(ctx, chains, all)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range chains {
		for t := range c.jobs {
			if len(c.rest(blobTable(t))) > 0 {
				g.Go(func() error { return c.encode(ctx, bb.db.codec, blobTable(t), bases[t]) })
			}
		}
	}
	return g.Wait()
}

// loadBases reads stored blobs that the codec may ask for, since a
// transaction serves one goroutine only: all, or the first of each body.
func (bb *blobBatch) loadBases(ctx context.Context, chains []*hostChain, all bool) ([2]baseSet, error) {
	var bases [2]baseSet
	for t := range bases {
		var keys []ContentKey
		for _, c := range chains {
			more, err := c.bases(blobTable(t), all)
			if err != nil {
				return bases, err
			}
			keys = append(keys, more...)
		}
		if bases[t] = (baseSet{all: all}); len(keys) == 0 {
			continue
		}
		// A base that is missing or damaged is passed over.
		blobs, _, err := bb.db.readBlobs(ctx, bb.tx, blobTable(t), keys)
		if err != nil {
			return bases, err
		}
		bases[t].add(keys, blobs)
	}
	return bases, nil
}

func (bb *blobBatch) insert(ctx context.Context, t blobTable, jobs []blobJob) error {
	if len(jobs) == 0 {
		return nil
	}
	// In one order everywhere, so that two writers of the same content wait for
	// each other instead of in a circle.
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b blobJob) int { return bytes.Compare(a.key.Hash[:], b.key.Hash[:]) })
	if err := bb.holdBases(ctx, t, jobs); err != nil {
		return err
	}
	var in struct {
		buckets, sizes []int32
		hashes, bases  [][]byte
		depths         []int16
		data           [][]byte
	}
	for _, j := range jobs {
		in.buckets = append(in.buckets, j.key.Bucket)
		in.hashes = append(in.hashes, j.key.Hash[:])
		in.depths = append(in.depths, int16(j.frame.Depth))
		in.sizes = append(in.sizes, int32(j.frame.RawSize))
		var base []byte
		if j.frame.Depth > 0 {
			base = j.frame.Base.Hash[:]
		}
		in.bases = append(in.bases, base)
		in.data = append(in.data, j.frame.Data)
	}
	tag, err := bb.tx.Exec(ctx, t.insert().sql, in.buckets, in.hashes, in.depths, in.sizes, in.bases, in.data)
	if err != nil {
		return fmt.Errorf("store %s: %w", t, err)
	}
	if tag.RowsAffected() != int64(len(jobs)) {
		return errLostRace
	}
	return nil
}

// holdBases makes sure that the stored blobs that frames were based on are still
// there, and stay until the transaction ends: they may have come from the cache, or
// from the templates of a host that had others a moment later.
func (bb *blobBatch) holdBases(ctx context.Context, t blobTable, jobs []blobJob) error {
	made := make(map[ContentKey]bool, len(jobs))
	for _, j := range jobs {
		made[j.key] = true
	}
	var bases []ContentKey
	for _, j := range jobs {
		if base := keyOf(j.frame.Base); j.frame.Depth > 0 && !made[base] {
			made[base] = true
			bases = append(bases, base)
		}
	}
	if len(bases) == 0 {
		return nil
	}
	have, err := bb.have(ctx, t, bases)
	if err != nil {
		return err
	}
	for _, k := range bases {
		if !have[k] {
			bb.db.blobs.drop(t, k)
			return errLostRace
		}
	}
	return nil
}

func (bb *blobBatch) readHosts(ctx context.Context, chains []*hostChain) error {
	byID := make(map[int64]*hostChain, len(chains))
	ids := make([]PageID, len(chains))
	for i, c := range chains {
		ids[i] = PageID(c.id)
		byID[c.id] = c
	}
	rows, err := bb.tx.Query(ctx, qReadHostStates.sql, ids, bucketsOf(ids))
	if err != nil {
		return fmt.Errorf("read host states: %w", err)
	}
	var id int64
	var stored [2][]byte
	_, err = pgx.ForEachRow(rows, []any{&id, &stored[0], &stored[1]}, func() error {
		for t := range stored {
			if err := byID[id].hosts[t].UnmarshalBinary(stored[t]); err != nil {
				return err
			}
		}
		if bb.restart[id] {
			byID[id].hosts[recordTable] = body.Host{}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read host states: %w", err)
	}
	return nil
}

// writeHosts keeps which bodies serve a host's new pages. Two writers on one
// host may overwrite each other's choice, which costs a few bytes and no more.
func (bb *blobBatch) writeHosts(ctx context.Context, chains []*hostChain) error {
	ids := make([]int64, len(chains))
	var bodies, records [][]byte
	for i, c := range chains {
		ids[i] = c.id
		b, err := c.hosts[bodyTable].MarshalBinary()
		if err != nil {
			return err
		}
		r, err := c.hosts[recordTable].MarshalBinary()
		if err != nil {
			return err
		}
		bodies, records = append(bodies, b), append(records, r)
	}
	if _, err := bb.tx.Exec(ctx, qPutHostStates.sql, ids, bodies, records); err != nil {
		return fmt.Errorf("write host states: %w", err)
	}
	return nil
}

func (bb *blobBatch) insertLinks(ctx context.Context) error {
	if len(bb.links) == 0 {
		return nil
	}
	keys := make([]linkKey, 0, len(bb.links))
	for k := range bb.links {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b linkKey) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	var in struct {
		buckets, n []int32
		hashes     [][16]byte
		targets    [][]byte
	}
	for _, k := range keys {
		in.buckets = append(in.buckets, k.bucket)
		in.hashes = append(in.hashes, k.hash)
		in.n = append(in.n, int32(bb.links[k].n))
		in.targets = append(in.targets, bb.links[k].packed)
	}
	if _, err := bb.tx.Exec(ctx, qInsertLinks.sql, in.buckets, in.hashes, in.n, in.targets); err != nil {
		return fmt.Errorf("store links: %w", err)
	}
	return nil
}

// remember keeps the newest blobs decoded, since the next version of a page will
// most likely be based on them.
func (bb *blobBatch) remember() {
	for _, j := range bb.written {
		if j.frame.Depth < body.MaxDepth { // others are never a base
			bb.db.blobs.put(j.table, j.key, j.raw)
		}
	}
}
