package configs

import (
	"math"
	"math/big"
	"strings"
)

// unit is one step of a scale of units, such as a minute in nanoseconds.
type unit struct {
	name string
	size int64
}

// parseQuantity reads a number with a unit of the scale, such as "10MiB", or several in falling order of size
// without a break, such as "1h30m", and gives the sum in the scale's base. Numbers may have decimals; a result that
// is not whole is rounded down. It reports false for anything else, for negative numbers, and above the int64 range.
func parseQuantity(text string, scale []unit) (int64, bool) {
	sum := new(big.Rat)
	rest, last := text, int64(math.MaxInt64)
	for first := true; first || rest != ""; first = false {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		// 20 digits hold any int64; more would only cost time.
		number, ok := new(big.Rat).SetString(rest[:digits])
		if digits > 20 || !ok {
			return 0, false
		}
		rest = rest[digits:]
		letters := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		size := unitSize(rest[:letters], scale)
		if size == 0 || (!first && size >= last) {
			return 0, false
		}
		rest, last = rest[letters:], size
		sum.Add(sum, number.Mul(number, new(big.Rat).SetInt64(size)))
	}
	whole := new(big.Int).Quo(sum.Num(), sum.Denom())
	if !whole.IsInt64() {
		return 0, false
	}
	return whole.Int64(), true
}

// unitSize gives the size of the unit with that name, 0 when the scale has none.
func unitSize(name string, scale []unit) int64 {
	for _, u := range scale {
		if u.name == name {
			return u.size
		}
	}
	return 0
}
