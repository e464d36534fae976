package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/htmlindex"
)

// Texts of our own, one for each language that the encodings are known for.
const (
	japanese = "今日は天気がよいので、海岸まで歩いて行きました。波が静かで、遠くに小さな船が見えます。カメラを持って来ればよかったと思いましたが、また明日来ることにします。"
	korean   = "오늘은 날씨가 좋아서 바닷가까지 걸어갔습니다. 파도는 조용하고 멀리 작은 배가 보입니다. 사진기를 가져왔으면 좋았겠지만 내일 다시 오기로 했습니다."
	russian  = "Сегодня хорошая погода, и мы пошли пешком до берега моря. Волны были тихие, а вдали виднелась маленькая лодка. Завтра мы вернёмся сюда с фотоаппаратом."
	french   = "Aujourd’hui il fait beau, alors nous sommes allés à pied jusqu’à la côte. La mer était calme et l’on voyait au loin un petit bateau. Demain nous y reviendrons après le déjeuner, très tôt."
)

func encode(t *testing.T, name, s string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCharset(t *testing.T) {
	t.Parallel()
	page := func(head, body string) string {
		return "<html><head>" + head + "<title>x</title></head><body>" + strings.Repeat("<p>"+body+"</p>\n", 3) + "</body></html>"
	}
	tests := []struct {
		name, encoding, label, head, prefix, text string
		want                                      string
		from                                      CharsetSource
		wrong                                     bool
	}{
		{name: "header wins over meta", encoding: "shift_jis", label: "text/html; charset=Shift_JIS", head: "<meta charset=utf-8>", text: japanese, want: "shift_jis", from: FromHeader},
		{name: "bom wins over header", encoding: "utf-8", label: "text/html; charset=koi8-r", prefix: "\xEF\xBB\xBF", text: russian, want: "utf-8", from: FromBOM},
		{name: "utf-16 by bom", encoding: "utf-16le", prefix: "", text: russian, want: "utf-16le", from: FromBOM},
		{name: "meta charset", encoding: "euc-kr", head: "<META CHARSET='EUC-KR'>", text: korean, want: "euc-kr", from: FromMeta},
		{name: "meta pragma", encoding: "koi8-r", head: `<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">`, text: russian, want: "koi8-r", from: FromMeta},
		{name: "meta in a comment", encoding: "utf-8", head: "<!-- <meta charset=koi8-r> -->", text: russian, want: "utf-8", from: FromGuess},
		{name: "xml declaration", encoding: "euc-jp", prefix: `<?xml version="1.0" encoding="EUC-JP"?>`, text: japanese, want: "euc-jp", from: FromXML},
		{name: "latin-1 is windows-1252", encoding: "windows-1252", label: "text/html;charset=\"ISO-8859-1\"", text: french, want: "windows-1252", from: FromHeader},
		{name: "repeated parameter", encoding: "windows-1251", label: "text/html; charset=windows-1251; charset=utf-8", text: russian, want: "windows-1251", from: FromHeader},
		{name: "unknown label", encoding: "utf-8", label: "text/html; charset=none", text: russian, want: "utf-8", from: FromGuess},
		{name: "iso-2022-jp by meta", encoding: "iso-2022-jp", head: "<meta charset=iso-2022-jp>", text: japanese, want: "iso-2022-jp", from: FromMeta},
		{name: "guess utf-8", encoding: "utf-8", text: japanese, want: "utf-8"},
		{name: "guess shift_jis", encoding: "shift_jis", text: japanese, want: "shift_jis"},
		{name: "guess euc-jp", encoding: "euc-jp", text: japanese, want: "euc-jp"},
		{name: "guess iso-2022-jp", encoding: "iso-2022-jp", text: japanese, want: "iso-2022-jp"},
		{name: "guess euc-kr", encoding: "euc-kr", text: korean, want: "euc-kr"},
		{name: "guess koi8-r", encoding: "koi8-r", text: russian, want: "koi8-r"},
		{name: "guess windows-1251", encoding: "windows-1251", text: russian, want: "windows-1251"},
		{name: "guess windows-1252", encoding: "windows-1252", text: french, want: "windows-1252"},
		{name: "wrong utf-8 label", encoding: "shift_jis", label: "text/html; charset=utf-8", text: japanese, want: "shift_jis", wrong: true},
		{name: "wrong euc-jp label", encoding: "utf-8", head: "<meta charset=euc-jp>", text: japanese, want: "utf-8", wrong: true},
		{name: "utf-8 called latin-1", encoding: "utf-8", label: "text/html; charset=iso-8859-1", text: french, want: "utf-8", wrong: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			body := tc.prefix + encode(t, tc.encoding, page(tc.head, tc.text))
			if tc.encoding == "utf-16le" {
				body = "\xFF\xFE" + body
			}
			p := new(Extractor).Extract(Input{Body: []byte(body), ContentType: tc.label})
			if p.Charset != tc.want || p.CharsetFrom != tc.from || p.Has(WrongCharset) != tc.wrong {
				t.Errorf("charset %s from %v, flags %v; want %s from %v, wrong %v", p.Charset, p.CharsetFrom, p.Flags, tc.want, tc.from, tc.wrong)
			}
			if want := strings.Repeat(tc.text+"\n", 3); p.Text()+"\n" != want {
				t.Errorf("text = %q", p.Text())
			}
		})
	}
}

// TestSlipsAreNoWrongCharset: a few broken bytes in a long page do not change
// how it is read.
func TestSlipsAreNoWrongCharset(t *testing.T) {
	t.Parallel()
	body := "<meta charset=utf-8><p>" + strings.Repeat(russian, 5) + "\xFF\xC3 caf\xE9</p>"
	p := new(Extractor).Extract(Input{Body: []byte(body)})
	if p.Charset != "utf-8" || p.Has(WrongCharset) || strings.Count(p.Text(), "\uFFFD") != 3 {
		t.Errorf("charset %s, flags %v, %d replacement characters", p.Charset, p.Flags, strings.Count(p.Text(), "\uFFFD"))
	}
}

// TestSameWordsInAllCharsets: the encoding of a page does not show in its words.
func TestSameWordsInAllCharsets(t *testing.T) {
	t.Parallel()
	var want []WordCount
	for _, name := range []string{"utf-8", "euc-jp", "shift_jis", "iso-2022-jp"} {
		p := new(Extractor).Extract(Input{Body: []byte("<meta charset=" + name + "><p>" + encode(t, name, japanese))})
		got := p.Words()
		if len(got) < 50 {
			t.Fatalf("%s: %d words", name, len(got))
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: words differ from UTF-8:\n%s", name, diff)
		}
		if p.Detected != "ja" {
			t.Errorf("%s: language %q", name, p.Detected)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	var a, b Counter
	a.Add("One two, two! Three.")
	want := []WordCount{{"one", 1}, {"three", 1}, {"two", 2}}
	if diff := cmp.Diff(want, a.Words()); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	b.Add("three")
	b.Add("TWO one")
	if a.Hash() != b.Hash() {
		t.Errorf("equal sets of words have different hashes")
	}
	b.Add("four")
	if a.Hash() == b.Hash() {
		t.Errorf("different sets of words have the same hash")
	}
	n := a.Hash()
	a.Reset()
	a.Add(strings.Repeat("three two one ", 2000))
	if a.Hash() != n || a.Len() != 3 {
		t.Errorf("after Reset: %d words", a.Len())
	}
}
