package cdxj

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var at = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)

func TestLine(t *testing.T) {
	t.Parallel()
	e := New("http://www.example.com/?a&<b>", at.Add(900*time.Millisecond))
	e.MIME, e.Status, e.Digest, e.Length, e.Offset, e.Filename = "text/html", 200, "sha1:AB", 12, 0, "a \"b\".warc.gz"
	const want = `com,example)/?<b>&a 20200102030405 {"url": "http://www.example.com/?a&<b>", "mime": "text/html", "status": "200", ` +
		`"digest": "sha1:AB", "length": "12", "offset": "0", "filename": "a \"b\".warc.gz"}` + "\n"
	line, err := e.AppendTo(nil)
	if err != nil || string(line) != want {
		t.Fatalf("line is\n%s, want\n%s(%v)", line, want, err)
	}
	line, err = New("dns:x", at).AppendTo([]byte(">"))
	if err != nil || string(line) != `>dns:x 20200102030405 {"url": "dns:x", "status": "-"}`+"\n" {
		t.Errorf("line is %s (%v)", line, err)
	}
	for _, key := range []string{"", "a b", "a\n", "!meta", "\xff"} {
		if line, err := (Entry{Key: key, Time: at}).AppendTo(nil); err == nil {
			t.Errorf("key %q written: %s", key, line)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	want := Entry{Key: "com,example)/", Time: at, URL: "http://example.com/", Status: 200, Length: 5, Offset: 7, Filename: "x"}
	for _, line := range []string{
		`com,example)/ 20200102030405 {"url": "http://example.com/", "status": "200", "length": "5", "offset": "7", "filename": "x"}`,
		`com,example)/ 20200102030405 {"offset":7,"length":5,"status":200,"url":"http:\/\/example.com\/","more":[1,{"a":null}],"filename":"x","mime":null} ` + "\r\n",
	} {
		got, err := Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Parse(%s) (-want +got):\n%s", line, diff)
		}
	}
	for _, line := range []string{"", "\n", "!OpenWayback-CDXJ 1.0", " CDX N b a m s k r M S V g"} {
		if _, err := Parse([]byte(line)); !errors.Is(err, ErrHeader) {
			t.Errorf("Parse(%q): %v, want ErrHeader", line, err)
		}
	}
	for _, line := range []string{
		"com,example)/", "com,example)/ 20200102030405", ` 20200102030405 {}`, "com,example)/ 2020 {}", "com,example)/ 20201302030405 {}",
		"com,example)/ 20200102030405 {", "com,example)/ 20200102030405 []", `com,example)/ 20200102030405 {"status":"ok"}`,
		`com,example)/ 20200102030405 {"offset":"-5"}`, `com,example)/ 20200102030405 {"length":1.5}`, "\xff 20200102030405 {}",
		"a 20200102030405 {" + strings.Repeat(" ", MaxLine) + "}",
	} {
		if e, err := Parse([]byte(line)); err == nil || errors.Is(err, ErrHeader) {
			t.Errorf("Parse(%.60q) = %+v, %v, want an error", line, e, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		e := New("http://example.com/"+text.Draw(t, "url"), time.Unix(rapid.Int64Range(0, 2e11).Draw(t, "time"), 0))
		e.MIME, e.Digest, e.Filename = text.Draw(t, "mime"), text.Draw(t, "digest"), text.Draw(t, "filename")
		e.Status = rapid.IntRange(0, 999).Draw(t, "status")
		e.Length, e.Offset = rapid.Int64Min(-1).Draw(t, "length"), rapid.Int64Min(-1).Draw(t, "offset")
		line, err := e.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", line, diff)
		}
	})
}

func TestSort(t *testing.T) {
	t.Parallel()
	in := []Entry{
		{Key: "b)/", Time: at, Filename: "1"},
		{Key: "a)/", Time: at.Add(time.Second), Filename: "2"},
		{Key: "b)/", Time: at.Add(time.Millisecond), Filename: "3"},
		{Key: "a)/", Time: at, Filename: "4"},
		{Key: "b)/", Time: at, Filename: "5"},
		{Key: "a,x)/", Time: at, Filename: "6"},
		{Key: "a)/", Time: at, Filename: "7"},
	}
	Sort(in)
	var got strings.Builder
	for _, e := range in {
		got.WriteString(e.Filename)
	}
	if got.String() != "4726135" {
		t.Errorf("order %s, want 4726135", got.String())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`com,example)/ 20200102030405 {"url": "http://example.com/", "status": "200", "length": "5", "offset": 7, "filename": "x"}`))
	f.Add([]byte("!meta {}"))
	f.Add([]byte("a 20200102030405 {}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Parse(b)
		if err != nil {
			return
		}
		line, err := e.AppendTo(nil)
		if err != nil {
			t.Fatalf("parsed %+v cannot be written: %v", e, err)
		}
		if !utf8.Valid(line) {
			t.Fatalf("line %q is not UTF-8", line)
		}
		again, err := Parse(line)
		if err != nil || again != e {
			t.Fatalf("%+v came back as %+v, %v", e, again, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	e := New("https://www.example.com/news/2020/01/02/", at)
	e.MIME, e.Status, e.Digest, e.Length, e.Offset, e.Filename = "text/html", 200, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", 1234, 56789, "a.warc.gz"
	line, err := e.AppendTo(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
