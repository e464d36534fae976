package pagedate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/extract"
)

var fetched = time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC)

func TestURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, want string }{
		{"http://a.test/2024/05/12/title", "2024-05-12"},
		{"http://a.test/news/2024-05-12-title.html", "2024-05-12"},
		{"http://a.test/2024_05_12", "2024-05-12"},
		{"http://a.test/p20040512.html", "2004-05-12"},
		{"http://a.test/archives/200405.html", "2004-05"},
		{"http://a.test/2004/05/", "2004-05"},
		{"http://a.test/a?d=2004-05", "2004-05"},
		{"http://a.test/2004/", "2004"},
		{"http://a.test/2004/page/2009/07/x", "2009-07"},
		{"http://a.test/2004/13/", "2004"},
		{"http://a.test/2004-02-30/", "2004-02"},
		{"http://a.test/2004/05-12", "2004-05"},
		{"http://a.test/1992/05/", ""},
		{"http://a.test/123456789", ""},
		{"http://a.test/1120040512", ""},
		{"http://a.test/190212", ""},
		{"http://2024-05-12.test/x", ""},
		{"http://a.test/v2004.1", ""},
		{"http://a.test", ""},
		{"", ""},
	} {
		got := ""
		if d, ok := inURL(c.url); ok {
			got = d.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"en", "On May 12, 2024 at 10:30", "2024-05-12"},
		{"en", "Sunday, 12th May 2024", "2024-05-12"},
		{"en", "12-May-2024", "2024-05-12"},
		{"en", "Sept. 3, 2019", "2019-09-03"},
		{"en", "March 2019", "2019-03"},
		{"en", "5/12/2024", ""}, // of two months nobody knows which
		{"en", "5/13/2024", "2024-05-13"},
		{"en", "13/5/2024", "2024-05-13"},
		{"en", "5/5/2024", "2024-05-05"},
		{"en", "2024-05-12T08:00:00Z", "2024-05-12"},
		{"en", "may be 2024", ""},
		{"en", "In 2024 all went well", ""},
		{"en", "february 30, 2024", ""},
		{"en", "files 12.05.2024.1 and 1.12.05.2024", "2024-05-12"},
		{"en", "a/2024-05-12/b", ""},
		{"en", "x2024-05-12", ""},
		{"de", "Sonntag, 12. Mai 2024, 10 Uhr", "2024-05-12"},
		{"de", "1. März 2003", "2003-03-01"},
		{"de", "12.05.2024", "2024-05-12"},
		{"de", "03/04/2024", "2024-04-03"},
		{"fr", "dimanche 12 mai 2024", "2024-05-12"},
		{"fr", "le 1er août 2003", "2003-08-01"},
		{"fr", "déc. 2003", "2003-12"},
		{"nl", "zondag 12 mei 2024", "2024-05-12"},
		{"nl", "3 mrt. 2024", "2024-03-03"},
		{"nl", "12-05-2024", "2024-05-12"},
		{"es", "12 de mayo de 2024", "2024-05-12"},
		{"es", "mayo de 2024", "2024-05"},
		{"es", "enero 3 de 2024", "2024-01-03"},
		{"it", "12 maggio 2024", "2024-05-12"},
		{"pt", "3 de março de 2024", "2024-03-03"},
		{"ja", "2024年5月12日（日）", "2024-05-12"},
		{"ja", "２０２４年５月１２日", "2024-05-12"},
		{"ja", "令和6年5月12日", "2024-05-12"},
		{"ja", "令和元年10月1日", "2019-10-01"},
		{"ja", "平成16年3月", "2004-03"},
		{"ja", "2024年5月", "2024-05"},
		{"ja", "2024/05/12 10:00", "2024-05-12"},
		{"zh", "发布于2024年5月12日", "2024-05-12"},
		{"ko", "2024년 5월 12일", "2024-05-12"},
		{"en", "from May 1, 2020 to 3 June 2021", "2020-05-01 2021-06-03"},
	} {
		var got []string
		for _, f := range spellings(nil, c.text, c.language) {
			got = append(got, f.date.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %q: %v, want %q", c.language, c.text, got, c.want)
		}
	}
}

// page extracts a page from markup.
func page(markup string) *extract.Page {
	var x extract.Extractor
	return x.Extract(extract.Input{Body: []byte(markup), ContentType: "text/html; charset=utf-8", URL: "http://a.test/"})
}

func TestOf(t *testing.T) {
	t.Parallel()
	prose := map[string]string{
		"en": "The council met on Monday evening and decided what it had put off for years, and nobody who was there had anything to say against it.",
		"de": "Der Rat tagte am Montagabend und beschloss, was er seit Jahren aufgeschoben hatte, und niemand, der dabei war, sagte etwas dagegen.",
		"fr": "Le conseil s'est réuni lundi soir et a décidé ce qu'il remettait depuis des années, et personne parmi les présents ne s'y est opposé.",
		"nl": "De raad kwam maandagavond bijeen en besloot wat hij al jaren had uitgesteld, en niemand die erbij was had er iets tegen in te brengen.",
		"es": "El consejo se reunió el lunes por la noche y decidió lo que llevaba años aplazando, y ninguno de los presentes dijo nada en contra.",
		"ja": "市議会は月曜の夜に開かれ、何年も先送りにしてきたことを決めた。出席した人のうち反対する人は誰もいなかった。",
	}
	type want struct{ published, modified string }
	for _, c := range []struct {
		name, url, lang, markup string
		want                    want
	}{
		{"meta", "", "en", `<meta property="article:published_time" content="2020-03-04T05:06:07+02:00"><p>%s`, want{"2020-03-04 markup", ""}},
		{
			"json", "", "en", `<script type="application/ld+json">{"@graph":[{"datePublished":"2020-03-04","dateModified":"2021-05-06T00:00Z"}]}</script><p>%s`,
			want{"2020-03-04 markup", "2021-05-06 markup"},
		},
		{"earliest of many", "", "en", `<meta name="date" content="2021-01-01"><meta name="dc.date" content="2020-03-04"><p>%s`, want{"2020-03-04 markup", ""}},
		{"http date", "", "en", `<meta name="last-modified" content="Tue, 04 Mar 2003 10:00:00 GMT"><p>%s`, want{"", "2003-03-04 markup"}},
		{"time", "", "en", `<time datetime="2020-03-04">Wednesday</time><p>%s`, want{"2020-03-04 time element", ""}},
		{"a list's times", "", "en", `<time datetime="2020-03-04"></time><time datetime="2020-03-05"></time><time datetime="2020-03-06"></time><time datetime="2020-03-07"></time><p>%s`, want{}},
		{"english cues", "", "en", `<p>Published on March 4, 2020 by A. Writer<br>Last updated: 6 May 2021</p><p>%s`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"one line", "", "en", `<p>Posted March 4, 2020 · Updated May 6, 2021</p><p>%s`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"cue in a line of its own", "", "en", `<dl><dt>Published</dt><dd>4 March 2020</dd></dl><p>%s`, want{"2020-03-04 text", ""}},
		{"german", "", "de", `<p>Veröffentlicht am 4. März 2020</p><p>%s</p><p>Stand: 06.05.2021`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"french", "", "fr", `<p>Publié le 4 mars 2020, mis à jour le 6 mai 2021</p><p>%s`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"dutch", "", "nl", `<p>Gepubliceerd op 4 maart 2020</p><p>%s</p><p>Laatst gewijzigd: 6-5-2021`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"spanish", "", "es", `<p>Publicado el 4 de marzo de 2020</p><p>%s</p><p>Última actualización: 6 de mayo de 2021`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"japanese", "", "ja", `<p>公開日：2020年3月4日　最終更新日：2021年5月6日</p><p>%s`, want{"2020-03-04 text", "2021-05-06 text"}},
		{"japanese in its own line", "", "ja", `<p>更新日</p><p>令和3年5月6日</p><p>%s`, want{"", "2021-05-06 text"}},
		{"dateline", "", "en", `<h1>Council decides</h1><p>March 4, 2020</p><p>%s`, want{"2020-03-04 text", ""}},
		{"dateline and a list at the side", "", "en", `<p>March 4, 2020</p><p>%[1]s %[1]s %[1]s %[1]s</p><ul><li>March 6, 2020<li>March 5, 2020<li>March 4, 2020</ul>`, want{"2020-03-04 text", ""}},
		{"teasers", "", "en", `<p>March 6, 2020</p><p>%[1]s %[1]s %[1]s %[1]s</p><p>March 5, 2020</p><p>%[1]s %[1]s %[1]s %[1]s<p>March 4, 2020</p>`, want{}},
		{"datelines of a list", "", "en", `<p>March 4, 2020</p><p>March 5, 2020</p><p>March 6, 2020</p><p>%s`, want{}},
		{"date in a sentence", "", "en", `<p>%s It was founded on March 4, 2020, in the presence of many who had come from afar to see it.`, want{}},
		{"rights", "", "en", `<p>%s</p><p>© published 4 March 2020</p>`, want{}},
		{"unpublished", "", "en", `<p>%s</p><p>The unpublished letters that he wrote to her on the evening of 4 March 2020</p>`, want{}},
		{"future", "", "en", `<meta name="date" content="2030-01-01"><p>%s`, want{}},
		{"url and text agree", "http://a.test/2020/03/x", "en", `<p>Published on March 4, 2020</p><p>%s`, want{"2020-03-04 text", ""}},
		{"url", "http://a.test/2020/03/x", "en", `<p>%s`, want{"2020-03 url", ""}},
		{"nonsense", "", "en", `<meta name="date" content="yesterday"><meta name="date" content="0000-00-00"><p>%s`, want{}},
	} {
		p := page(fmt.Sprintf(`<html lang="`+c.lang+`"><title>t</title>`+c.markup, prose[c.lang]))
		ds := Of(c.url, p, fetched)
		var got want
		if d, ok := ds.Published(); ok {
			got.published = d.String() + " " + d.Source.String()
		}
		if d, ok := ds.Modified(); ok {
			got.modified = d.String() + " " + d.Source.String()
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestAgreementMakesSure(t *testing.T) {
	t.Parallel()
	const text = `<html lang="en"><p>March 4, 2020</p><p>The council met on Monday evening and decided what it had put off for years.`
	alone, _ := Of("", page(text), fetched).Published()
	both, _ := Of("http://a.test/2020/03/x", page(text), fetched).Published()
	if alone.Confidence >= both.Confidence || both.Confidence < 0.9 || both.String() != "2020-03-04" {
		t.Errorf("alone %v %v, with its address %v %v", alone, alone.Confidence, both, both.Confidence)
	}
	against := Of("http://a.test/2019/03/x", page(text), fetched)
	if d, _ := against.Published(); d.String() != "2019-03" || len(against) != 2 {
		t.Errorf("what disagrees: %v", against)
	}
}

func TestOldBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, url, markup, want string }{
		{"month", "http://a.test/2020/03/x", `<p>x`, "2020-04-01"},
		{"modified shows it too", "http://a.test/", `<meta name="last-modified" content="2020-03-04"><p>x`, "2020-03-05"},
		{"the earlier of both", "http://a.test/", `<meta name="last-modified" content="2021-03-04"><meta name="date" content="2020-01-01">`, "2020-01-02"},
		{"unsure", "http://a.test/2020/x", `<p>text`, ""},
	} {
		got := ""
		if at, ok := Of(c.url, page(c.markup), fetched).OldBefore(); ok {
			got = at.Format("2006-01-02")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// spell writes a day in the ways that the languages have.
func spell(at time.Time) []struct{ language, text string } {
	months := map[string][]string{
		"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		"fr": {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		"nl": {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december"},
		"es": {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	}
	y, m, d := at.Year(), int(at.Month()), at.Day()
	name := func(language string) string { return months[language][m-1] }
	return []struct{ language, text string }{
		{"en", fmt.Sprintf("%s %d, %d", name("en"), d, y)},
		{"en", fmt.Sprintf("%d %s %d", d, name("en"), y)},
		{"en", fmt.Sprintf("%s. %d, %d", name("en")[:3], d, y)},
		{"de", fmt.Sprintf("%d. %s %d", d, name("de"), y)},
		{"de", fmt.Sprintf("%02d.%02d.%d", d, m, y)},
		{"fr", fmt.Sprintf("%d %s %d", d, name("fr"), y)},
		{"nl", fmt.Sprintf("%d %s %d", d, name("nl"), y)},
		{"nl", fmt.Sprintf("%d-%d-%d", d, m, y)},
		{"es", fmt.Sprintf("%d de %s de %d", d, name("es"), y)},
		{"ja", fmt.Sprintf("%d年%d月%d日", y, m, d)},
		{"ja", fmt.Sprintf("%d/%02d/%02d", y, m, d)},
		{"", at.Format("2006-01-02")},
	}
}

// slow finds days in a text by trying the spellings of every day of some years.
func slow(s, language string) []string {
	var out []string
	for at := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2020; at = at.AddDate(0, 0, 1) {
		for _, w := range spell(at) {
			if w.language != language {
				continue
			}
			for i := 0; ; {
				j := strings.Index(s[i:], w.text)
				if j < 0 {
					break
				}
				i += j
				before, _ := utf8.DecodeLastRuneInString(s[:i])
				if i == 0 || before == ' ' || before == '、' {
					out = append(out, at.Format("2006-01-02"))
				}
				i += len(w.text)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestSpellingsAgainstEveryDay(t *testing.T) {
	t.Parallel()
	fillers := []string{"on", "text", "17", "Mr. X", "3.5", "am", "x", ";", "(see", "page 4)", "2020", "1.000", "—"}
	rapid.Check(t, func(t *rapid.T) {
		language := rapid.SampledFrom([]string{"en", "de", "fr", "nl", "es", "ja"}).Draw(t, "language")
		var parts []string
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			if rapid.Bool().Draw(t, "filler") {
				parts = append(parts, rapid.SampledFrom(fillers).Draw(t, "filler")+" and")
				continue
			}
			at := time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 729).Draw(t, "day"))
			all := spell(at)
			all = slices.DeleteFunc(all, func(w struct{ language, text string }) bool { return w.language != language })
			parts = append(parts, rapid.SampledFrom(all).Draw(t, "spelling").text+" and")
		}
		s := strings.Join(parts, " ")
		var got []string
		for _, f := range spellings(nil, s, language) {
			if f.date.Precision == Day {
				got = append(got, f.date.String())
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(slow(s, language), slices.Compact(got)); diff != "" {
			t.Fatalf("%s %q (-slow +fast):\n%s", language, s, diff)
		}
	})
}

func FuzzSpellings(f *testing.F) {
	for _, s := range []string{"May 12, 2024", "12. Mai 2024", "2024年5月12日", "令和元年5月1日", "1/2/2024", "2024-05-12T00:00Z", "\xff12.5.2024", "12 de mayo de", "0000-00-00", "99999999999999999999"} {
		f.Add(s, "en")
		f.Add(s, "de")
	}
	f.Fuzz(func(t *testing.T, s, language string) {
		end := 0
		for _, d := range spellings(nil, s, language) {
			if d.start < end || d.end <= d.start || d.end > len(s) {
				t.Fatalf("%q: [%d,%d) after %d", s, d.start, d.end, end)
			}
			end = d.end
			if y := d.date.Start.Year(); y < firstYear || y > 2999 || !d.date.End().After(d.date.Start) {
				t.Fatalf("%q: %v", s, d.date)
			}
		}
		if d, ok := readStated(s); ok && d.Start.Year() < firstYear {
			t.Fatalf("stated %q: %v", s, d)
		}
		if d, ok := inURL("http://a.test/" + s); ok && d.Confidence <= 0 {
			t.Fatalf("url %q: %v", s, d)
		}
	})
}

func FuzzOf(f *testing.F) {
	f.Add("http://a.test/2020/03/x", `<time datetime="2020-03-04">x</time><p>Published on March 4, 2020`)
	f.Add("", `<meta name="date" content="2020-02-30"><p>© 2020`)
	f.Fuzz(func(t *testing.T, url, markup string) {
		for _, d := range Of(url, page(markup), fetched) {
			if d.Confidence <= 0 || d.Confidence > 1 || d.Start.After(fetched.AddDate(0, 0, 1)) || d.Start.Year() < firstYear {
				t.Fatalf("%q %q: %v %v", url, markup, d, d.Confidence)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<html lang="en"><p>Published on March 4, 2020</p>`)
	for i := range 300 {
		fmt.Fprintf(&s, "<p>Paragraph %d says that %d people came on 4 May 2019 and went home again.</p>", i, i*i)
	}
	p := page(s.String())
	b.ReportAllocs()
	for b.Loop() {
		Of("http://a.test/2020/03/x", p, fetched)
	}
}
