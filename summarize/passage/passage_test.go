package passage

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/crawler/extract"
)

func TestProse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, s string
		want    bool
	}{
		{"en", "The council will close the old bridge on Monday.", true},
		{"en", "“We had no choice,” the mayor of Lund said.", true},
		{"en", "Albany | 12", false},
		{"en", "Home > News > The river is rising fast today.", false},
		{"en", "Home » News » The river is rising fast today.", false},
		{"en", "Read more.", false},
		{"en", "Accessibility:Everyone has a right to know about it.", false},
		{"en", "橋は工事のため今日も閉鎖されている。", false},
		{"en", "The total of people tested is 2,776As of March 25, 2020.", false},
		{"en", "The river is still rising and …", false},
		{"en", "The river is still rising and...", false},
		{"en", "THE RIVER IS STILL RISING IN THE NORTH.", false},
		{"en", "Frequently Asked Questions About Water and Flood Insurance.", false},
		{"en", "Department of Water, Office Lund, Kirkdale, Oakham, Marwick, Redmoor, Thornby, Quarrby, Granby, Vexford, Corfield.", false},
		{"en", "De brug is wegens werkzaamheden vandaag gesloten.", false},
		{"nl", "De brug is wegens werkzaamheden vandaag gesloten.", true},
		{"de", "Die Brücke bleibt wegen der Arbeiten heute gesperrt.", true},
		{"de", "»Wir hatten keine Wahl«, sagte der Bürgermeister von Lund.", true},
		{"fr", "Le pont reste fermé aujourd'hui à cause des travaux.", true},
		{"es", "El puente sigue cerrado hoy por las obras.", true},
		{"ja", "橋は工事のため今日も閉鎖されている。", true},
		{"ja", "はい。", false},
		{"ja", "OpenGLで動かせるようにしたwaifu2x-converter-glslバージョンです。", true},
		{"ja", "Noise reduction is done and the image was written to the disk.", false},
		{"de", "Streit um einen Deich In Lund hat Hunderte auf die Straße gebracht.", false},
		{"de", "Der Streit um den Deich hat in Lund Hunderte auf die Straße gebracht.", true},
		{"", "Most pozostaje dzisiaj zamknięty z powodu prac.", true},
		{"en", "", false},
	} {
		if got := Prose(tt.s, tt.lang); got != tt.want {
			t.Errorf("Prose(%q, %q) = %v, want %v", tt.s, tt.lang, got, tt.want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	const page = `<html lang="en"><body>
	<nav><p>You will find all of our pages in this menu.</p></nav>
	<ul><li><a href="/a">All about the river.</a><li><a href="/b">What we do for you.</a></ul>
	<h1>River news</h1>
	<div><p>The river flooded 200 homes in Lund. It is still rising in the <a href="/n">north of the town</a>.</p>
	<p>Schools in Lund remain closed until the water falls.</p></div>
	<table><tr><td>Albany<td>12<tr><td>Total of all counties.<td>99</table>
	<div><a href="/c"><h3>Dam</h3><p>A dam near Oakham burst and forty people were brought to safety.</p></a></div>
	<ul><li>Please keep away from the banks of the river.<li>Call us if you are in need of help.</ul>
	<footer><p>The river association is a body of the state of Lund.</p></footer>
	</body></html>`
	var x extract.Extractor
	got := Of(x.Extract(extract.Input{Body: []byte(page), ContentType: "text/html; charset=utf-8", URL: "http://a.example/"}), "en", 1)
	const a, b, c = "The river flooded 200 homes in Lund.", "It is still rising in the north of the town.", "Schools in Lund remain closed until the water falls."
	want := []Sentence{
		{a, "", b, 0},
		{b, a, c, 0},
		{c, b, "", 0},
		{"A dam near Oakham burst and forty people were brought to safety.", "", "", 1},
		{"Please keep away from the banks of the river.", "", "", 2},
		{"Call us if you are in need of help.", "", "", 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlain takes what paper J takes: each string from a capital to a stop, but no bare link.
func TestPlain(t *testing.T) {
	t.Parallel()
	const page = `<body><p>The mayor resigns. THE RIVER RISES.</p><ul><li><a href="/a">All about the river in the whole town of Lund.</a></ul><footer>Call us.</footer><p>no sentence</p>`
	var x extract.Extractor
	var got []string
	for _, s := range Plain(x.Extract(extract.Input{Body: []byte(page), ContentType: "text/html; charset=utf-8", URL: "http://a.example/"}), "en", 1) {
		got = append(got, s.Text)
	}
	if diff := cmp.Diff([]string{"The mayor resigns.", "THE RIVER RISES.", "Call us."}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOfNothing(t *testing.T) {
	t.Parallel()
	var x extract.Extractor
	for _, body := range []string{"", "\xff\xfe", "<table><tr><td>1</table>"} {
		if got := Of(x.Extract(extract.Input{Body: []byte(body), ContentType: "text/html"}), "", 0); len(got) != 0 {
			t.Errorf("%q: %v", body, got)
		}
	}
}

// TestNeighbours gives sentences up to two others of their block.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	list := []Sentence{{Text: "A.", Block: 1}, {Text: "B.", Block: 1}, {Text: "C.", Block: 1}, {Text: "D.", Block: 1}, {Text: "E.", Block: 2}}
	surround(list, 2)
	want := []Sentence{
		{"A.", "", "B. C.", 1},
		{"B.", "A.", "C. D.", 1},
		{"C.", "A. B.", "D.", 1},
		{"D.", "B. C.", "", 1},
		{"E.", "", "", 2},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
