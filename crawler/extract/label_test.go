package extract_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"

	"github.com/strandlinehq/strandline/crawler/extract"
)

// TestWrongLabel reads pages whose label is not their encoding, and pages whose
// label is right though they could be taken for UTF-8 at a glance.
func TestWrongLabel(t *testing.T) {
	t.Parallel()
	german := strings.Repeat("Für Hörer in Köln: größere Bäume über München. ", 5)
	sjis, err := japanese.ShiftJIS.NewEncoder().String(strings.Repeat("港の水位が上がった。", 20))
	if err != nil {
		t.Fatal(err)
	}
	euckr, err := korean.EUCKR.NewEncoder().String(strings.Repeat("항구의 수위가 올랐다. ", 20))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, body, label, charset string
		wrong                      bool
	}{
		{"UTF-8 called Shift_JIS", german, "shift_jis", "utf-8", true},
		{"UTF-8 called EUC-KR", german, "euc-kr", "utf-8", true},
		{"UTF-8 called windows-1252", german, "windows-1252", "utf-8", true},
		{"ASCII called UTF-16", "<p>plain words only</p>", "utf-16", "utf-8", true},
		{"Shift_JIS called UTF-8", sjis, "utf-8", "shift_jis", true},
		{"Shift_JIS", sjis, "shift_jis", "shift_jis", false},
		{"EUC-KR", euckr, "euc-kr", "euc-kr", false},
		{"ASCII called Shift_JIS", "<p>plain words only</p>", "shift_jis", "shift_jis", false},
		{"UTF-8", german, "utf-8", "utf-8", false},
	} {
		var x extract.Extractor
		p := x.Extract(extract.Input{Body: []byte("<p>" + test.body), ContentType: "text/html; charset=" + test.label})
		if p.Charset != test.charset || p.Has(extract.WrongCharset) != test.wrong {
			t.Errorf("%s: read as %s, wrong-charset %t; want %s, %t", test.name, p.Charset, p.Has(extract.WrongCharset), test.charset, test.wrong)
		}
		if test.body == german && !strings.Contains(p.Text(), "größere Bäume") {
			t.Errorf("%s: text %.60q", test.name, p.Text())
		}
	}
}
