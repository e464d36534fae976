package store

import (
	"context"
	"crypto/sha1" //nolint:gosec // archives name payloads by it
	"crypto/sha256"
	"fmt"
)

// prepareVersions fills in what each new version says: the extract of its
// payload and its packed links; and hands bodies and records to the blob batch.
func (b *batch) prepareVersions(ctx context.Context) error {
	for _, p := range b.pages {
		for _, o := range p.fresh {
			// The payload of an answer that made no version is kept all the same.
			if !o.content() && o.capture.Payload != nil {
				b.blobs.offer(p.id, o.hash, o.capture.Payload)
				b.blobs.addBody(p, o.hash)
			}
		}
		for _, v := range p.timeline.made {
			if v.capture == nil {
				continue // read before
			}
			payload, err := b.blobs.payload(ctx, p.id, v.hash)
			if err != nil {
				return err
			}
			c := v.capture
			if c.extract == nil {
				b.unread = append(b.unread, unreadCapture{c, payload})
				continue
			}
			v.fill(c, payload)
			b.blobs.addBody(p, v.hash)
			b.blobs.addRecord(p, v.record, c.extract.Record)
			b.blobs.addLinks(p.id, v, c.targets)
		}
		p.timeline.dateTexts(p.extended)
	}
	if len(b.unread) > 0 {
		return errUnread
	}
	return nil
}

// fill takes over what the capture's payload says.
func (v *versionRow) fill(c *Capture, payload []byte) {
	e := c.extract
	v.bytes = int64(len(payload))
	if v.sha1 == (SHA1{}) { // named by its SHA-256 only
		v.sha1 = sha1.Sum(payload) //nolint:gosec // archives name payloads by it
	}
	v.words, v.sentences = e.Words, e.Sentences
	v.record = sha256.Sum256(e.Record)
	v.rules = e.Rules
	v.textHash, v.wordsHash = e.TextHash, e.WordsHash
	v.title, v.language, v.charset = e.Title, e.Language, e.Charset
	v.mediaType, v.coding = c.MediaType, c.Coding
	v.flags = make([]string, 0, len(e.Flags))
	for _, f := range e.Flags {
		v.flags = append(v.flags, cleanText(f))
	}
}

// addLinks packs the links of a version.
func (bb *blobBatch) addLinks(page PageID, v *versionRow, targets []Target) {
	if len(targets) == 0 {
		return
	}
	packed, hash, n := PackLinks(targets)
	v.linksHash = &hash
	bb.links[linkKey{page.Bucket(), hash}] = linkRow{packed: packed, n: n}
}

// String names a content in messages.
func (h SHA256) String() string { return fmt.Sprintf("%x", h[:]) }
