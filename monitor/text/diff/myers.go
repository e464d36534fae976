package diff

import "math"

// search is Myers' divide and conquer on the tokens that both sides have.
//
// A point (x, y) means that a[:x] and b[:y] are dealt with; diagonal k = x - y.
// fwd[k] is the furthest x reached forward on diagonal k with d edits, bwd[k]
// the least x reached backward.
type search[T comparable] struct {
	a, b         []T
	atA, atB     []int // positions in the full sequences
	keepA, keepB []bool
	fwd, bwd     []int // indexed by k + len(b) + 1
	limit        int   // edits of a half before a search is cut short; 0 means editLimit
}

// editLimit bounds the cost of one search to about its square. Comparisons with
// fewer edits than twice this get a shortest script for certain.
const editLimit = 256

func (s *search[T]) run() {
	n := len(s.a) + len(s.b)
	if n == 0 {
		return
	}
	if s.limit == 0 {
		s.limit = editLimit
	}
	s.fwd = make([]int, n+3)
	s.bwd = make([]int, n+3)
	s.box(0, len(s.a), 0, len(s.b))
}

// box aligns a[x0:x1] with b[y0:y1]. It recurs on the smaller half and loops on
// the other, so the stack stays logarithmic.
func (s *search[T]) box(x0, x1, y0, y1 int) {
	for {
		for x0 < x1 && y0 < y1 && s.a[x0] == s.b[y0] {
			s.keep(x0, y0)
			x0++
			y0++
		}
		for x0 < x1 && y0 < y1 && s.a[x1-1] == s.b[y1-1] {
			x1--
			y1--
			s.keep(x1, y1)
		}
		if x0 == x1 || y0 == y1 {
			return
		}
		x, y := s.split(x0, x1, y0, y1)
		if x-x0+y-y0 < x1-x+y1-y {
			s.box(x0, x, y0, y)
			x0, y0 = x, y
		} else {
			s.box(x, x1, y, y1)
			x1, y1 = x, y
		}
	}
}

func (s *search[T]) keep(x, y int) {
	s.keepA[s.atA[x]], s.keepB[s.atB[y]] = true, true
}

// split returns a point that a shortest script of the box goes through, by
// searching from both corners at once until the two meet; or, at the limit, the
// point where one of them has come furthest. The box has no common prefix and
// suffix and neither side is empty, so the point is never a corner.
func (s *search[T]) split(x0, x1, y0, y1 int) (int, int) {
	off := len(s.b) + 1
	fwd, bwd := s.fwd[off-y1-1+x0:], s.bwd[off-y1-1+x0:]
	off = y1 + 1 - x0 // index of diagonal 0 in these
	kmin, kmax := x0-y1, x1-y0
	kf, kb := x0-y0, x1-y1
	odd := (kf-kb)&1 != 0
	fmin, fmax, bmin, bmax := kf, kf, kb, kb
	fwd[off+kf], bwd[off+kb] = x0, x1

	for d := 1; ; d++ {
		// Widen by a diagonal on each side, or narrow where the box ends.
		if fmin > kmin {
			fmin--
			fwd[off+fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < kmax {
			fmax++
			fwd[off+fmax+1] = -1
		} else {
			fmax--
		}
		for k := fmax; k >= fmin; k -= 2 {
			lo, hi := fwd[off+k-1], fwd[off+k+1]
			x := max(lo+1, hi)
			y := x - k
			for x < x1 && y < y1 && s.a[x] == s.b[y] {
				x++
				y++
			}
			fwd[off+k] = x
			if odd && bmin <= k && k <= bmax && bwd[off+k] <= x {
				return x, y
			}
		}

		if bmin > kmin {
			bmin--
			bwd[off+bmin-1] = math.MaxInt
		} else {
			bmin++
		}
		if bmax < kmax {
			bmax++
			bwd[off+bmax+1] = math.MaxInt
		} else {
			bmax--
		}
		for k := bmax; k >= bmin; k -= 2 {
			lo, hi := bwd[off+k-1], bwd[off+k+1]
			x := min(lo, hi-1)
			y := x - k
			for x > x0 && y > y0 && s.a[x-1] == s.b[y-1] {
				x--
				y--
			}
			bwd[off+k] = x
			if !odd && fmin <= k && k <= fmax && x <= fwd[off+k] {
				return x, y
			}
		}

		if d >= s.limit {
			return furthest(fwd, bwd, off, x0, x1, y0, y1, [4]int{fmin, fmax, bmin, bmax})
		}
	}
}

// furthest returns the point of either search that has put the most tokens
// behind it. Points beyond the box, which the widening leaves at its rim, are
// drawn back in.
func furthest(fwd, bwd []int, off, x0, x1, y0, y1 int, span [4]int) (int, int) {
	bestX, bestY, best := x0, y0, -1
	for k := span[1]; k >= span[0]; k -= 2 {
		x := min(fwd[off+k], x1)
		y := x - k
		if y > y1 {
			x, y = y1+k, y1
		}
		if x >= x0 && y >= y0 && x-x0+y-y0 > best {
			bestX, bestY, best = x, y, x-x0+y-y0
		}
	}
	for k := span[3]; k >= span[2]; k -= 2 {
		x := max(bwd[off+k], x0)
		y := x - k
		if y < y0 {
			x, y = y0+k, y0
		}
		if x <= x1 && y <= y1 && x1-x+y1-y > best {
			bestX, bestY, best = x, y, x1-x+y1-y
		}
	}
	return bestX, bestY
}
