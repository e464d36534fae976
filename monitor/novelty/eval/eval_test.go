package eval

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDistribution(t *testing.T) {
	t.Parallel()
	scores := []float64{0, 1e-9, .1, .1000001, .2, .5, .85, .9, .9000001, 1}
	want := Distribution{1, 2, 2, 0, 0, 1, 0, 0, 0, 2, 2}
	if diff := cmp.Diff(want, Distribute(scores)); diff != "" {
		t.Errorf("bins (-want +got):\n%s", diff)
	}
	single := make([]float32, len(scores))
	for i, s := range scores {
		single[i] = float32(s)
	}
	if diff := cmp.Diff(want, Distribute(single)); diff != "" {
		t.Errorf("bins in float32 (-want +got):\n%s", diff)
	}
	share, ok := want.Cumulative()
	if !ok || math.Abs(share[0]-.1) > 1e-12 || math.Abs(share[2]-.5) > 1e-12 || share[10] != 1 {
		t.Errorf("cumulative %v", share)
	}
	if _, ok := (Distribution{}).Cumulative(); ok {
		t.Error("there is a cumulative share of no pages")
	}
}

// TestBaselines are the totals of the paper's Table 3 with their baselines.
func TestBaselines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		dated Dated
		total uint64
		want  float64
	}{
		{"July 2003", Dated{299_591, 593_317, 24_286}, 917_194, 0.6734},
		{"January 2004", Dated{87_878, 270_355, 7_679}, 365_912, 0.7598},
		{"May 2004", Dated{402_365, 776_360, 36_476}, 1_215_201, 0.6689},
	} {
		got, ok := test.dated.Baseline()
		if !ok || math.Abs(got-test.want) > 0.00005 || test.dated.Total() != test.total {
			t.Errorf("%s: baseline %v of %d, want %v of %d", test.name, got, test.dated.Total(), test.want, test.total)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	scores := []float32{0, 0, .2, .5, .9, .9}
	truth := []bool{true, false, false, true, true, true}
	got := Judge(scores, truth, []float64{0, .01, .5, .9, 1})
	want := []Accuracy{{0, 6, 4, 4}, {.01, 4, 3, 4}, {.5, 3, 3, 4}, {.9, 2, 2, 4}, {1, 0, 0, 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accuracy (-want +got):\n%s", diff)
	}
	if p, ok := got[0].Precision(); !ok || p != 4.0/6 {
		t.Errorf("baseline %v, want 4/6", p)
	}
	if r, ok := got[1].Recall(); !ok || r != .75 {
		t.Errorf("recall %v, want .75", r)
	}
	if _, ok := got[4].Precision(); ok {
		t.Error("there is a precision of no judgement")
	}
}

func TestJudgeIsWhatCountingGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 50).Draw(t, "pages")
		scores, truth := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i] = float64(rapid.IntRange(0, 20).Draw(t, "score")) / 20
			truth[i] = rapid.Bool().Draw(t, "novel")
		}
		for _, a := range Judge(scores, truth, Thresholds()) {
			want := Accuracy{Threshold: a.Threshold}
			for i, s := range scores {
				if s >= a.Threshold-1e-9 {
					want.Judged++
					if truth[i] {
						want.Hits++
					}
				}
				if truth[i] {
					want.Novel++
				}
			}
			if a != want {
				t.Fatalf("%+v, want %+v", a, want)
			}
		}
	})
}

func TestMiss(t *testing.T) {
	t.Parallel()
	m := Miss([]float32{0, 0, 0, .05, .1})
	positive, tenth, ok := m.Rates()
	if !ok || positive != .4 || tenth != .2 {
		t.Errorf("Rates = %v, %v, %v; want .4, .2", positive, tenth, ok)
	}
	if _, _, ok := (Misses{}).Rates(); ok {
		t.Error("there is a miss rate of no pages")
	}
}

func TestDater(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ url, want string }{
		{"http://foo.com/2004/05/", "2004-05"},
		{"http://bar.com/200405/", "2004-05"},
		{"foo.com/2004/05/", "2004-05"},
		{"http://foo.com/a-2004-05.html", "2004-05"},
		{"http://foo.com/20040512.html", "2004-05"},
		{"http://foo.com/2004/0512.html", "2004-05"},
		{"http://foo.com/2004-05-12", "2004-05"},
		{"http://foo.com/?d=200405", "2004-05"},
		{"http://foo.com?d=200405", "2004-05"},
		{"http://foo.com/2004_05/", ""},
		{"http://foo.com/2004/5/", ""},
		{"http://foo.com/200413/", ""},
		{"http://foo.com/200400/", ""},
		{"http://foo.com/20040532/", ""},
		{"http://foo.com/199212/", ""},
		{"http://foo.com/199301/", "1993-01"},
		{"http://foo.com/201012/", "2010-12"},
		{"http://foo.com/201101/", ""},
		{"http://foo.com/1200405/", ""},
		{"http://foo.com/2004051/", ""},
		{"http://foo.com/200405123/", ""},
		{"http://foo.com/200413/2004/05", "2004-05"},
		{"http://foo.com/1999/2004/05", "2004-05"},
		{"http://foo.com/2004/05/2003/01", "2004-05"},
		{"http://200405.com/", ""},
		{"http://foo.com:2004/05/", ""},
		{"http://foo.com/a#200405", ""},
		{"http://foo.com/a%20200405", "2004-05"},
		{"http://foo.com/2004%2F05", "2004-05"},
		{"/go?to=http://x.org/200405", "2004-05"},
		{"", ""},
	} {
		got := ""
		if m, ok := (Dater{}).Of(test.url); ok {
			got = m.String()
		}
		if got != test.want {
			t.Errorf("Of(%q) = %q, want %q", test.url, got, test.want)
		}
	}
	if m, ok := (Dater{First: 2004, Last: 2026}).Of("http://a.org/2003/12/2026/11"); !ok || m.Year() != 2026 {
		t.Errorf("other years: %v, %v", m, ok)
	}
}

// TestDaterIsThePattern compares with a regular expression over the whole of a path.
func TestDaterIsThePattern(t *testing.T) {
	t.Parallel()
	// One more character on each side stands in for what RE2 has no look-around for.
	pattern := regexp.MustCompile(`^[^0-9](\d{4})[/-]?(\d{2})((0[1-9]|[12]\d|3[01])?)[^0-9]`)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`([0-9/-]|20|19|0[1-9]|1[0-2]|200[0-9]){0,14}`).Draw(t, "path")
		want := ""
		s := "/" + path + "/"
		for i := range s {
			m := pattern.FindStringSubmatch(s[i:])
			if m == nil {
				continue
			}
			year, _ := strconv.Atoi(m[1])
			month, _ := strconv.Atoi(m[2])
			if year >= 1993 && year <= 2010 && month >= 1 && month <= 12 {
				want = NewMonth(year, month).String()
				break
			}
		}
		got := ""
		if m, ok := (Dater{}).Of("http://a.org" + s); ok {
			got = m.String()
		}
		if got != want {
			t.Fatalf("Of %q = %q, want %q", s, got, want)
		}
	})
}

func TestAge(t *testing.T) {
	t.Parallel()
	previous, current := NewMonth(2003, 7), NewMonth(2004, 1)
	var d Dated
	for _, month := range []string{"2003-06", "2003-07", "2003-12", "2004-01", "2004-02"} {
		m, err := ParseMonth(month)
		if err != nil {
			t.Fatal(err)
		}
		d.Add(AgeOf(m, previous, current))
	}
	if want := (Dated{Old: 1, New: 3, Future: 1}); d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	if _, err := ParseMonth("2004-13"); err == nil {
		t.Error("2004-13 is taken for a month")
	}
}
