package terms

import "encoding/binary"

// Row is what a State knows of a term.
type Row struct {
	Lifespan
	Power    float64 // staying power
	HasPower bool    // it is defined: the page has two versions
	PDoc     float64 // P(w|D), to 1e-11; 0 if no version has words
}

// Rows returns all kept terms in the order of the lifespan plot. Rows of terms that
// were used alike share their Spans, which must not be changed.
func (s *State) Rows() []Row {
	observed, _ := s.bits([]Span{{0, s.seen}})
	grid := NewGrid(observed)
	type power struct {
		sigma float64
		ok    bool
	}
	known := map[string]power{} // groups often differ only in how often their terms occur
	of := make([]Row, len(s.groups))
	for i := range s.groups {
		g := s.groups[i]
		if g.open >= 0 && s.words > 0 {
			g.sum += s.share(g.tf) * uint64(s.pending)
		}
		r := &of[i]
		if docs := s.documents(); docs > 0 {
			r.PDoc = float64(g.sum) / (1 << shareBits) / float64(docs)
		}
		versions := g.without(s.seen).spans
		for _, sp := range versions {
			r.Versions += sp.To - sp.From
		}
		var key []byte
		for _, sp := range versions {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(sp.From)), uint64(sp.To))
		}
		present, spans := s.bits(versions)
		r.Spans = spans
		p, ok := known[string(key)]
		if !ok {
			p.sigma, p.ok = grid.StayingPower(present)
			known[string(key)] = p
		}
		r.Power, r.HasPower = p.sigma, p.ok
	}
	rows := make([]Row, 0, len(s.terms))
	for _, id := range s.order {
		t := &s.terms[id]
		r := of[t.group]
		r.Term = t.text
		rows = append(rows, r)
	}
	sortRows(rows)
	return rows
}

// Lifespans returns the rows without the measures that take time to compute.
func (s *State) Lifespans() []Lifespan {
	of := make([]Lifespan, len(s.groups))
	for i := range s.groups {
		versions := s.groups[i].without(s.seen).spans
		for _, sp := range versions {
			of[i].Versions += sp.To - sp.From
		}
		_, of[i].Spans = s.bits(versions)
	}
	rows := make([]Lifespan, 0, len(s.terms))
	for _, id := range s.order {
		t := &s.terms[id]
		l := of[t.group]
		l.Term = t.text
		rows = append(rows, l)
	}
	SortLifespans(rows)
	return rows
}

// documents returns the number of versions that have words.
func (s *State) documents() int {
	if s.words > 0 {
		return s.docs + s.pending
	}
	return s.docs
}

// bits turns spans of versions into the slots that they are in, counted from the
// page's first slot, and into spans of slots.
func (s *State) bits(versions []Span) (Bits, []Span) {
	if !s.started {
		return nil, nil
	}
	first := s.slots[0].From
	b := NewBits(s.slots[len(s.slots)-1].To - first)
	out := make([]Span, len(versions))
	k, n := 0, 0 // stretch, and the versions before it
	for i, v := range versions {
		for n+s.slots[k].To-s.slots[k].From <= v.From {
			n += s.slots[k].To - s.slots[k].From
			k++
		}
		for at := v.From; at < v.To; {
			st := s.slots[k]
			from := st.From + at - n
			to := min(st.To, from+v.To-at)
			b.SetRange(from-first, to-first)
			if at == v.From {
				out[i].From = from
			}
			out[i].To = to
			at += to - from
			if at < v.To {
				n += st.To - st.From
				k++
			}
		}
	}
	return b, out
}
