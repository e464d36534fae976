package dom

import "iter"

// Reduce groups adjacent lines that are equal in the given columns, the paper's
// reduce(...) on what sort(...) put out. Each group has to be gone through
// before the next one; what is left of it is passed over.
func Reduce(lines iter.Seq[Line], columns ...Column) iter.Seq[iter.Seq[Line]] {
	return func(yield func(iter.Seq[Line]) bool) {
		next, stop := iter.Pull(lines)
		defer stop()
		l, ok := next()
		for ok {
			first := l
			more := yield(func(yield func(Line) bool) {
				for ok && Compare(&first, &l, columns...) == 0 {
					here := l
					l, ok = next()
					if !yield(here) {
						return
					}
				}
			})
			if !more {
				return
			}
			for ok && Compare(&first, &l, columns...) == 0 {
				l, ok = next()
			}
		}
	}
}
