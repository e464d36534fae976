package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/strandlinehq/strandline/store"
)

// versionTable reads the versions of a page for its table: the newest first, or in the
// order and behind the place that the address names. The parameter before takes the
// versions before one, as the days of the calendar do.
func (s *Server) versionTable(r *http.Request, b *pageBody) error {
	q := r.URL.Query()
	base := fmt.Sprintf("/pages/%d", b.Page)
	key, reversed := strings.CutPrefix(q.Get("order"), "-")
	by := store.VersionOrder(key)
	if key == "" {
		by = store.ByNumber
	}
	after, err := readVersionMark(q.Get("after"))
	if err != nil {
		return err
	}
	if text := q.Get("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			return badRequest("Versions are counted from 1.")
		}
		by, reversed = store.ByNumber, false
		after = &store.VersionMark{Value: -float64(n), Number: int32(n)}
	}
	known := false
	at := func(order, after string) string { return query(base, "order", order, "after", after) + "#versions" }
	column := func(name string, order store.VersionOrder, falls bool) head {
		h := head{Name: name, Number: true, Href: at(string(order), "")}
		if order == by {
			known = true
			h.Sorted = "ascending"
			if falls != reversed {
				h.Sorted = "descending"
			}
			if !reversed {
				h.Href = at("-"+string(order), "")
			}
		}
		return h
	}
	b.Heads = []head{
		{Name: "A", Note: "the older one to compare"},
		{Name: "B", Note: "the newer one to compare"},
		column("Version", store.ByNumber, true),
		{Name: "First seen"},
		{Name: "Last seen"},
		column("Fetches", store.ByFetches, true),
		{Name: "Status", Number: true},
		column("Bytes", store.ByBytes, true),
		column("Words", store.ByWords, true),
		column("Dice", store.ByDice, false),
		{Name: "Change"},
	}
	if !known {
		return badRequest("Versions can be sorted by version, fetches, bytes, words or dice, each also with a minus before it.")
	}
	if by == store.ByNumber && !reversed { // this order has an index
		before := int32(math.MaxInt32)
		if after != nil {
			before = after.Number
		}
		b.Versions, err = s.db.VersionsBefore(r.Context(), b.Page, before, rowsAPage+1)
	} else {
		b.Versions, err = s.db.VersionsBy(r.Context(), b.Page, by, reversed, after, rowsAPage+1)
	}
	if err != nil {
		return err
	}
	order := string(by)
	if reversed {
		order = "-" + order
	}
	if b.ByTime = order == string(store.ByNumber); b.ByTime {
		order = ""
	}
	if len(b.Versions) > rowsAPage {
		b.Versions = b.Versions[:rowsAPage]
		b.Next = at(order, writeVersionMark(b.Versions[rowsAPage-1].Mark(by, reversed)))
	}
	if after != nil {
		b.First = at(order, "")
	}
	return nil
}

// writeVersionMark writes the place of a version for an address.
func writeVersionMark(m store.VersionMark) string {
	return fmt.Sprintf("%s_%d", strconv.FormatFloat(m.Value, 'g', -1, 64), m.Number)
}

func readVersionMark(text string) (*store.VersionMark, error) {
	if text == "" {
		return nil, nil
	}
	value, number, ok := strings.Cut(text, "_")
	v, err := strconv.ParseFloat(value, 64)
	n, err2 := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil || err2 != nil || math.IsNaN(v) || n < 0 {
		return nil, badRequest("The place to go on from is not one that a list has given out.")
	}
	return &store.VersionMark{Value: v, Number: int32(n)}, nil
}
