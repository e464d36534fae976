package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandlinehq/strandline/store/body"
)

// hostChain is what a batch stores of one host: its pages lean on each other, so
// they are encoded one after the other, and hosts beside each other.
type hostChain struct {
	id    int64
	hosts [2]body.Host
	jobs  [2][]blobJob
	made  [2]map[ContentKey][]byte
}

// rest returns the jobs of a table that have no frame yet.
func (c *hostChain) rest(t blobTable) []*blobJob {
	var out []*blobJob
	for i := range c.jobs[t] {
		if !c.jobs[t][i].done {
			out = append(out, &c.jobs[t][i])
		}
	}
	return out
}

// bases lists stored blobs that the codec may ask for when it encodes the rest of a table: all, or what it asks
// for first, which is the lowest of a page's chain, and the roots of the host for pages without one.
func (c *hostChain) bases(t blobTable, all bool) ([]ContentKey, error) {
	var keys []ContentKey
	rest := c.rest(t)
	roots := all && len(rest) > 0
	for _, j := range rest {
		state, err := j.page.chain(t)
		if err != nil {
			return nil, err
		}
		refs := state.Candidates()
		if len(refs) == 0 {
			roots = true
		} else if !all {
			refs = refs[:1]
		}
		for _, r := range refs {
			keys = append(keys, keyOf(r))
		}
	}
	if roots {
		for _, r := range c.hosts[t].Candidates() {
			keys = append(keys, keyOf(r))
		}
	}
	return keys, nil
}

// baseSet holds decoded blobs that frames may be based on.
type baseSet struct {
	raw map[ContentKey][]byte // nil: missing or damaged
	all bool                  // what is not among raw is missing, too
}

// add takes up what was read of what was asked for.
func (b *baseSet) add(asked []ContentKey, read map[ContentKey][]byte) {
	b.raw = make(map[ContentKey][]byte, len(asked))
	for _, k := range asked {
		b.raw[k] = read[k]
	}
}

// errNotRead means that a base is asked for that this pass has not read.
var errNotRead = errors.New("base has not been read")

func (b *baseSet) load(k ContentKey) ([]byte, error) {
	switch raw, ok := b.raw[k]; {
	case raw != nil:
		return raw, nil
	case ok || b.all:
		return nil, body.ErrNotFound
	default:
		return nil, errNotRead
	}
}

// encode makes the frames of the rest of a table, in order. A page that asks for a base which has not been read
// waits with all its bodies for the next pass; those of others need not, since bodies of two pages of a host
// may be stored in any order.
func (c *hostChain) encode(ctx context.Context, codec *body.Codec, t blobTable, bases baseSet) error {
	if c.made[t] == nil {
		c.made[t] = map[ContentKey][]byte{}
	}
	load := func(_ context.Context, r body.Ref) ([]byte, error) {
		if raw, ok := c.made[t][keyOf(r)]; ok {
			return raw, nil
		}
		return bases.load(keyOf(r))
	}
	waits := map[*pageBatch]bool{}
	for _, j := range c.rest(t) {
		if waits[j.page] {
			continue
		}
		state, err := j.page.chain(t)
		if err != nil {
			return err
		}
		frame, err := codec.Encode(ctx, body.Body{Ref: j.key.ref(), Raw: j.raw, Quick: j.page.quick()}, state, &c.hosts[t], load)
		if errors.Is(err, errNotRead) {
			waits[j.page] = true
			continue
		}
		if err != nil {
			return err
		}
		if err := j.page.setChain(t, state); err != nil {
			return err
		}
		j.frame, j.done = frame, true
		c.made[t][j.key] = j.raw
	}
	return nil
}

// chain reads the state of a page's chain.
func (p *pageBatch) chain(t blobTable) (*body.State, error) {
	// The two chains of a page are worked on side by side: touch only the one asked for.
	var stored []byte
	if t == recordTable {
		stored = p.state.recordChain
	} else {
		stored = p.state.bodyChain
	}
	var s body.State
	if err := s.UnmarshalBinary(stored); err != nil {
		return nil, fmt.Errorf("page %d: %s chain: %w", p.id, t, err)
	}
	return &s, nil
}

func (p *pageBatch) setChain(t blobTable, s *body.State) error {
	stored, err := s.MarshalBinary()
	if err != nil {
		return err
	}
	if t == recordTable {
		p.state.recordChain = stored
	} else {
		p.state.bodyChain = stored
	}
	return nil
}
