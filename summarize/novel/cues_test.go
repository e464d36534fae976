package novel

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCues says of sentences what a reader who has only them would miss, or not care for.
func TestCues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, s string
		want    string // the cues that count here
	}{
		{"en", "The river flooded 200 homes in Lund.", "event"},
		{"en", "Police are closing the bridge.", "event"},
		{"en", "Rivers are measured by the state.", ""},
		{"en", "Russia attacks the town of Lund.", ""},
		{"en", "Wash the walls with soap.", "reader piece"},
		{"en", "Is the water safe?", "reader"},
		{"en", "You can swim here.", "reader ought"},
		{"en", "“You had no choice,” the mayor said.", "event"},
		{"en", "Children should not swim in the river.", "ought"},
		{"en", "If the dam bursts, the town is lost.", "condition event"},
		{"en", "The table is updated daily.", "page"},
		{"en", "We count all homes.", "house piece"},
		{"en", "“We have lost all,” the farmer said.", "event"},
		{"en", "It was closed on Monday.", "back event"},
		{"en", "This follows a decision of the council.", "back"},
		{"en", "This week the council closed the bridge.", "event"},
		{"en", "On Monday they closed it.", "back event"},
		{"en", "Includes all homes in Lund.", "piece"},
		{"en", "Guaranteeing water for all of the town.", "piece"},
		{"en", "(The number of one home is not yet certain.)", "piece"},
		{"en", "Total homes as of 6 p.m. in Lund.", "piece"},
		{"de", "Der Fluss hat 200 Häuser überflutet.", "event"},
		{"de", "Die Regierung will sie schützen.", "back event"},
		{"de", "Diese Woche wurde die Brücke gesperrt.", "event"},
		{"de", "Diese Entscheidung fiel spät.", "back"},
		{"de", "Das Land sperrt die Brücke.", ""},
		{"de", "Halten Sie Abstand vom Ufer.", "reader"},
		{"de", "„Sie haben alles verloren“, sagte der Bauer.", "event"},
		{"de", "Hausbesitzer sollten ihre Keller räumen.", "ought"},
		{"fr", "Cette semaine le pont a été fermé.", "event"},
		{"fr", "Cette décision surprend.", "back"},
		{"fr", "En France le pont a été fermé.", "event"},
		{"fr", "Gardez vos enfants loin de la rivière.", "reader"},
		{"nl", "Dit volgt op een besluit.", "back"},
		{"nl", "De brug werd gesloten.", "event"},
		{"es", "Esto sigue a una decisión.", "back"},
		{"es", "El puente fue cerrado.", "event"},
		{"ja", "これは決定に続く。", "back event"},
		{"ja", "川には近づかないようにしてください。", "reader event"},
		{"pl", "To jest koniec.", ""},
	} {
		if got := names(lexiconOf(tt.lang).of(tt.s)); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.lang, tt.s, got, tt.want)
		}
	}
}

// names writes cues that are factors, in a fixed order.
func names(c cue) string {
	var out []string
	for _, n := range []struct {
		cue  cue
		name string
	}{{toReader, "reader"}, {ought, "ought"}, {conditional, "condition"}, {ofPage, "page"}, {ofHouse, "house"}, {back, "back"}, {piece, "piece"}, {event, "event"}} {
		if c.has(n.cue) {
			out = append(out, n.name)
		}
	}
	return strings.Join(out, " ")
}

// TestCuesOfAnything reads whatever comes.
func TestCuesOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "sentence")
		for _, lang := range []string{"en", "de", "ja", "pl", ""} {
			a, b := lexiconOf(lang).of(s), lexiconOf(lang).of(s)
			if a != b {
				t.Fatalf("%q: %b and %b", s, a, b)
			}
		}
	})
}
