package chart

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// linear is a colour as linear red, green and blue.
func linear(t *testing.T, hex string) [3]float64 {
	t.Helper()
	var out [3]float64
	for i := range out {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if v := float64(n) / 255; v <= .04045 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+.055)/1.055, 2.4)
		}
	}
	return out
}

func luminance(c [3]float64) float64 { return .2126*c[0] + .7152*c[1] + .0722*c[2] }

func contrast(a, b float64) float64 { return (max(a, b) + .05) / (min(a, b) + .05) }

// TestContrast: text has 7:1 on the ground, what is drawn 3:1 (WCAG 2.2, 1.4.6 and
// 1.4.11); the hairlines are not meant.
func TestContrast(t *testing.T) {
	t.Parallel()
	for theme := 1; theme <= 2; theme++ {
		ground := luminance(linear(t, palette[0][theme]))
		for _, p := range palette[1:] {
			want := 3.0
			switch {
			case p[0] == "ink" || p[0] == "muted":
				want = 7
			case p[0] == "hairline":
				continue
			}
			if got := contrast(ground, luminance(linear(t, p[theme]))); got < want {
				t.Errorf("%s %s has %.2f:1 on the ground, want %v", p[0], p[theme], got, want)
			}
		}
	}
}

// TestRamp: the scale moves away from the ground in steps that can be told apart,
// for all eyes. The matrices are of Machado, Oliveira and Fernandes (2009) for full
// protanopia, deuteranopia and tritanopia.
func TestRamp(t *testing.T) {
	t.Parallel()
	eyes := map[string][3][3]float64{
		"common":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
		"deuteranopia": {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
		"tritanopia":   {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
	}
	for eye, m := range eyes {
		for theme := 1; theme <= 2; theme++ {
			last := math.NaN()
			for _, p := range palette {
				if p[0][0] != 'q' {
					continue
				}
				c := linear(t, p[theme])
				var seen [3]float64
				for i := range seen {
					for k := range c {
						seen[i] += m[i][k] * c[k]
					}
				}
				lightness := 116*math.Cbrt(max(luminance(seen), .0089)) - 16 // CIE L*
				if d := (last - lightness) * float64(3-2*theme); !math.IsNaN(last) && d < 4 {
					t.Errorf("%s, theme %d: %s is %.1f of lightness from the one before", eye, theme, p[0], d)
				}
				last = lightness
			}
		}
	}
}

func TestStyle(t *testing.T) {
	t.Parallel()
	for _, line := range strings.Split(strings.TrimSpace(Style()), "\n") {
		if strings.Count(line, "{") != strings.Count(line, "}") {
			t.Errorf("braces of %q", line)
		}
		if !strings.HasPrefix(line, ".strandline-chart") && !strings.HasPrefix(line, "@media") && !strings.HasPrefix(line, "[data-theme=") {
			t.Errorf("%q reaches beyond the charts", line)
		}
	}
	for part, want := range map[float64]string{0: "f-q0", 1: "f-q8", .5: "f-q4", -3: "f-q0", 7: "f-q8", math.NaN(): "f-q0"} {
		if got := step(part); got != want {
			t.Errorf("step(%v) = %s, want %s", part, got, want)
		}
	}
}
