package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// A revisit record of an archive says "the same payload as then", by the
// payload's SHA-1 or SHA-256, and sometimes of another URL. The payload may be in
// this batch, in the database, or in a file that is imported later.

var qHashesBySHA1 = statement{routed, `
	select v.page_id, v.sha1, v.sha256 from core.version v
	where v.bucket = any($2::int[]) and v.page_id = any($1::bigint[]) and v.sha1 = any($3::bytea[])`}

// contentName is how a record names a payload: one of the hashes, and the URL
// that brought it.
type contentName struct {
	url    string
	sha1   SHA1
	sha256 SHA256
}

// name is how c names the payload that it has not.
func (c *Capture) name() contentName {
	if c.PayloadHash != (SHA256{}) {
		return contentName{url: c.source(), sha256: c.PayloadHash}
	}
	return contentName{url: c.source(), sha1: c.PayloadSHA1}
}

// resolveRevisits gives captures that only name their payload by SHA-1 its
// content id, and those that refer to another page's payload the payload itself.
// What is not found stays without.
func (db *DB) resolveRevisits(ctx context.Context, caps []*Capture, ids map[string]PageID) error {
	var wanted []*Capture
	known := map[contentName]*Capture{}
	for _, c := range caps {
		c.hash()
		if c.Payload != nil && !c.lent {
			known[contentName{url: c.URL, sha1: c.PayloadSHA1}] = c
			known[contentName{url: c.URL, sha256: c.PayloadHash}] = c
		}
	}
	for _, c := range caps {
		if c.Outcome != "" || c.Payload != nil || c.PayloadHash != (SHA256{}) && c.RefersTo == "" {
			continue
		}
		if from, ok := known[c.name()]; ok {
			c.PayloadHash, c.PayloadSHA1 = from.PayloadHash, from.PayloadSHA1
			if c.RefersTo != "" {
				c.Payload, c.lent = from.Payload, true
			}
			continue
		}
		wanted = append(wanted, c)
	}
	if len(wanted) == 0 {
		return nil
	}
	pages, err := db.pagesByURL(ctx, wanted, ids)
	if err != nil {
		return err
	}
	found, err := db.hashesBySHA1(ctx, wanted, pages)
	if err != nil {
		return err
	}
	for _, c := range wanted {
		page, ok := pages[c.source()]
		if !ok {
			continue
		}
		if c.PayloadHash == (SHA256{}) {
			if c.PayloadHash, ok = found[pageSHA1{page, c.PayloadSHA1}]; !ok {
				continue
			}
		}
		if page.Bucket() != ids[c.URL].Bucket() {
			key := ContentKey{page.Bucket(), c.PayloadHash}
			got, err := db.contents(ctx, db.pool, bodyTable, []ContentKey{key})
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return fmt.Errorf("revisit of %s: %w", c.RefersTo, err)
			}
			c.Payload, c.lent = got[key], true
		}
	}
	return nil
}

// source is the URL whose capture brought the payload.
func (c *Capture) source() string {
	if c.RefersTo != "" {
		return c.RefersTo
	}
	return c.URL
}

type pageSHA1 struct {
	page PageID
	sum  SHA1
}

func (db *DB) pagesByURL(ctx context.Context, caps []*Capture, ids map[string]PageID) (map[string]PageID, error) {
	out := map[string]PageID{}
	var look []*newPage
	for _, c := range caps {
		url := c.source()
		if id, ok := ids[url]; ok {
			out[url] = id
			continue
		}
		if id, _, ok := db.pages.get(url); ok {
			out[url] = id
			continue
		}
		if facts, err := canonical.FactsOf(url); err == nil {
			look = append(look, &newPage{url: url, facts: facts, at: c.StartedAt})
		}
	}
	if len(look) == 0 {
		return out, nil
	}
	if _, _, err := db.findPages(ctx, look); err != nil {
		return nil, err
	}
	for _, p := range look {
		if p.id != 0 {
			out[p.url] = p.id
		}
	}
	return out, nil
}

func (db *DB) hashesBySHA1(ctx context.Context, caps []*Capture, pages map[string]PageID) (map[pageSHA1]SHA256, error) {
	var ids []PageID
	var sums [][]byte
	for _, c := range caps {
		if id, ok := pages[c.source()]; ok && c.PayloadHash == (SHA256{}) {
			ids = append(ids, id)
			sums = append(sums, c.PayloadSHA1[:])
		}
	}
	out := map[pageSHA1]SHA256{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := db.pool.Query(ctx, qHashesBySHA1.sql, ids, bucketsOf(ids), sums)
	if err != nil {
		return nil, fmt.Errorf("find payloads of revisits: %w", err)
	}
	var k pageSHA1
	var sum, hash []byte
	_, err = pgx.ForEachRow(rows, []any{&k.page, &sum, &hash}, func() error {
		copy(k.sum[:], sum)
		out[k] = SHA256(hash)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find payloads of revisits: %w", err)
	}
	return out, nil
}

// nameContents gives observations that know only the SHA-1 of their payload the
// content id, where another observation of the page knows both.
func nameContents(obs []*observation) {
	byName := map[SHA1]SHA256{}
	for _, o := range obs {
		if o.hash != (SHA256{}) && o.sha1 != (SHA1{}) {
			byName[o.sha1] = o.hash
		}
	}
	for _, o := range obs {
		if o.hash == (SHA256{}) && o.sha1 != (SHA1{}) {
			o.hash = byName[o.sha1]
		}
	}
}

// missingNote is what a fetch keeps, as its detail, of a payload that is not at
// hand; the payload's SHA-256, when that is its name, is the fetch's own.
type missingNote struct {
	SHA1     string `json:"payload_sha1,omitempty"` // hex
	RefersTo string `json:"refers_to,omitempty"`
}

func missingDetail(sum SHA1, refersTo string) []byte {
	note := missingNote{RefersTo: refersTo}
	if sum != (SHA1{}) {
		note.SHA1 = hex.EncodeToString(sum[:])
	}
	b, err := json.Marshal(note)
	if err != nil {
		return nil
	}
	return b
}

func missingOf(detail []byte) (sum SHA1, refersTo string) {
	var note missingNote
	if json.Unmarshal(detail, &note) != nil {
		return SHA1{}, ""
	}
	if b, err := hex.DecodeString(note.SHA1); err == nil && len(b) == len(sum) {
		copy(sum[:], b)
	}
	return sum, note.RefersTo
}
