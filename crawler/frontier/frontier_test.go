package frontier

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// TestOrder holds the queue against a plain list that is searched through.
func TestOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opt := Options{Connections: rapid.IntRange(1, 3).Draw(t, "connections"), Best: rapid.Bool().Draw(t, "best")}
		q := New(opt)
		type plain struct {
			h  *Host
			at time.Time
			n  int // running
			us []*URL
		}
		hosts := make([]*plain, 4)
		for i := range hosts {
			hosts[i] = &plain{h: &Host{ID: int64(i)}}
		}
		before := func(a, b *URL) int {
			depth := cmp.Compare(a.Depth, b.Depth)
			if opt.Best {
				depth = 0
			}
			return cmp.Or(depth, -cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Page, b.Page))
		}
		now, page := epoch, int64(0)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			p := hosts[rapid.IntRange(0, len(hosts)-1).Draw(t, "host")]
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				page++
				u := &URL{Page: page, Depth: rapid.IntRange(0, 3).Draw(t, "depth"), Priority: float32(rapid.IntRange(0, 2).Draw(t, "priority"))}
				p.us = append(p.us, u)
				q.Push(p.h, u)
			case 2:
				now = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "seconds")) * time.Second)
			case 3:
				if p.n > 0 {
					p.n--
					p.at = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "delay")) * time.Second)
					q.End(p.h, p.at)
				}
			default:
				var want *URL
				var from *plain
				for _, p := range hosts {
					for _, u := range p.us {
						if p.n < opt.Connections && !p.at.After(now) {
							// Pages are numbered as they come, so equal ones go by host first.
							if c := 0; want != nil {
								c = before(&URL{Depth: u.Depth, Priority: u.Priority}, &URL{Depth: want.Depth, Priority: want.Priority})
								if c > 0 || c == 0 && cmp.Or(cmp.Compare(u.Page, want.Page)) > 0 {
									continue
								}
							}
							want, from = u, p
						}
					}
				}
				h, got := q.Next(now)
				if got != want {
					t.Fatalf("Next = %+v of %v, want %+v", got, h, want)
				}
				if want != nil {
					from.n++
					from.us = slices.DeleteFunc(from.us, func(u *URL) bool { return u == want })
				}
			}
			n := 0
			for _, p := range hosts {
				n += len(p.us)
			}
			if n != q.Len() {
				t.Fatalf("%d URLs queued, want %d", q.Len(), n)
			}
		}
	})
}

func TestSlowHostHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	q := New(Options{})
	slow, quick := &Host{ID: 1}, &Host{ID: 2}
	for i := range 3 {
		q.Push(slow, &URL{Page: int64(i), Depth: 1})
		q.Push(quick, &URL{Page: int64(10 + i), Depth: 2})
	}
	h, _ := q.Next(epoch)
	if h != slow {
		t.Fatal("the lower depth does not come first")
	}
	for range 3 {
		h, u := q.Next(epoch)
		if h != quick {
			t.Fatalf("while one host is busy: %v, want the other one", u)
		}
		q.End(h, epoch)
	}
	q.End(slow, epoch.Add(time.Minute))
	if h, _ := q.Next(epoch.Add(time.Second)); h != nil {
		t.Error("a host was asked before its time")
	}
	if at, ok := q.WakeAt(epoch); !ok || !at.Equal(epoch.Add(time.Minute)) {
		t.Errorf("WakeAt = %s, %t", at, ok)
	}
	if got := q.Drop(slow); len(got) != 2 || q.Len() != 0 {
		t.Errorf("dropped %d, %d left; want 2 and none", len(got), q.Len())
	}
}

func BenchmarkQueue(b *testing.B) {
	b.ReportAllocs()
	q := New(Options{})
	hosts := make([]*Host, 1000)
	for i := range hosts {
		hosts[i] = &Host{ID: int64(i)}
		for j := range 16 {
			q.Push(hosts[i], &URL{Page: int64(i*16 + j), Depth: 1})
		}
	}
	for b.Loop() {
		h, u := q.Next(epoch)
		q.End(h, epoch)
		q.Push(h, u)
	}
}
