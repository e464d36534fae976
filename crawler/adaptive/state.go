package adaptive

import (
	"encoding/binary"
	"errors"
	"math"
)

var (
	errEstimator = errors.New("adaptive: state of an estimator is damaged")
	errSignals   = errors.New("adaptive: state of signals is damaged")
)

const stateFormat = 1

// MarshalBinary returns the state for the page's row: 10 bytes and 9 more for
// each bin in use, of which a page on a regular schedule has one, and a page on
// an adaptive one rarely more than ten:
//
//	format, visits, unchanged, number of bins, then of each bin: index, weight, sum
//
// One byte each for format, number and index, little-endian float32 else. The
// Estimator itself holds no more digits, so that storing it changes nothing.
func (e *Estimator) MarshalBinary() ([]byte, error) {
	b := []byte{stateFormat}
	b = appendFloat(b, e.visits)
	b = appendFloat(b, e.unchanged)
	b = append(b, byte(len(e.bins)))
	for _, bin := range e.bins {
		b = append(b, bin.index)
		b = appendFloat(b, bin.weight)
		b = appendFloat(b, bin.sum)
	}
	return b, nil
}

// UnmarshalBinary restores what MarshalBinary returned. No bytes at all are the
// zero Estimator. On an error the Estimator is not changed.
func (e *Estimator) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		*e = Estimator{}
		return nil
	}
	if len(b) < 10 || b[0] != stateFormat || len(b) != 10+9*int(b[9]) {
		return errEstimator
	}
	n := Estimator{visits: float(b[1:]), unchanged: float(b[5:])}
	if !plausible(n.visits, memory+1) || !plausible(n.unchanged, math.MaxFloat32) {
		return errEstimator
	}
	last, changed := -1, float32(0)
	for b = b[10:]; len(b) > 0; b = b[9:] {
		x := bin{index: b[0], weight: float(b[1:]), sum: float(b[5:])}
		mean := float64(x.sum) / float64(x.weight) * 3600
		low := math.Exp2(float64(x.index) / 2)
		switch {
		case int(x.index) <= last || x.index > binOf(maxInterval):
			return errEstimator
		case !plausible(x.weight, memory+1) || !plausible(x.sum, math.MaxFloat32):
			return errEstimator
		case !(mean > low*0.99 && mean < low*math.Sqrt2*1.01): // rounding over many visits
			return errEstimator
		}
		last = int(x.index)
		changed += x.weight
		n.bins = append(n.bins, x)
	}
	if changed > n.visits*1.01 {
		return errEstimator
	}
	*e = n
	return nil
}

func plausible(v float32, most float32) bool { return v >= 0 && v <= most }

func appendFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

func float(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
