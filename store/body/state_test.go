package body_test

import (
	"bytes"
	"context"
	"encoding"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/store/body"
)

// TestStateForm follows a page and its host: stored forms are small, come back the same, and name only
// stored bodies that can still be a base.
func TestStateForm(t *testing.T) {
	t.Parallel()
	s := newShelf(t, body.New(body.Options{}))
	page := newSite(1, 1, 4_000)
	for i := range int64(80) {
		if i%20 == 19 {
			page = newSite(uint64(i), uint64(i), 4_000)
		}
		page.hour()
		s.put(1<<40|7, page.page())
		state := s.pages[1<<40|7]
		form, err := state.MarshalBinary()
		if err != nil || len(form) > 180 {
			t.Fatalf("state of %d bytes, error %v", len(form), err)
		}
		var back body.State
		if err := back.UnmarshalBinary(form); err != nil || back != state {
			t.Fatalf("state came back as %+v, error %v; want %+v", back, err, state)
		}
		hostForm, err := s.host.MarshalBinary()
		if err != nil || len(hostForm) > 86 {
			t.Fatalf("host of %d bytes, error %v", len(hostForm), err)
		}
		var host body.Host
		if err := host.UnmarshalBinary(hostForm); err != nil || host != s.host {
			t.Fatalf("host came back as %+v, error %v; want %+v", host, err, s.host)
		}
		for _, ref := range slices.Concat(state.Candidates(), host.Candidates()) {
			if f, ok := s.frames[ref]; !ok || f.Depth >= body.MaxDepth {
				t.Fatalf("candidate %v: stored %v, depth %d", ref, ok, f.Depth)
			}
		}
	}
}

// TestCandidates expects Encode to ask for nothing but what the states list, deepest first.
func TestCandidates(t *testing.T) {
	t.Parallel()
	s, _ := chain(t)
	state := s.pages[1]
	want := slices.Concat(state.Candidates(), s.host.Candidates())
	var asked []body.Ref
	raw := newSite(8, 8, 6_000).page()
	_, err := s.codec.Encode(t.Context(), body.Body{Ref: body.Ref{Page: 1}, Raw: raw}, &state, &s.host,
		func(ctx context.Context, ref body.Ref) ([]byte, error) {
			asked = append(asked, ref)
			return s.load(ctx, ref)
		})
	if err != nil {
		t.Fatal(err)
	}
	// An unlike body tries them all; the page's root is the host's too and is asked for once.
	if diff := cmp.Diff(want[:3], asked); diff != "" {
		t.Errorf("bodies asked for (-listed +asked):\n%s", diff)
	}
}

// TestBadForms lists stored forms that must be refused, leaving the value as it was.
func TestBadForms(t *testing.T) {
	t.Parallel()
	s, _ := chain(t)
	state := s.pages[1]
	good, _ := state.MarshalBinary()
	hostGood, _ := s.host.MarshalBinary()
	edit := func(b []byte, f func(b []byte) []byte) []byte { return f(slices.Clone(b)) }
	const depthAt = 2 + 1 + 32 // of the first entry, whose page number takes one byte
	for _, tt := range []struct {
		name string
		form []byte
	}{
		{"one byte", []byte{1}},
		{"version", edit(good, func(b []byte) []byte { b[0] = 2; return b })},
		{"count", edit(good, func(b []byte) []byte { b[1] = 4; return b })},
		{"fewer entries than said", edit(good, func(b []byte) []byte { return b[:len(b)-1] })},
		{"more than said", append(slices.Clone(good), 0)},
		{"depth not rising", edit(good, func(b []byte) []byte { b[depthAt] = 1; return b })},
		{"depth too great", edit(good, func(b []byte) []byte { b[depthAt] = 3; return b })},
		{"great account", append(slices.Concat([]byte{1, 1, 2}, make([]byte, 33)), bytes.Repeat([]byte{255}, 8)...)},
		{"host form cut", hostGood[:len(hostGood)-1]},
	} {
		for _, into := range []encoding.BinaryUnmarshaler{&body.State{}, &body.Host{}} {
			if err := into.UnmarshalBinary(tt.form); err == nil {
				t.Errorf("%s: accepted by %T", tt.name, into)
			}
		}
		kept := state
		if err := kept.UnmarshalBinary(tt.form); err == nil || kept != state {
			t.Errorf("%s: error %v, or the state was changed by it", tt.name, err)
		}
	}
	if err := state.UnmarshalBinary(nil); err != nil || state != (body.State{}) {
		t.Errorf("no bytes: %+v, error %v; want the zero state", state, err)
	}
}

// FuzzState reads arbitrary stored forms; what is accepted must come back the same, and Encode must cope
// with it as long as the bodies it names exist.
func FuzzState(f *testing.F) {
	s := newShelf(f, body.New(body.Options{Workers: 1}))
	page := newSite(1, 1, 1_000)
	f.Add([]byte{})
	for range 6 {
		page.hour()
		s.put(1, page.page())
		state := s.pages[1]
		form, _ := state.MarshalBinary()
		f.Add(form)
		form, _ = s.host.MarshalBinary()
		f.Add(form)
	}
	raw := page.page()
	f.Fuzz(func(t *testing.T, form []byte) {
		var host body.Host
		if host.UnmarshalBinary(form) == nil {
			again, _ := host.MarshalBinary()
			var back body.Host
			if err := back.UnmarshalBinary(again); err != nil || back != host {
				t.Fatalf("host came back as %+v, error %v; want %+v", back, err, host)
			}
		}
		var state body.State
		if state.UnmarshalBinary(form) != nil {
			return
		}
		again, _ := state.MarshalBinary()
		var back body.State
		if err := back.UnmarshalBinary(again); err != nil || back != state {
			t.Fatalf("state came back as %+v, error %v; want %+v", back, err, state)
		}
		frame, err := s.codec.Encode(t.Context(), body.Body{Ref: body.Ref{Page: 3, Hash: [32]byte{1}}, Raw: raw}, &state, nil,
			func(context.Context, body.Ref) ([]byte, error) { return raw, nil })
		if err != nil || frame.Depth > body.MaxDepth {
			t.Fatalf("depth %d, error %v", frame.Depth, err)
		}
		if _, err := state.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
}
