package canonical

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/internal/need"
)

// check holds what must be true of every base and reference, whatever they are.
func check(t interface{ Fatalf(string, ...any) }, f *Former, base, ref string) {
	got, err := f.URL(base, ref)
	slow, slowErr := "", error(ErrTooLong)
	if len(base) <= MaxLength && len(ref) <= MaxLength {
		slow, slowErr = f.slow(base, ref)
	}
	if got != slow || (err == nil) != (slowErr == nil) {
		t.Fatalf("URL(%q, %q) = %q, %v; the slow way gives %q, %v", base, ref, got, err, slow, slowErr)
	}
	if err != nil {
		return
	}
	if len(got) > MaxLength || !strings.HasPrefix(got, "http") || strings.Contains(got, "#") {
		t.Fatalf("URL(%q, %q) = %q", base, ref, got)
	}
	again, err := f.slow("", got)
	if again != got || err != nil {
		t.Fatalf("URL(%q, %q) = %q, of which the canonical form is %q, %v", base, ref, got, again, err)
	}
	if again, err = f.slow(got, ""); again != got || err != nil {
		t.Fatalf("%q resolved against itself is %q, %v", got, again, err)
	}
	facts, err := FactsOf(got)
	if err != nil || facts.Host == "" || facts.Bucket < 0 || facts.Bucket >= Buckets ||
		!strings.HasPrefix(got, facts.Origin+"/") || !strings.HasSuffix(facts.Host, facts.Site) {
		t.Fatalf("FactsOf(%q) = %+v, %v", got, facts, err)
	}
}

// pieces that meet in URLs; the generator joins them, so that each rule meets each other.
var pieces = []string{
	"http://", "https://", "HTTP://", "http:", "https:/", "//", "/", "\\", "/", "?", "#", "&", "=", ":", "@", ";", ".", "..", "./", "../",
	"/.", "/..", "/../", "example.org", "Example.ORG", "www.example.co.uk", "a-b.example", "a--b.example", "-a.example", "a-.example",
	"my_host.example", "xn--bcher-kva.example", "bücher.example", "example.org.", "example..org", "1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1",
	"0x7f.1", "a.0x1", "a.1", "a.-5", "[::1]", "[1::8:0]", ":80", ":443", ":8080", ":0", ":080", ":65536", ":", "user@", "u:p@", "a", "b", "c.html", "A", "~", "!$&'()*+,;=",
	"%41", "%2e", "%2E%2e", "%7e", "%2f", "%e3%81%82", "%", "%4", "%%32e", "%zz", "日本", "é", " ", "\t", "\n", "\x00", "\x7f", "\xff", "<>\"`{}|^[]",
	"utm_source=1", "utm%5fid=2", "fbclid=3", "UTM_x", "id=7", "amp;utm_x=1",
}

func TestFastIsSlow(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 9).Draw(t, "pieces"), "")
	})
	start := rapid.SampledFrom([]string{"", "", "http://", "https://example.org/", "http://example.org:80", "//", "/a/b?c"})
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			check(t, f, start.Draw(t, "base start")+text.Draw(t, "base"), start.Draw(t, "start")+text.Draw(t, "ref"))
		}
	})
}

// TestFastIsSlowGrid joins every host with every port and every path, which chance seldom does.
func TestFastIsSlowGrid(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	hosts := []string{
		"a.example", "A.example", "a-b.example", "a--b.example", "-a.example", "a-.example", "a_b.example", "xn--bcher-kva.example", "é.example",
		"a.example.", "a..example", "localhost", "1.2.3.4", "01.2.3.4", "1.2.3.4.5", "1.2.3", "256.1.1.1", "1.2.3.256", "1.2.3.4a", "a.1", "a.0x1", "a.-5", "a.1b", "[::1]", "",
		strings.Repeat("a", 63) + ".example", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 123) + "example", strings.Repeat("a.", 124) + "example",
	}
	ports := []string{"", ":", ":80", ":443", ":0", ":080", ":0443", ":8080", ":65535", ":65536", ":100000", ":x", "@b.example"}
	paths := []string{
		"", "/", "?", "#", "/a/./b/../c", "/..", "/a/..", "/a//..", "/a//../..", "/./", "/.", "/%2e%2e/a", "/a/%2E", "/a'b?c'd", "/%7e%2f%zz", "?%", "?a=%&b=%41",
		"?utm_id=1", "?a&utm_id=1#b", "\\a", "//a", "/|^[]", "?|^[]`{}", "/{}",
	}
	for _, path := range paths {
		check(t, f, "", "http://a.example"+path)
		check(t, f, "http://a.example"+path, "")
		check(t, f, "http://a.example/b?c", path)
	}
	for _, host := range hosts {
		for _, port := range ports {
			for _, path := range paths {
				check(t, f, "https://"+host+port+path, "../x/")
			}
			for _, path := range []string{"", "/", "?a"} {
				check(t, f, "", "http://"+host+port+path)
				check(t, f, "https://a.example/b/c", "//"+host+port+path)
			}
		}
	}
}

// TestFastIsTaken makes sure that the fast way does the ordinary work.
func TestFastIsTaken(t *testing.T) {
	t.Parallel()
	f := New(Options{})
	for _, l := range links {
		if _, ok := f.fast(page, l); !ok {
			t.Errorf("fast(%q, %q) gave up", page, l)
		}
	}
	for _, l := range []string{"https://EXAMPLE.org/", "https://example.org/é", "https://xn--bcher-kva.example/", "a%2eb", "100%", "https:x"} {
		if got, ok := f.fast(page, l); ok {
			t.Errorf("fast(%q, %q) = %q; should have asked the parser", page, l, got)
		}
	}
}

// TestCorpusLinks holds the two ways against each other on the links of real pages.
func TestCorpusLinks(t *testing.T) {
	t.Parallel()
	files := need.Corpus(t)
	href := regexp.MustCompile(`(?:^WARC-Target-URI: |href=")([^"\r\n]*)`)
	f := New(Options{})
	total, fast := 0, 0
	traps := make(map[string]int)
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(io.LimitReader(z, 4<<20))
		lines.Buffer(nil, 4<<20)
		base := ""
		for lines.Scan() {
			for _, m := range href.FindAllStringSubmatch(lines.Text(), -1) {
				if strings.HasPrefix(m[0], "WARC") {
					base = m[1]
					continue
				}
				check(t, f, base, m[1])
				total++
				if u, err := f.URL(base, m[1]); err == nil {
					if kind, ok := Trap(u, now); ok {
						traps[kind]++
						if testing.Verbose() && traps[kind] <= 5 {
							t.Logf("%s trap: %s", kind, u)
						}
					}
				}
				if _, ok := f.fast(base, m[1]); ok || hasForeignScheme(m[1]) {
					fast++
				}
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d links, %d of them by the fast way, traps %v", total, fast, traps)
	if fast*10 < total*9 {
		t.Errorf("the fast way takes %d links of %d", fast, total)
	}
}

func FuzzURL(f *testing.F) {
	f.Add("", "https://example.org/a?b#c")
	f.Add("https://example.org/a/b", "../c?utm_source=d&e=%41")
	f.Add("http://[::1]:80/", "//0x7f.1/%%32e")
	f.Add("http://bücher.example./", "?%zz")
	for _, p := range pieces {
		f.Add("http://example.org/", p)
		f.Add("", "http://"+p)
	}
	former := New(Options{})
	f.Fuzz(func(t *testing.T, base, ref string) {
		check(t, former, base, ref)
	})
}

// links are the 41 links of a page like those of a news site: mostly plain and rooted.
const page = "https://www.example.org/politics/2024/07/a-long-headline-of-a-day-4711.html"

var links = func() []string {
	l := []string{
		"/", "#content", "/search?q=harbour&page=2", "../", "./print.html", "?view=all", "//cdn.example.net/a/b.html",
		"https://www.example.org/about/", "https://social.example/share?u=https%3A%2F%2Fwww.example.org%2Fpolitics&utm_source=page",
		"https://other.example/articles/2024-07-01-something?utm_source=a&utm_medium=b&id=17", "a-second-page-4712.html",
	}
	for len(l) < 41 {
		l = append(l, "/politics/2024/07/another-headline-of-the-very-same-day-"+strings.Repeat("x", len(l)%7)+".html",
			"https://www.example.org/regional/north/a-story-from-the-north-48"+strings.Repeat("1", len(l)%5)+".html")
	}
	return l[:41]
}()

func BenchmarkURL(b *testing.B) {
	f := New(Options{})
	run := func(name string, form func(base, ref string) (string, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := form(page, links[i%len(links)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("fast", f.URL)
	run("slow", f.slow)
}

// BenchmarkURLWorst measures inputs built to be slow.
func BenchmarkURLWorst(b *testing.B) {
	f := New(Options{})
	for _, w := range []struct{ name, ref string }{
		{"slashes", "https://example.org/é" + strings.Repeat("/", 8000)},
		{"ats", "https://" + strings.Repeat("@:", 4000) + "example.org/"},
		{"letters", strings.Repeat("a", 8000) + "é"},
		{"labels", "https://" + strings.Repeat("é.", 2600)},
		{"percents", "https://example.org/" + strings.Repeat("%", 8000)},
	} {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = f.URL(page, w.ref)
			}
		})
	}
}
