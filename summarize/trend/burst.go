package trend

import "math"

// Options of Bursts. The zero Options is a good default.
type Options struct {
	Scale float64 // s: a burst has s times the usual share; at most 1 means 3
	Gamma float64 // γ: the price of entering a burst is γ ln(number of periods); 0 means 1
}

// Burst is a run of periods, [From, To), in which a term was in the high state.
type Burst struct {
	From, To int
	Weight   float64 // how much cheaper the high state explains it, in nats; above 0
}

// Bursts returns the bursts of a series of periods (SCIENCE 2.7; Kleinberg 2002,
// section 4, batched arrivals with two states). The usual share p0 is that over
// the whole series, the high one p1 = s p0, at most .9999. A period with r hits of
// d costs, in state i,
//
//	σ(i, r, d) = -ln( C(d,r) p_i^r (1 - p_i)^(d-r) )
//
// and entering state 1 costs γ ln n, leaving it nothing. The states are the
// cheapest way through all periods. A period without cases (no fetches) costs
// nothing in either state. The time is linear.
func Bursts(series []Count, opt Options) []Burst {
	n := len(series)
	if opt.Scale <= 1 {
		opt.Scale = 3
	}
	if opt.Gamma == 0 {
		opt.Gamma = 1
	}
	hits, of := 0, 0
	for _, c := range series {
		c = c.valid()
		hits += c.Hits
		of += c.Of
	}
	if hits == 0 || hits == of {
		return nil
	}
	p := [2]float64{float64(hits) / float64(of)}
	p[1] = min(opt.Scale*p[0], 0.9999)
	if p[1] <= p[0] {
		return nil
	}
	enter := opt.Gamma * math.Log(float64(n))
	best := [2]float64{0, enter} // cost of the cheapest way that ends in a state
	from := make([][2]uint8, n)  // the state before on that way
	gain := make([]float64, n)   // what state 1 saves in a period
	for t, c := range series {
		c = c.valid()
		low, high := sigma(c, p[0]), sigma(c, p[1])
		gain[t] = low - high
		next := [2]float64{best[0] + low, best[1] + high}
		if t > 0 {
			from[t] = [2]uint8{0, 1}
			if best[1] < best[0] {
				next[0], from[t][0] = best[1]+low, 1
			}
			if best[0]+enter < best[1] {
				next[1], from[t][1] = best[0]+enter+high, 0
			}
		}
		best = next
	}
	state := uint8(0)
	if best[1] < best[0] {
		state = 1
	}
	return trace(from, gain, state)
}

// sigma is the cost of a period without its binomial coefficient, which is the
// same in both states.
func sigma(c Count, p float64) float64 {
	return -float64(c.Hits)*math.Log(p) - float64(c.Of-c.Hits)*math.Log1p(-p)
}

// trace follows the cheapest way back from its last state.
func trace(from [][2]uint8, gain []float64, state uint8) []Burst {
	var out []Burst
	for t := len(from) - 1; t >= 0; t-- {
		if state == 1 {
			if len(out) == 0 || out[len(out)-1].From != t+1 {
				out = append(out, Burst{From: t, To: t + 1})
			}
			b := &out[len(out)-1]
			b.From = t
			b.Weight += gain[t]
		}
		state = from[t][state]
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Direction is where a term goes.
type Direction string

// Directions of a term in the last period of a series.
const (
	Rising  Direction = "rising"
	Falling Direction = "falling"
	Steady  Direction = "steady"
)

// Significant is the G2 that is exceeded once in a thousand when nothing changed.
const Significant = 10.83

// Trend is what the last period of a series shows.
type Trend struct {
	Direction Direction
	G2        float64 // of the last period against all before it
	Bursting  bool    // the last period belongs to a burst
	Since     int     // the period in which that burst began; -1 without
}

// Of judges the last period of a series: rising or falling if its G2 against the
// periods before is significant, rising too if a burst has reached it and its
// share is not below theirs; else steady.
func Of(series []Count, opt Options) Trend {
	out := Trend{Direction: Steady, Since: -1}
	if len(series) == 0 {
		return out
	}
	var before Count
	for _, c := range series[:len(series)-1] {
		c = c.valid()
		before.Hits += c.Hits
		before.Of += c.Of
	}
	out.G2 = G2(series[len(series)-1], before)
	bursts := Bursts(series, opt)
	if n := len(bursts); n > 0 && bursts[n-1].To == len(series) {
		out.Bursting, out.Since = true, bursts[n-1].From
	}
	switch {
	case out.G2 >= Significant, out.Bursting && out.G2 > 0:
		out.Direction = Rising
	case out.G2 <= -Significant:
		out.Direction = Falling
	}
	return out
}
