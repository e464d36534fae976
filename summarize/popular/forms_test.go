package popular

import "testing"

// TestWrittenForms shows terms as pages write them: names with their capitals, words without those
// that their place in the sentence gave them, and Japanese words whole.
func TestWrittenForms(t *testing.T) {
	t.Parallel()
	var f Forms
	show := map[string]string{}
	for _, s := range []struct{ lang, text string }{
		{"en", "Cases in Texas rise, and Texas counts all cases."},
		{"en", "The CDC in Baghdad counts."},
		{"en", "Counts of the CDC rise."},
		{"de", "Die große Flut kam in der Nacht."},
		{"ja", "開発環境を構築するためにセットアップを行った。"},
	} {
		for _, term := range f.Terms(s.text, s.lang) {
			show[term] = f.Show(term)
		}
	}
	for term, want := range map[string]string{
		"case": "cases", "texa": "Texas", "cdc": "CDC", "baghdad": "Baghdad", "flut": "Flut", "gross": "große", "境を": "開発環境", "ップ": "セットアップ", "構築": "構築",
	} {
		if show[term] != want {
			t.Errorf("%s is shown as %q, want %q (of %v)", term, show[term], want, show)
		}
	}
}
