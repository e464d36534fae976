package body

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictID marks frames that need a base. A decoder without a dictionary of this number refuses them.
	dictID = 1
	// pooledWindow is the window of the encoders that are kept. Body and base together fit it for all
	// but the largest pages; those get an encoder of their own size, one at a time.
	pooledWindow = 1 << 20
	// maxWindow is more than the window of any frame made here.
	maxWindow = 1 << 26
)

// level is a pair of encoder settings: one to compare bases with, one for what is stored.
type level int

const (
	fast level = iota // 40 to 150 us for a page, within 15 % of fine
	fine              // about 600 us
	levels
)

// Options sizes a Codec.
type Options struct {
	// Workers is the number of bodies compressed at the same time, each worker keeping some 10 MB of
	// encoder tables; further calls wait. Zero means GOMAXPROCS.
	Workers int
}

// Codec turns bodies into frames and back. It holds only encoders and decoders, nothing about pages,
// and may be used from many goroutines. What it writes depends on its arguments alone.
//
// A zstd encoder costs more to set up than to run on a page, so each is kept and given a new dictionary
// instead of being made anew (2.0 ms against 0.6 ms for a small page at the fine level).
type Codec struct {
	slots    chan *slot
	large    chan struct{} // held while an encoder above pooledWindow lives
	decoders sync.Pool     // of *zstd.Decoder
}

// slot is what one worker compresses with; encoders are made on first use.
type slot struct {
	full [levels]*zstd.Encoder // without dictionary
	dict [levels]*zstd.Encoder // with one, replaced for every body
	out  bytes.Buffer
}

// New makes a Codec. Nothing is allocated before it is used.
func New(o Options) *Codec {
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	c := &Codec{slots: make(chan *slot, n), large: make(chan struct{}, 1)}
	for range n {
		c.slots <- new(slot)
	}
	return c
}

// compress returns raw as one zstd frame, with dict as raw-content dictionary unless it is nil.
func (c *Codec) compress(raw, dict []byte, l level) ([]byte, error) {
	need := len(raw) + len(dict)
	if need > pooledWindow {
		c.large <- struct{}{}
		defer func() { <-c.large }()
		// The window must span body and dictionary: zstd lets a body reach its dictionary only as long as
		// no more than a window has been decoded.
		return new(slot).compress(raw, dict, l, 1<<bits.Len(uint(need-1)))
	}
	s := <-c.slots
	defer func() { c.slots <- s }()
	return s.compress(raw, dict, l, pooledWindow)
}

func (s *slot) compress(raw, dict []byte, l level, window int) ([]byte, error) {
	opts := []zstd.EOption{
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel([...]zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBetterCompression}[l]),
		zstd.WithWindowSize(window),
	}
	if dict == nil {
		if s.full[l] == nil {
			e, err := zstd.NewWriter(nil, opts...)
			if err != nil {
				return nil, fmt.Errorf("make encoder: %w", err)
			}
			s.full[l] = e
		}
		return s.full[l].EncodeAll(raw, nil), nil
	}

	// The stream interface, since ResetWithOptions indexes the dictionary for the stream's encoder and
	// EncodeAll would index it a second time for another one.
	s.out.Reset()
	withDict := zstd.WithEncoderDictRaw(dictID, dict)
	if s.dict[l] == nil {
		e, err := zstd.NewWriter(&s.out, append(opts, withDict)...)
		if err != nil {
			return nil, fmt.Errorf("make encoder: %w", err)
		}
		s.dict[l] = e
	} else if err := s.dict[l].ResetWithOptions(&s.out, withDict); err != nil {
		return nil, fmt.Errorf("reset encoder: %w", err)
	}
	if _, err := s.dict[l].Write(raw); err != nil {
		return nil, fmt.Errorf("compress body: %w", err)
	}
	if err := s.dict[l].Close(); err != nil {
		return nil, fmt.Errorf("compress body: %w", err)
	}
	return bytes.Clone(s.out.Bytes()), nil
}

// decompress gives back the raw bytes of a frame whose figures were checked, without comparing the hash.
// No more than size bytes are ever produced, whatever the frame says of itself.
func (c *Codec) decompress(data, dict []byte, size int) ([]byte, error) {
	d, _ := c.decoders.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		d, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1),
			zstd.WithDecodeAllCapLimit(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("make decoder: %w", err)
		}
	}
	opts := []zstd.DOption{zstd.WithDecoderDictDelete()}
	if dict != nil {
		opts = append(opts, zstd.WithDecoderDictRaw(dictID, dict))
	}
	if err := d.ResetWithOptions(nil, opts...); err != nil {
		return nil, fmt.Errorf("reset decoder: %w", err)
	}
	raw, err := d.DecodeAll(data, make([]byte, 0, size))
	if err != nil {
		return nil, err // the decoder is left to the collector, in case the input upset it
	}
	if len(raw) != size {
		return nil, fmt.Errorf("decoded to %d bytes, not %d", len(raw), size)
	}
	c.decoders.Put(d)
	return raw, nil
}

// Decode gives back the body of one frame and checks it against the frame's hash. Base is the raw bytes
// of the frame's base, nil for a full frame. Every failure is a *DamageError naming this frame, also
// when base is not what the frame was made on; Read finds out which of a chain is to blame.
func (c *Codec) Decode(f Frame, base []byte) ([]byte, error) {
	raw, err := c.decode(f, base)
	if err == nil && sha256.Sum256(raw) != f.Ref.Hash {
		err = errHash
	}
	if err != nil {
		return nil, &DamageError{Ref: f.Ref, Err: err}
	}
	return raw, nil
}

var errHash = errors.New("bytes do not match the hash")

// decode is Decode without the hash, for bases on the way to a body that is checked itself.
func (c *Codec) decode(f Frame, base []byte) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.Depth == 0 {
		base = nil
	} else if base == nil {
		return nil, errors.New("base not given")
	}
	return c.decompress(f.Data, base, f.RawSize)
}
