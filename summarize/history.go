package summarize

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/strandlinehq/strandline/store"
	"github.com/strandlinehq/strandline/summarize/novel"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

// What a period adds to the history of its topic is stored as one zstd frame of
//
//	number of texts, then each: its length and bytes    (unsigned varints)
//	repeat.Index of the sentences, whose keys are the numbers of their texts
//
// so that a period can be computed anew without those before it.

var errHistoryDamaged = errors.New("the history of a topic is damaged")

// history is what was said in a topic before a period.
type history struct {
	index *repeat.Index
	texts []string // by key
}

// text of a past sentence, "" where it is not known.
func (h *history) text(key int64) string {
	if key < 0 || key >= int64(len(h.texts)) {
		return ""
	}
	return h.texts[key]
}

// add remembers sentences as those of a period and returns its stored form.
func (h *history) add(sentences []novel.Sentence, period int64) ([]byte, error) {
	own := repeat.NewIndex(repeat.Options{})
	novel.Remember(own, sentences, period, 0)
	first := int64(len(h.texts))
	own.Each(func(s repeat.Sentence) {
		s.Key += first
		h.index.Add(s)
	})
	var raw []byte
	raw = binary.AppendUvarint(raw, uint64(len(sentences)))
	for i := range sentences {
		h.texts = append(h.texts, sentences[i].Text)
		raw = binary.AppendUvarint(raw, uint64(len(sentences[i].Text)))
		raw = append(raw, sentences[i].Text...)
	}
	raw = own.Append(raw)
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("compress the history of a topic: %w", err)
	}
	out := e.EncodeAll(raw, nil)
	return out, e.Close()
}

// mostHistory bounds what a period's history unpacks to.
const mostHistory = 512 << 20

// take adds the stored form of a period.
func (h *history) take(data []byte, period int64) error {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostHistory))
	if err != nil {
		return fmt.Errorf("unpack the history of a topic: %w", err)
	}
	defer d.Close()
	raw, err := d.DecodeAll(data, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", errHistoryDamaged, err)
	}
	n, used := binary.Uvarint(raw)
	if used <= 0 || n > uint64(len(raw)) {
		return errHistoryDamaged
	}
	raw = raw[used:]
	first := int64(len(h.texts))
	for range n {
		length, used := binary.Uvarint(raw)
		if used <= 0 || length > uint64(len(raw)-used) {
			return errHistoryDamaged
		}
		h.texts = append(h.texts, string(raw[used:used+int(length)]))
		raw = raw[used+int(length):]
	}
	own, err := repeat.Decode(raw, repeat.Options{})
	if err != nil {
		return fmt.Errorf("%w: %w", errHistoryDamaged, err)
	}
	own.Each(func(s repeat.Sentence) {
		s.Key += first
		s.Period = period
		h.index.Add(s)
	})
	return nil
}

// readHistory reads what was said before a time. periods numbers the periods.
func (r *Runner) readHistory(ctx context.Context, id store.TopicID, before time.Time) (*history, error) {
	h := &history{index: repeat.NewIndex(repeat.Options{})}
	list, err := r.db.TopicHistory(ctx, id, before)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		// Periods are numbered by their start, in minutes: it rises, and gaps do not matter.
		if err := h.take(p.Data, number(p.Start)); err != nil {
			return nil, fmt.Errorf("period of %s: %w", p.Start.UTC().Format(time.RFC3339), err)
		}
	}
	return h, nil
}

func number(start time.Time) int64 { return start.Unix() / 60 }
