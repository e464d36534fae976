package body_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/strandlinehq/strandline/store/body"
)

// site is a synthetic page: a template and sentences of random words, an advertisement and a counter.
type site struct {
	rng       *rand.Rand
	words     []string
	sentences []string
	template  string
	hits      int
}

// newSite makes a page of about size bytes. Pages of one template seed share their template.
func newSite(seed, template uint64, size int) *site {
	s := &site{rng: rand.New(rand.NewPCG(seed, 1))}
	shared := rand.New(rand.NewPCG(template, 2))
	for range 4000 {
		w := make([]byte, 2+shared.IntN(9))
		for i := range w {
			w[i] = byte('a' + shared.IntN(26))
		}
		s.words = append(s.words, string(w))
	}
	var head bytes.Buffer
	for range size / 400 {
		fmt.Fprintf(&head, "<div class=%q id=n%d><a href=\"/%s/%d\">%s</a></div>\n", s.words[shared.IntN(4000)],
			shared.IntN(1e6), s.words[shared.IntN(4000)], shared.IntN(1e4), s.words[shared.IntN(4000)])
	}
	s.template = head.String()
	for n := len(s.template); n < size; n += len(s.sentences[len(s.sentences)-1]) {
		s.sentences = append(s.sentences, s.sentence())
	}
	return s
}

func (s *site) sentence() string {
	b := []byte("<p>")
	for range 6 + s.rng.IntN(14) {
		// The smaller of two draws twice: common words are much more common.
		i := min(s.rng.IntN(4000), s.rng.IntN(4000), s.rng.IntN(4000))
		b = append(append(b, s.words[i]...), ' ')
	}
	return string(append(b, "</p>\n"...))
}

// hour changes 1 to 6 sentences, the advertisement and the counter.
func (s *site) hour() {
	for range 1 + s.rng.IntN(6) {
		if len(s.sentences) > 0 {
			s.sentences[s.rng.IntN(len(s.sentences))] = s.sentence()
		}
	}
}

func (s *site) page() []byte {
	s.hits += 1 + s.rng.IntN(50)
	var b bytes.Buffer
	b.WriteString(s.template)
	fmt.Fprintf(&b, "<div class=ad data-id=%016x>%s</div>\n", s.rng.Uint64(), s.words[s.rng.IntN(4000)])
	for _, line := range s.sentences {
		b.WriteString(line)
	}
	fmt.Fprintf(&b, "<footer>%d visits</footer>\n", s.hits)
	return b.Bytes()
}

// shelf is a store in memory with one host.
type shelf struct {
	t      testing.TB
	codec  *body.Codec
	pages  map[int64]body.State
	host   body.Host
	raw    map[body.Ref][]byte
	frames map[body.Ref]body.Frame
	order  []body.Ref
}

func newShelf(t testing.TB, codec *body.Codec) *shelf {
	return &shelf{t: t, codec: codec, pages: map[int64]body.State{}, raw: map[body.Ref][]byte{}, frames: map[body.Ref]body.Frame{}}
}

func (s *shelf) load(_ context.Context, ref body.Ref) ([]byte, error) {
	if raw, ok := s.raw[ref]; ok {
		return raw, nil
	}
	return nil, body.ErrNotFound
}

func (s *shelf) get(_ context.Context, ref body.Ref) (body.Frame, error) {
	if f, ok := s.frames[ref]; ok {
		return f, nil
	}
	return body.Frame{}, body.ErrNotFound
}

func (s *shelf) getAll(_ context.Context, refs []body.Ref) (map[body.Ref]body.Frame, error) {
	out := map[body.Ref]body.Frame{}
	for _, ref := range refs {
		if f, ok := s.frames[ref]; ok {
			out[ref] = f
		}
	}
	return out, nil
}

// put stores a body unless the page has it already, checks the rules every frame obeys, and returns it.
func (s *shelf) put(page int64, raw []byte) body.Frame {
	s.t.Helper()
	ref := body.Ref{Page: page, Hash: sha256.Sum256(raw)}
	if f, ok := s.frames[ref]; ok {
		return f
	}
	state := s.pages[page]
	f, err := s.codec.Encode(context.Background(), body.Body{Ref: ref, Raw: raw}, &state, &s.host, s.load)
	if err != nil {
		s.t.Fatal(err)
	}
	if f.Depth > 0 {
		base, ok := s.frames[f.Base]
		if !ok || base.Depth != f.Depth-1 || f.Depth > body.MaxDepth {
			s.t.Fatalf("frame of depth %d on a base of depth %d (stored %v)", f.Depth, base.Depth, ok)
		}
	}
	if f.Ref != ref || f.RawSize != len(raw) {
		s.t.Fatalf("frame of %v, %d bytes; want %v, %d", f.Ref, f.RawSize, ref, len(raw))
	}
	s.pages[page] = state
	s.raw[ref], s.frames[ref] = raw, f
	s.order = append(s.order, ref)
	return f
}

// check reads everything back, one by one and together.
func (s *shelf) check() {
	s.t.Helper()
	for _, ref := range s.order {
		got, err := s.codec.Read(context.Background(), s.get, ref)
		if err != nil {
			s.t.Fatal(err)
		}
		if !bytes.Equal(got, s.raw[ref]) {
			s.t.Fatalf("%v: other bytes", ref)
		}
	}
	var seen []body.Ref
	err := s.codec.ReadMany(context.Background(), s.getAll, s.order, func(ref body.Ref, raw []byte, err error) error {
		seen = append(seen, ref)
		if err == nil && !bytes.Equal(raw, s.raw[ref]) {
			err = fmt.Errorf("%v: other bytes", ref)
		}
		return err
	})
	if err != nil || !slices.Equal(seen, s.order) {
		s.t.Fatalf("ReadMany gave %d of %d bodies, error %v", len(seen), len(s.order), err)
	}
}

// clone lets a test damage the frames.
func (s *shelf) clone() *shelf {
	c := *s
	c.frames = maps.Clone(s.frames)
	return &c
}
