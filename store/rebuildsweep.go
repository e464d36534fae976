package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/store/body"
)

// Deleting a record must not meet a writer that has just found it stored and is
// about to refer to it. Every writer of versions holds a shared lock until its
// transaction ends (lockStates); deleting takes it alone.
const sweepRecords = 1000 // records a transaction

var (
	qHoldBlobs  = statement{local, `select pg_advisory_xact_lock_shared(7305820)`}
	qSweepBlobs = statement{local, `select pg_advisory_xact_lock(7305820)`}
	// Candidates: records that are no version's. Some are bases of others still.
	qLooseRecords = statement{all, `
		select r.bucket, r.sha256 from core.record r
		where not exists (select 1 from core.version v where v.bucket = r.bucket and v.record = r.sha256)
		order by r.bucket`}
	qRecordChains = statement{routed, `
		select record_chain from core.page_state
		where bucket = $1 and page_id >= $2 and page_id < $3 and record_chain is not null`}
	qRecordTemplates = statement{routed, `
		select record_templates from core.host_state
		where bucket = $1 and host_id >= $2 and host_id < $3 and record_templates is not null`}
	// A record stays that a version or a chain names, and the up to three records
	// that one needs to be read.
	qDeleteRecords = statement{routed, `
		with live as (
			select v.record as h from core.version v where v.bucket = $1 and v.page_id >= $2 and v.page_id < $3
			union select unnest($4::bytea[])
		), one as (
			select r.base_sha256 as h from live join core.record r on r.bucket = $1 and r.sha256 = live.h where r.base_sha256 is not null
		), two as (
			select r.base_sha256 as h from one join core.record r on r.bucket = $1 and r.sha256 = one.h where r.base_sha256 is not null
		), three as (
			select r.base_sha256 as h from two join core.record r on r.bucket = $1 and r.sha256 = two.h where r.base_sha256 is not null
		), kept as (
			select h from live union select h from one union select h from two union select h from three
		)
		delete from core.record r
		where r.bucket = $1 and r.sha256 = any($5::bytea[]) and not exists (select 1 from kept where kept.h = r.sha256)`}
)

// sweep deletes the records that nothing refers to.
func (r *rebuild) sweep(ctx context.Context) error {
	rows, err := r.db.pool.Query(ctx, qLooseRecords.sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	var loose [][]byte
	var at int32
	flush := func() error {
		if len(loose) == 0 {
			return nil
		}
		n, err := r.deleteRecords(ctx, at, loose)
		r.report.Deleted += n
		loose = nil
		return err
	}
	var bucket int32
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&bucket, &hash}, func() error {
		if bucket != at || len(loose) == sweepRecords {
			if err := flush(); err != nil {
				return err
			}
			at = bucket
		}
		loose = append(loose, slices.Clone(hash))
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// deleteRecords deletes those of a bucket's records that nothing refers to.
func (r *rebuild) deleteRecords(ctx context.Context, bucket int32, loose [][]byte) (int, error) {
	from, to := int64(bucket)<<bucketShift, int64(bucket+1)<<bucketShift
	var deleted int64
	err := r.db.inTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, qSweepBlobs.sql); err != nil {
			return err
		}
		// What a chain names may become a base by a writer that has it in memory.
		var named [][]byte
		add := func(q statement, candidates func([]byte) ([]body.Ref, error)) error {
			rows, err := tx.Query(ctx, q.sql, bucket, from, to)
			if err != nil {
				return err
			}
			var stored []byte
			_, err = pgx.ForEachRow(rows, []any{&stored}, func() error {
				refs, err := candidates(stored)
				for _, ref := range refs {
					named = append(named, slices.Clone(ref.Hash[:]))
				}
				return err
			})
			return err
		}
		if err := add(qRecordChains, func(b []byte) ([]body.Ref, error) {
			var s body.State
			err := s.UnmarshalBinary(b)
			return s.Candidates(), err
		}); err != nil {
			return fmt.Errorf("read record chains: %w", err)
		}
		if err := add(qRecordTemplates, func(b []byte) ([]body.Ref, error) {
			var h body.Host
			err := h.UnmarshalBinary(b)
			return h.Candidates(), err
		}); err != nil {
			return fmt.Errorf("read record templates: %w", err)
		}
		tag, err := tx.Exec(ctx, qDeleteRecords.sql, bucket, from, to, named, loose)
		deleted = tag.RowsAffected()
		return err
	})
	return int(deleted), err
}
