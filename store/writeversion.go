package store

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// prepareVersions fills in what each new version says: the extract of its
// payload and its packed links; and hands bodies and records to the blob batch.
func (b *batch) prepareVersions(ctx context.Context) error {
	var sightings []Sighting
	for _, p := range b.pages {
		for _, o := range p.fresh {
			// The payload of an answer that made no version is kept all the same.
			if !o.content() && o.capture.Payload != nil && o.hash != (SHA256{}) && !o.duplicateOf(p) {
				b.blobs.offer(p.id, o.hash, o.capture.Payload)
				b.blobs.addBody(p, o.hash)
			}
		}
		for _, v := range p.timeline.made {
			if v.opened == nil || v.opened.capture == nil {
				continue
			}
			payload, err := b.blobs.payload(ctx, p.id, v.hash)
			if err != nil {
				return err
			}
			c := v.opened.capture
			v.fill(c, payload)
			b.blobs.addBody(p, v.hash)
			b.blobs.addRecord(p, v.record, c.extract.Record)
			for _, l := range c.extract.Links {
				sightings = append(sightings, Sighting{l.URL, c.StartedAt})
			}
		}
	}
	for _, p := range b.pages {
		p.timeline.dateTexts(p.extended)
	}
	if len(sightings) == 0 {
		return nil
	}
	// Pages are found or made on a connection of their own: they are as good
	// without this batch, and making them here would hold their rows locked.
	ids, err := b.db.ResolvePages(ctx, sightings)
	if err != nil {
		return err
	}
	for _, p := range b.pages {
		for _, v := range p.timeline.made {
			if v.opened != nil && v.opened.capture != nil {
				b.blobs.addLinks(p.id, v, v.opened.capture.extract.Links, ids)
			}
		}
	}
	return nil
}

// fill takes over what the capture's payload says.
func (v *versionRow) fill(c *Capture, payload []byte) {
	e := c.extracted(payload)
	v.bytes = int64(len(payload))
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

// duplicateOf reports whether o was stored before, as part of an earlier batch.
func (o *observation) duplicateOf(p *pageBatch) bool {
	for _, d := range p.dropped {
		if d == o {
			return true
		}
	}
	return false
}

// addLinks packs the links of a version.
func (bb *blobBatch) addLinks(page PageID, v *versionRow, links []Link, ids map[string]PageID) {
	if len(links) == 0 {
		return
	}
	targets := make([]Target, 0, len(links))
	for _, l := range links {
		if id := ids[l.URL]; id != 0 {
			targets = append(targets, Target{Page: id, NoFollow: l.NoFollow})
		}
	}
	packed, hash, n := PackLinks(targets)
	v.linksHash = &hash
	bb.links[linkKey{page.Bucket(), hash}] = linkRow{packed: packed, n: n}
}

// String names a content in messages.
func (h SHA256) String() string { return fmt.Sprintf("%x", h[:]) }
