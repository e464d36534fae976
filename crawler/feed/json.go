package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonItem is an item of JSON Feed 1.1.
type jsonItem struct {
	ID          looseString `json:"id"`
	URL         looseString `json:"url"`
	ExternalURL looseString `json:"external_url"`
	Title       looseString `json:"title"`
	Published   looseString `json:"date_published"`
	Modified    looseString `json:"date_modified"`
}

// looseString is a string or a number, since ids are written as both; anything else is empty.
type looseString string

func (s *looseString) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = looseString(text)
		return nil
	}
	var n json.Number
	if json.Unmarshal(b, &n) == nil {
		*s = looseString(n)
	}
	return nil
}

// json reads a JSON Feed, item by item, so that a broken one gives its beginning.
func (p *parser) json(r io.Reader) error {
	d := json.NewDecoder(r)
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("read json feed: %w", err)
	}
	found := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fmt.Errorf("read json feed: %w", err)
		}
		switch key {
		case "title":
			var title looseString
			err = d.Decode(&title)
			p.out.Title = plainText(string(title))
		case "items":
			found = true
			p.out.Format = JSON
			err = p.jsonItems(d)
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
		if err != nil {
			return fmt.Errorf("read json feed: %w", err)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("read json feed: %w", err)
	}
	if !found {
		return fmt.Errorf("%w: json without items", ErrFormat)
	}
	return nil
}

func (p *parser) jsonItems(d *json.Decoder) error {
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('[') {
		return fmt.Errorf("%w: items is no list", ErrFormat)
	}
	for d.More() {
		var it jsonItem
		var mistyped *json.UnmarshalTypeError
		if err := d.Decode(&it); errors.As(err, &mistyped) {
			continue
		} else if err != nil {
			return err
		}
		err := p.add(item{
			base:      p.base,
			links:     []string{string(it.URL), string(it.ExternalURL), absolute(string(it.ID))},
			id:        string(it.ID),
			title:     string(it.Title),
			published: string(it.Published),
			updated:   string(it.Modified),
		})
		if err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// absolute returns s if it is an address by itself, as an id may be.
func absolute(s string) string {
	if resolve(nil, s) == nil {
		return ""
	}
	return s
}
