package store

import (
	"time"

	"github.com/jackc/pgx/v5"
)

var qVersionsBehind = statement{routed, `
	select v.page_id, p.url, v.version, v.first_seen, v.last_seen, v.fetches, v.status, v.bytes, v.words, v.sentences, v.sha256, v.sha1,
	       v.record, v.rules, v.text_hash, v.text_since, v.words_hash, v.links_hash, coalesce(v.title, ''), coalesce(v.language, ''),
	       coalesce(v.charset, ''), coalesce(v.media_type, ''), coalesce(v.coding, ''), v.flags, v.head, v.thinned_at,
	       (select f.detail from core.fetch f
	        where f.bucket = $1 and f.page_id = v.page_id and f.started_at = v.first_seen and f.version = v.version
	        order by f.attempt limit 1)
	from core.version v
	join core.page p on p.bucket = v.bucket and p.page_id = v.page_id
	where v.bucket = $1 and p.bucket = $1 and (v.page_id, v.bucket, v.version) > ($2, $1, $3) and v.page_id < $4
	order by v.page_id, v.version
	limit $5`}

// rebuiltVersion is a version with what it was and what it is to be.
type rebuiltVersion struct {
	page    PageID
	origin  Origin
	was     versionRow
	row     versionRow
	payload []byte
	extract *Extract // nil for one that stays as it is
	targets []Target
}

func scanRebuilt(row pgx.CollectableRow) (*rebuiltVersion, error) {
	var v rebuiltVersion
	w := &v.was
	var hash, sum, record, head []byte
	err := row.Scan(&v.page, &v.origin.URL, &w.number, &w.first, &w.last, &w.fetches, &w.status, &w.bytes, &w.words, &w.sentences, &hash, &sum,
		&record, &w.rules, &w.textHash, &w.textSince, &w.wordsHash, &w.linksHash, &w.title, &w.language,
		&w.charset, &w.mediaType, &w.coding, &w.flags, &head, &w.thinned, &v.origin.Detail)
	if err != nil {
		return nil, err
	}
	copy(w.hash[:], hash)
	copy(w.sha1[:], sum)
	copy(w.record[:], record)
	if w.head, err = unpackHead(head); err != nil {
		return nil, err
	}
	v.row = *w
	v.origin.Head, v.origin.MediaType, v.origin.Coding, v.origin.Flags = w.head, w.mediaType, w.coding, w.flags
	return &v, nil
}

// take fills in what the version says now. Before is the version looked at last,
// of any page.
func (v *rebuiltVersion) take(before *rebuiltVersion) {
	if v.extract != nil {
		v.row.fill(&Capture{extract: v.extract, MediaType: v.was.mediaType, Coding: v.was.coding}, v.payload)
		v.row.title, v.row.language, v.row.charset = cleanText(v.row.title), cleanText(v.row.language), cleanText(v.row.charset)
		v.row.linksHash = nil
		if len(v.targets) > 0 {
			_, hash, _ := PackLinks(v.targets)
			v.row.linksHash = &hash
		}
	}
	follows := before != nil && before.page == v.page
	switch {
	case follows && before.row.textHash == v.row.textHash:
		v.row.textSince = before.row.textSince
	case !follows && v.was.number > 1 && v.row.textHash == v.was.textHash:
		// Retention has dropped the versions before, which knew since when.
	default:
		v.row.textSince = v.was.first
	}
}

// bounds returns the earliest and latest first_seen, which let PostgreSQL skip
// the partitions of all other months.
func bounds(batch []*rebuiltVersion) (earliest, latest time.Time) {
	earliest, latest = batch[0].was.first, batch[0].was.first
	for _, v := range batch {
		if v.was.first.Before(earliest) {
			earliest = v.was.first
		}
		if v.was.first.After(latest) {
			latest = v.was.first
		}
	}
	return earliest, latest
}
