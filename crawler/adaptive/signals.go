package adaptive

import (
	"math"
	"time"
)

// Signals counts how right the hints of a source were (Busa-Fekete et al., WWW
// 2025: change-indicating signals with false alarms and misses). A hint is
// whatever says between two visits that a page changed: a lastmod of the sitemap
// or a date in a feed later than the last visit. One Signals per host and kind
// of source is enough; pages without such a source do not enter.
//
// With recall = P(hint | changed) and alarm = P(hint | unchanged) a hint
// multiplies the odds that the page changed by recall/alarm, and its absence by
// (1-recall)/(1-alarm). Both shares start at a half, with the weight of two
// visits, and the factor counts by as much as it has been seen at work, so that a new
// source says nothing, nor does the absence of hints from one that hints always. The zero
// Signals is ready.
type Signals struct {
	count [2][2]float32 // by changed, by signalled
}

const (
	signalMemory = 2000 // visits, as memory of an Estimator
	fewSignals   = 4    // visits with a hint, or without, after which its factor counts by half (its logarithm)
	maxRatio     = 50   // what a hint or its absence may do to the odds: no source is trusted beyond
)

// Observe adds a visit: whether there was a hint since the one before, and
// whether the page had changed.
func (s *Signals) Observe(signalled, changed bool) {
	const keep = float32(1 - 1./signalMemory)
	for i := range s.count {
		for j := range s.count[i] {
			s.count[i][j] *= keep
		}
	}
	s.count[index(changed)][index(signalled)]++
}

// Ratio is by how much the hint, or its absence, multiplies the odds that the
// page changed: 1 says nothing; between 1/50 and 50.
func (s *Signals) Ratio(signalled bool) float64 {
	i := index(signalled)
	share := func(changed int) float64 {
		c := s.count[changed]
		return (float64(c[i]) + 1) / (float64(c[0]) + float64(c[1]) + 2)
	}
	n := float64(s.count[0][i]) + float64(s.count[1][i])
	return min(max(math.Pow(share(1)/share(0), n/(n+fewSignals)), 1./maxRatio), maxRatio)
}

// Recall is the share of changed visits that had a hint, Precision the share of
// visits with a hint that found a change. Both are 0.5 at the start.
func (s *Signals) Recall() float64 { return half(s.count[1][1], s.count[1][0]) }

// Precision is described with Recall.
func (s *Signals) Precision() float64 { return half(s.count[1][1], s.count[0][1]) }

func half(hit, miss float32) float64 { return (float64(hit) + 1) / (float64(hit) + float64(miss) + 2) }

// EffectiveAge is the age without hints that makes a page as likely to have
// changed as it is at age with a hint of the given ratio: with p the chance of
// a change, p/(1-p) = e^{d t}-1, so
//
//	e^{d t'} - 1 = ratio (e^{d t} - 1)
//
// Value(EffectiveAge) is the value of a fetch in the light of the hint.
func (p Page) EffectiveAge(age time.Duration, ratio float64) time.Duration {
	h := p.clean().shift(hours(age), ratio)
	if h*float64(time.Hour) < math.MaxInt64 {
		return time.Duration(h * float64(time.Hour))
	}
	return math.MaxInt64
}

// HintedInterval is the age at which the page is due in the light of a hint, or
// of none, of that ratio: the inverse of EffectiveAge at Interval. A page whose
// host tells of all changes waits long without a hint, and lim.Max at most.
func (p Page) HintedInterval(threshold, ratio float64, lim Limits) time.Duration {
	p = p.clean()
	t := p.wait(threshold)
	if ratio = positive(ratio); ratio > 0 && !math.IsInf(t, 1) {
		t = p.shift(t, 1/ratio)
	}
	return lim.clamp(t)
}

// shift solves e^{d s}-1 = ratio (e^{d t}-1) for s, in hours.
func (p Page) shift(t, ratio float64) float64 {
	ratio = positive(ratio)
	x := p.Rate * t
	if p.Rate == 0 || ratio == 0 || t <= 0 {
		return t
	}
	if x > 600 { // e^x ends at 709; there ln(1 + ratio e^x) = x + ln ratio
		return max(0, t+math.Log(ratio)/p.Rate)
	}
	return math.Log1p(ratio*math.Expm1(x)) / p.Rate
}

// MarshalBinary returns the state: the format and four little-endian float32,
// first of unchanged visits without and with a hint, then of changed ones.
func (s *Signals) MarshalBinary() ([]byte, error) {
	b := []byte{stateFormat}
	for i := range s.count {
		for j := range s.count[i] {
			b = appendFloat(b, s.count[i][j])
		}
	}
	return b, nil
}

// UnmarshalBinary restores what MarshalBinary returned. No bytes at all are the
// zero Signals. On an error Signals is not changed.
func (s *Signals) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		*s = Signals{}
		return nil
	}
	if len(b) != 17 || b[0] != stateFormat {
		return errSignals
	}
	var n Signals
	for k, c := 0, b[1:]; k < 4; k, c = k+1, c[4:] {
		v := float(c)
		if !plausible(v, signalMemory+1) {
			return errSignals
		}
		n.count[k/2][k%2] = v
	}
	*s = n
	return nil
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
