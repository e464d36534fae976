package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/body"
)

var (
	qSameVersions = statement{routed, `
		select count(*) from core.version t
		join unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::bytea[]) v(page_id, version, first_seen, sha256)
		     on t.page_id = v.page_id and t.version = v.version and t.first_seen = v.first_seen and t.sha256 = v.sha256
		where t.bucket = any($5::int[]) and t.first_seen >= $6 and t.first_seen <= $7`}
	// Flags come as one text each, since arrays of arrays would have to be of one length.
	qRewriteVersions = statement{routed, `
		update core.version t
		set words = v.words, sentences = v.sentences, record = v.record, rules = v.rules, text_hash = v.text_hash, text_since = v.text_since,
		    words_hash = v.words_hash, links_hash = v.links_hash, title = v.title, language = v.language, charset = v.charset,
		    flags = string_to_array(v.flags, ',')
		from unnest($1::bigint[], $2::int[], $3::timestamptz[], $4::int[], $5::int[], $6::bytea[], $7::smallint[], $8::uuid[], $9::timestamptz[],
		            $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::text[], $15::text[])
		     v(page_id, version, first_seen, words, sentences, record, rules, text_hash, text_since, words_hash, links_hash, title, language,
		       charset, flags)
		where t.bucket = any($16::int[]) and t.page_id = v.page_id and t.version = v.version and t.first_seen = v.first_seen
		  and t.first_seen >= $17 and t.first_seen <= $18`}
	qRepairRecords = statement{routed, `
		update core.record r set depth = v.depth, raw_size = v.raw_size, base_sha256 = v.base_sha256, data = v.data
		from unnest($1::bytea[], $2::smallint[], $3::int[], $4::bytea[], $5::bytea[]) v(sha256, depth, raw_size, base_sha256, data)
		where r.bucket = $6 and r.sha256 = v.sha256`}
)

// rebuildWrite is the transaction of one batch.
type rebuildWrite struct {
	*rebuild
	versions []*rebuiltVersion

	pages     map[PageID]*pageBatch
	counts    RebuildReport
	restarted PageID
	hosts     map[int64]bool // whose templates begin anew
	blobs     *blobBatch
}

func (w *rebuildWrite) write(ctx context.Context, tx pgx.Tx) error {
	var ids []PageID
	for _, v := range w.versions {
		ids = append(ids, v.page)
	}
	ids = slices.Compact(ids) // they are sorted
	states, err := lockStates(ctx, tx, ids)
	if err != nil {
		return err
	}
	if err := w.same(ctx, tx, ids); err != nil {
		return err
	}
	w.counts, w.restarted, w.hosts = RebuildReport{Versions: len(w.versions)}, w.rebuild.restarted, map[int64]bool{}
	w.pages = make(map[PageID]*pageBatch, len(ids))
	for _, id := range ids {
		w.pages[id] = &pageBatch{id: id, state: states[id]}
	}
	if err := w.storeContents(ctx, tx); err != nil {
		return err
	}
	if err := w.rewrite(ctx, tx, ids); err != nil {
		return err
	}
	queue := make([]pageVersion, len(w.versions))
	ordered := make([]*PageState, len(ids))
	for i, id := range ids {
		ordered[i] = states[id]
	}
	for i, v := range w.versions {
		queue[i] = pageVersion{v.page, &v.row}
		if s := states[v.page]; s.Version == v.row.number {
			s.Title, s.Language, s.textHash, s.textSince = v.row.title, v.row.language, v.row.textHash, v.row.textSince
		}
	}
	if err := (&batch{db: w.db}).enqueue(ctx, tx, queue, append([]string{StageCopies}, stages...)...); err != nil {
		return err
	}
	for _, id := range ids {
		for _, q := range []statement{qDropAnalysis, qDropText, qDropPassages, qDropSketches} {
			if _, err := tx.Exec(ctx, q.sql, id, id.Bucket()); err != nil {
				return fmt.Errorf("drop what was computed of page %d: %w", id, err)
			}
		}
	}
	return updateStates(ctx, tx, ordered)
}

// done takes over what the transaction has made true.
func (w *rebuildWrite) done() {
	r := w.rebuild
	r.report.Versions += w.counts.Versions
	r.report.Changed += w.counts.Changed
	r.report.Records += w.counts.Records
	r.report.Repaired += w.counts.Repaired
	r.restarted = w.restarted
	for id := range w.hosts {
		r.hosts[id] = true
	}
	w.blobs.remember()
}

// same makes sure that the versions are still those that were read.
func (w *rebuildWrite) same(ctx context.Context, tx pgx.Tx, ids []PageID) error {
	var pages []PageID
	var numbers []int32
	var first []time.Time
	var hashes [][]byte
	for _, v := range w.versions {
		pages, numbers = append(pages, v.page), append(numbers, v.was.number)
		first, hashes = append(first, v.was.first), append(hashes, v.was.hash[:])
	}
	earliest, latest := bounds(w.versions)
	var n int
	if err := tx.QueryRow(ctx, qSameVersions.sql, pages, numbers, first, hashes, bucketsOf(ids), earliest, latest).Scan(&n); err != nil {
		return fmt.Errorf("look up versions: %w", err)
	}
	if n != len(w.versions) {
		return errMoved
	}
	return nil
}

// storeContents stores records and links that are missing, and records that are
// damaged.
func (w *rebuildWrite) storeContents(ctx context.Context, tx pgx.Tx) error {
	raws := map[ContentKey][]byte{}
	var keys []ContentKey
	for _, v := range w.versions {
		if v.extract == nil {
			continue
		}
		key := ContentKey{v.page.Bucket(), v.row.record}
		if _, ok := raws[key]; !ok {
			raws[key] = v.extract.Record
			keys = append(keys, key)
		}
	}
	w.blobs = newBlobBatch(w.db, tx)
	if len(keys) > 0 { // what is found stored stays until the end of the transaction
		if _, err := w.blobs.have(ctx, recordTable, keys); err != nil {
			return err
		}
	}
	stored, bad, err := w.db.readBlobs(ctx, tx, recordTable, keys)
	if err != nil {
		return err
	}
	w.blobs.restart = w.hosts
	for _, v := range w.versions {
		if v.extract == nil {
			continue
		}
		p := w.pages[v.page]
		w.blobs.addLinks(v.page, &v.row, v.targets)
		key := ContentKey{v.page.Bucket(), v.row.record}
		if _, ok := stored[key]; ok || bad[key] != nil {
			continue
		}
		if w.restarted != v.page {
			w.restarted, p.state.recordChain = v.page, nil
		}
		if host := p.state.HostID; !w.rebuild.hosts[host] {
			w.hosts[host] = true
		}
		w.blobs.addRecord(p, v.row.record, v.extract.Record)
	}
	if err := w.blobs.store(ctx); err != nil {
		return err
	}
	w.counts.Records = len(w.blobs.written)
	return w.repair(ctx, tx, raws, bad)
}

// repair makes the frames of damaged records anew, each on the base that it had
// where that can be had, so that its bytes are the same as before the damage.
func (w *rebuildWrite) repair(ctx context.Context, tx pgx.Tx, raws map[ContentKey][]byte, bad map[ContentKey]error) error {
	if len(bad) == 0 {
		return nil
	}
	var keys []ContentKey
	for k := range bad {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b ContentKey) int { return bytes.Compare(a.Hash[:], b.Hash[:]) })
	r := blobReader{codec: w.db.codec, table: recordTable, frames: map[ContentKey]body.Frame{}}
	bases, err := r.load(ctx, tx, keys)
	if err != nil {
		return err
	}
	if _, err = r.load(ctx, tx, bases); err != nil {
		return err
	}
	known, _, err := w.db.readBlobs(ctx, tx, recordTable, bases)
	if err != nil {
		return err
	}
	var in struct {
		hashes, bases, data [][]byte
		depths              []int16
		sizes               []int32
	}
	for _, k := range keys {
		base := ContentKey{k.Bucket, r.frames[k].Base.Hash}
		raw, ok := known[base]
		if !ok {
			raw, ok = raws[base]
		}
		var ref body.Ref
		if depth := r.frames[k].Depth; ok && depth > 0 && r.frames[base].Depth == depth-1 {
			ref = base.ref()
		} else {
			raw = nil
		}
		f, err := w.db.codec.EncodeOn(body.Body{Ref: k.ref(), Raw: raws[k]}, ref, r.frames[base].Depth, raw)
		if err != nil {
			return err
		}
		in.hashes, in.data = append(in.hashes, k.Hash[:]), append(in.data, f.Data)
		in.depths, in.sizes = append(in.depths, int16(f.Depth)), append(in.sizes, int32(f.RawSize))
		var named []byte
		if f.Depth > 0 {
			named = f.Base.Hash[:]
		}
		in.bases = append(in.bases, named)
	}
	if _, err := tx.Exec(ctx, qRepairRecords.sql, in.hashes, in.depths, in.sizes, in.bases, in.data, keys[0].Bucket); err != nil {
		return fmt.Errorf("repair records: %w", err)
	}
	w.counts.Repaired = len(keys)
	return nil
}

// rewrite writes the rows of the versions that say something else now.
func (w *rebuildWrite) rewrite(ctx context.Context, tx pgx.Tx, ids []PageID) error {
	var in struct {
		pages                                 []PageID
		numbers, words, sentences             []int32
		first, since                          []time.Time
		records                               [][]byte
		rules                                 []int16
		text, wordSets                        [][16]byte
		links                                 []*[16]byte
		titles, languages, charsets, allFlags []*string
	}
	for _, v := range w.versions {
		if sameRow(&v.was, &v.row) {
			continue
		}
		row := &v.row
		in.pages, in.numbers, in.first = append(in.pages, v.page), append(in.numbers, row.number), append(in.first, row.first)
		in.words, in.sentences = append(in.words, int32(row.words)), append(in.sentences, int32(row.sentences))
		in.records, in.rules = append(in.records, row.record[:]), append(in.rules, int16(row.rules))
		in.text, in.since = append(in.text, row.textHash), append(in.since, row.textSince)
		in.wordSets, in.links = append(in.wordSets, row.wordsHash), append(in.links, row.linksHash)
		in.titles, in.languages = append(in.titles, textOrNil(row.title)), append(in.languages, textOrNil(row.language))
		in.charsets = append(in.charsets, textOrNil(row.charset))
		flags := strings.Join(row.flags, ",")
		in.allFlags = append(in.allFlags, &flags)
	}
	if len(in.pages) == 0 {
		return nil
	}
	earliest, latest := bounds(w.versions)
	tag, err := tx.Exec(ctx, qRewriteVersions.sql, in.pages, in.numbers, in.first, in.words, in.sentences, in.records, in.rules, in.text, in.since,
		in.wordSets, in.links, in.titles, in.languages, in.charsets, in.allFlags, bucketsOf(ids), earliest, latest)
	if err != nil {
		return fmt.Errorf("rewrite versions: %w", err)
	}
	if tag.RowsAffected() != int64(len(in.pages)) {
		return errMoved
	}
	w.counts.Changed = len(in.pages)
	return nil
}

// sameRow reports whether two rows of a version say the same.
func sameRow(a, b *versionRow) bool {
	return a.words == b.words && a.sentences == b.sentences && a.record == b.record && a.rules == b.rules && a.textHash == b.textHash &&
		a.textSince.Equal(b.textSince) && a.wordsHash == b.wordsHash && sameLinks(a.linksHash, b.linksHash) &&
		a.title == b.title && a.language == b.language && a.charset == b.charset && slices.Equal(a.flags, b.flags)
}

func sameLinks(a, b *[16]byte) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
