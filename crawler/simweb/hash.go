package simweb

import (
	"math"
	"time"
)

// mix hashes a sequence of numbers. Every choice of the world is a mix of the seed, the thing and the
// purpose, which is what makes the order of requests irrelevant.
func mix(h uint64, parts ...uint64) uint64 {
	for _, p := range parts {
		h = scramble(h ^ scramble(p+0x9e3779b97f4a7c15))
	}
	return h
}

// scramble is the finalizer of splitmix64 (Steele, Lea and Flood 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps a hash to [0, 1).
func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// dice is a stream of choices that follows from its seed: splitmix64.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	x := d.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (d *dice) float() float64         { return unit(d.next()) }
func (d *dice) chance(p float64) bool  { return d.float() < p }
func (d *dice) intn(n int) int         { return int(d.next() >> 1 % uint64(max(n, 1))) }
func (d *dice) between(lo, hi int) int { return lo + d.intn(hi-lo+1) }

// span draws a duration in whole seconds from [lo, hi).
func (d *dice) span(lo, hi time.Duration) time.Duration {
	return (lo + time.Duration(d.float()*float64(hi-lo))).Truncate(time.Second)
}

// normal draws from the standard normal distribution (Box and Muller).
func (d *dice) normal() float64 {
	u := 1 - d.float()
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*d.float())
}

// poisson draws from the Poisson distribution of a small mean (Knuth's product of uniforms).
func (d *dice) poisson(mean float64) int {
	limit, product, n := math.Exp(-mean), d.float(), 0
	for product > limit {
		product *= d.float()
		n++
	}
	return n
}

// The purposes that keep choices about the same thing apart.
const (
	forHost uint64 = iota + 1
	forPage
	forLife
	forRate
	forTick
	forHit
	forSlot
	forMove
	forRevert
	forTitle
	forLinks
	forEvent
	forStage
	forCover
	forArticle
	forNoise
	forFault
	forShape
	forSitemap
	forWording
)
