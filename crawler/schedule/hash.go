package schedule

import (
	"math"
	"time"
)

// fraction returns a number in [0, 1) that follows from its arguments alone
// (SCIENCE C7): FNV-1a over the names, finished by the mixer of SplitMix64, since
// the upper bits of FNV alone are poor for names that differ at their end.
func fraction(watch, page string, slot int64) float64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := range len(watch) {
		h = (h ^ uint64(watch[i])) * prime
	}
	h = (h ^ 0xff) * prime // no byte of UTF-8
	for i := range len(page) {
		h = (h ^ uint64(page[i])) * prime
	}
	h += uint64(slot) * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	return float64(h>>11) / (1 << 53)
}

func scale(d time.Duration, by float64) time.Duration {
	return time.Duration(math.Floor(float64(d) * by))
}
