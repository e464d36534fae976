package novel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/internal/topicweb"
	"github.com/strandlinehq/strandline/monitor/text"
	"github.com/strandlinehq/strandline/summarize/popular"
	"github.com/strandlinehq/strandline/summarize/repeat"
)

func read(host, s, lang string) Sentence {
	x := Sentence{Host: host, Site: host, Text: s, At: start}
	x.Read(lang)
	return x
}

func TestNothing(t *testing.T) {
	t.Parallel()
	past := repeat.NewIndex(repeat.Options{})
	if got := Summarize(nil, past, Options{}); len(got.Items) != 0 {
		t.Errorf("a period without fetches: %+v", got)
	}
	got := Summarize([]Sentence{{Text: "..."}, read("a", "And so on and so forth.", "en")}, past, Options{Language: "en"})
	if got.Empty < 1 {
		t.Errorf("sentences without words: %+v", got)
	}
	checkCounts(t, got, 2)
	for _, it := range got.Items {
		if math.IsNaN(it.Value) || math.IsInf(it.Value, 0) {
			t.Errorf("value %v", it.Value)
		}
	}
}

// TestLanguages says in six languages what happened, repeats it, and advises.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for lang, s := range map[string][4]string{
		"en": {"river flood", "The river flooded 200 homes in Lund on Monday.", "On Monday 200 homes in Lund were flooded by the river.", "You should keep away from the river at all times."},
		"de": {"Fluss Hochwasser", "Der Fluss hat am Montag 200 Häuser in Lund überflutet.", "Am Montag wurden 200 Häuser in Lund vom Fluss überflutet.", "Bitte halten Sie sich vom Fluss fern."},
		"fr": {"rivière crue", "La rivière a inondé lundi 200 maisons à Lund.", "À Lund, 200 maisons ont été inondées lundi par la rivière.", "Gardez vos enfants loin de la rivière."},
		"nl": {"rivier overstroming", "De rivier overstroomde maandag 200 huizen in Lund.", "In Lund overstroomden maandag 200 huizen door de rivier.", "Blijf met uw kinderen weg bij de rivier."},
		"es": {"río inundación", "El río inundó el lunes 200 casas en Lund.", "En Lund el río inundó 200 casas el lunes.", "Mantenga a sus hijos lejos del río, usted también."},
		"ja": {"川 洪水", "月曜日に川が氾濫し、ルンドで200戸の家が浸水した。", "ルンドで月曜日に200戸の家が浸水し、川が氾濫した。", "川には近づかないようにしてください。"},
	} {
		past := repeat.NewIndex(repeat.Options{})
		opt := Options{Language: lang, Query: s[0]}
		day := []Sentence{read("a", s[3], lang), read("a", s[1], lang), read("b", s[2], lang)}
		got := Summarize(day, past, opt).Ranked()
		if len(got) == 0 || got[0].Sentence == 0 || got[0].Hosts != 2 || got[0].Label != repeat.New {
			t.Errorf("%s: the flood of two hosts must lead: %+v", lang, got)
		}
		Remember(past, day[1:2], 0, 7)
		for _, it := range Summarize(day[2:], past, opt).Items {
			t.Errorf("%s: a rewrite of yesterday's sentence is told again: %+v", lang, it)
		}
	}
}

// TestUpdateIsTold keeps changed figures in the summary, as an update.
func TestUpdateIsTold(t *testing.T) {
	t.Parallel()
	past := repeat.NewIndex(repeat.Options{})
	Remember(past, []Sentence{read("a", "The flood killed 26 people in the town of Kirkdale.", "en")}, 3, 40)
	got := Summarize([]Sentence{read("a", "The flood killed 31 people in the town of Kirkdale.", "en")}, past, Options{Language: "en", Query: "flood"})
	if len(got.Items) != 1 || got.Items[0].Label != repeat.Update || got.Items[0].Nearest.Key != 40 || got.Items[0].Nearest.Period != 3 {
		t.Errorf("%+v", got)
	}
}

func TestBoilerplateIsDropped(t *testing.T) {
	t.Parallel()
	var day []Sentence
	for p := range int64(4) {
		s := read("a", "The river association collects 20 dollars for the flood in March.", "en")
		s.Page = p
		day = append(day, s)
	}
	day = append(day, read("b", "The river flooded 200 homes in Lund.", "en"))
	got := Summarize(day, repeat.NewIndex(repeat.Options{}), Options{Language: "en", Query: "river"})
	if got.Boilerplate != 4 || len(got.Items) != 1 || got.Items[0].Sentence != 4 {
		t.Errorf("%+v", got)
	}
	known := func(site string, _ uint64) bool { return site == "b" }
	if got := Summarize(day, repeat.NewIndex(repeat.Options{}), Options{Boilerplate: known}); got.Boilerplate != 1 || got.Copies != 3 {
		t.Errorf("%+v", got)
	}
}

func TestSameDataSameSummary(t *testing.T) {
	t.Parallel()
	p := periods(topicweb.Make(topicweb.Options{Seed: 3, Periods: 2}))
	var got [2]*Summary
	for i := range got {
		past := repeat.NewIndex(repeat.Options{})
		Remember(past, p[0].sentences, 0, 0)
		got[i] = Summarize(p[1].sentences, past, Options{Language: "en"})
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
}

// day makes a period of new sentences over pages, and its history.
func day(pages, sentences, history int) (now []Sentence, texts []string, past *repeat.Index) {
	web := topicweb.Make(topicweb.Options{Seed: 9, Periods: 1, Hosts: 1, Events: history + sentences/4})
	past = repeat.NewIndex(repeat.Options{})
	for i := range history {
		Remember(past, []Sentence{read(fmt.Sprint("h", i%50), web.Tell(i), "en")}, int64(i/1000), int64(i))
	}
	r := rand.New(rand.NewPCG(1, 9))
	for i := range sentences {
		e := r.IntN(web.Events())
		if i%2 == 0 {
			e = history + r.IntN(sentences/4)
		}
		texts = append(texts, web.Tell(e))
		now = append(now, Sentence{Page: int64(i % pages), Host: fmt.Sprint("h", i%pages/2), Site: fmt.Sprint("h", i%pages/2), Text: texts[i], At: start})
	}
	return now, texts, past
}

// TestHugePage is a page of 5,000 sentences, 50,000 if STRANDLINE_SOAK is set, and one of a
// single sentence said as often: no more than linear trouble.
func TestHugePage(t *testing.T) {
	t.Parallel()
	n := 5_000
	if os.Getenv("STRANDLINE_SOAK") != "" {
		n = 50_000
	}
	now, _, past := day(1, n, 100)
	for i := range now {
		now[i].Read("en")
	}
	from := time.Now()
	got := Summarize(now, past, Options{Language: "en", Query: "river"})
	checkCounts(t, got, len(now))
	t.Logf("%d sentences: %v", n, time.Since(from))
	same := make([]Sentence, n)
	for i := range same {
		same[i] = read("a", "The river flooded 200 homes in Lund.", "en")
	}
	checkCounts(t, Summarize(same, past, Options{Language: "en"}), len(same))
	long := popular.New(nil, strings.Split(strings.Repeat("The river flooded homes. ", n), ". "), 0)
	if len(long) != 1 {
		t.Errorf("%d new sentences of one", len(long))
	}
}

// BenchmarkPeriod is one period of a topic: 200 pages with 10,000 new sentences
// against a past of 20,000, both modes, from the texts on. It is to stay under 3 s
// on one core and 300 MB.
func BenchmarkPeriod(b *testing.B) {
	now, texts, past := day(200, 10_000, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		terms := map[string][]string{}
		var list []popular.Sentence
		for i := range now {
			now[i].Read("en")
			t := text.Terms(texts[i], "en")
			page := fmt.Sprint(now[i].Page)
			terms[page] = append(terms[page], t...)
			list = append(list, popular.Sentence{Page: page, Text: texts[i], Terms: t})
		}
		popular.Rank(list, popular.Weights(terms, 200))
		Summarize(now, past, Options{Language: "en", Query: "river flood"})
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB-of-system")
}

// TestFewAreTold tells of a quiet day what there is: its ten fresh sentences give more than one, what
// none of them stands out gives the best and says so, and what was said before is never news.
func TestFewAreTold(t *testing.T) {
	t.Parallel()
	past := repeat.NewIndex(repeat.Options{})
	opt := Options{Language: "en", Query: "flood deaths", Sentences: 5, Focus: func(int64) float64 { return 0.75 }}
	quiet := []string{
		"At this time there are 30 deaths by the flood in Marwick.",
		"Oakham now meets the criteria of the state for a moderate level of danger.",
		"A limited supply of sandbags inhibits the work on the dams of Oakham.",
		"Therefore Oakham is now creating a list of the streets that come first.",
		"Farmers on the hills have lost some of their hay.",
		"The army sent tents and blankets to the school of Kirkdale.",
		"Ferries between Lund and Redmoor stopped for the night.",
		"Trains of the coast line end in Thornby.",
		"Granby has opened the town hall to families without a roof.",
		"Divers searched the harbour of Vexford without a find.",
	}
	var day []Sentence
	for _, s := range quiet {
		day = append(day, read("a", s, "en"))
	}
	got := Summarize(day, past, opt)
	if len(got.Items) != 5 || got.Faint {
		t.Errorf("%d of five are told of ten fresh ones (faint: %v)", len(got.Items), got.Faint)
	}
	faint := []Sentence{read("a", "You should keep away from the river at all times.", "en"), read("a", "Please call us if you need help with a sandbag.", "en")}
	if got := Summarize(faint, past, opt); !got.Faint || len(got.Items) != 2 {
		t.Errorf("nothing stands out: %+v", got)
	}
	Remember(past, day, 0, 0)
	if got := Summarize(day, past, opt); len(got.Items) != 0 || got.Repeats != len(day) {
		t.Errorf("what was said is told again: %+v", got)
	}
}
