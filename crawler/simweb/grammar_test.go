package simweb

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// slowWrite lists everything that a pattern of literals, choices and lists can say.
func slowWrite(p pattern) []string {
	out := []string{""}
	for _, n := range p {
		var ways []string
		switch n.kind {
		case literal:
			ways = []string{n.text}
		case choice:
			for _, c := range n.choice {
				ways = append(ways, slowWrite(c)...)
			}
		case fromList:
			for _, c := range n.list.entries {
				for _, s := range slowWrite(c) {
					ways = append(ways, string(raise([]byte(s), map[bool]int{true: 0, false: len(s)}[n.raise])))
				}
			}
		}
		var next []string
		for _, head := range out {
			for _, way := range ways {
				next = append(next, head+way)
			}
		}
		out = next
	}
	return out
}

func TestPatternsSayAllTheyCan(t *testing.T) {
	t.Parallel()
	base, err := newGrammar(nil, map[string]string{"tree": "oak|elm"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGrammar(base, map[string]string{"wood": "{tree} wood|öre"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		want   []string
	}{
		{"plain", []string{"plain"}},
		{"a[b|c|]d", []string{"abd", "acd", "ad"}},
		{"[x[1|2]|y]", []string{"x1", "x2", "y"}},
		{"{Wood}!", []string{"Oak wood!", "Elm wood!", "Öre!"}},
	} {
		p, err := g.compile(c.source)
		if err != nil {
			t.Fatalf("compile(%q): %v", c.source, err)
		}
		if diff := cmp.Diff(c.want, slowWrite(p)); diff != "" {
			t.Errorf("%q can say (-want +got):\n%s", c.source, diff)
		}
		said := make(map[string]bool)
		for seed := range uint64(200) {
			l := language{}
			teller := l.teller(seed)
			said[string(teller.write(nil, p))] = true
		}
		if len(said) != len(c.want) {
			t.Errorf("%q said %v in 200 tries", c.source, said)
		}
		for _, s := range c.want {
			if !said[s] {
				t.Errorf("%q never said %q", c.source, s)
			}
		}
	}
	for _, bad := range []string{"[a", "a]", "a|b", "{tree", "{bush}", "{n:x}", "{n:9-1}", "{n:1-2/0}", "{}", "[a|{tree]"} {
		if _, err := g.compile(bad); err == nil {
			t.Errorf("compile(%q): no error", bad)
		}
	}
}

func TestNumbersAndArticles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		thousand string
		x        int
		want     string
	}{{",", 5, "5"}, {",", 999, "999"}, {",", 1000, "1,000"}, {".", 1234567, "1.234.567"}, {"", 98000, "98000"}, {" ", 12000, "12 000"}} {
		teller := teller{thousand: c.thousand}
		if got := string(teller.number([]byte("x"), c.x)); got != "x"+c.want {
			t.Errorf("number(%d) with %q = %q, want x%s", c.x, c.thousand, got, c.want)
		}
	}
	for in, want := range map[string]string{
		"a old tug": "an old tug", "A elm and a oak": "An elm and an oak", "a one-way street": "a one-way street",
		"a tug": "a tug", "beta omega": "beta omega", "a": "a", "it is a 8": "it is a 8",
	} {
		if got := string(fixArticles([]byte(in))); got != want {
			t.Errorf("fixArticles(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestEveryTopicHasItsWords counts what the demo shows: topics must not be thin.
func TestEveryTopicHasItsWords(t *testing.T) {
	t.Parallel()
	lexicon, err := buildLexicon()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lexicon {
		for i, topic := range l.topics {
			if len(topic.facts) != 6 || len(topic.titles) < 2 || len(topic.eventTitles) < 2 {
				t.Errorf("%s %s: %d facts, %d titles, %d headlines", l.code, topic.name, len(topic.facts), len(topic.titles), len(topic.eventTitles))
			}
			for j, f := range topic.facts {
				ways := 0
				for _, p := range f.says {
					n := 1
					for _, node := range p {
						if node.kind == choice {
							n *= len(node.choice)
						}
					}
					ways += n
				}
				if ways < 4 {
					t.Errorf("%s %s: fact %d can be told in %d ways", l.code, topic.name, j, ways)
				}
			}
			if l.code != "en" {
				continue
			}
			words := make(map[string]bool)
			at := slices.IndexFunc(l.languageWords.topics, func(t topicWords) bool { return t.name == topicNames[i] })
			source := l.languageWords.topics[at]
			texts := append(slices.Collect(maps.Values(source.lists)), append(source.says, source.titles...)...)
			for _, f := range source.event.facts {
				texts = append(texts, f.says...)
			}
			for _, text := range texts {
				for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
					words[strings.ToLower(w)] = true
				}
			}
			if len(words) < 265 {
				t.Errorf("%s: %d words, want at least 265", topic.name, len(words))
			}
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"a[b|c]{tree}", "{n:1-9/2}{f:0-3}{y:1900-2000}{who}", "[[[", "{", "]|"} {
		f.Add(s)
	}
	g, err := newGrammar(nil, map[string]string{"tree": "oak|elm"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := g.compile(source)
		if err != nil {
			return
		}
		teller := teller{told: &telling{}, point: '.'}
		if out := teller.write(nil, p); !strings.ContainsAny(source, "[{") && string(out) != source {
			t.Errorf("compile(%q) writes %q", source, out)
		}
	})
}

// FuzzRespond feeds addresses and conditions from outside.
func FuzzRespond(f *testing.F) {
	w := testWorld(f, Options{Seed: 41, Hosts: 4, PagesPerHost: 40, Size: 2 << 10}, day)
	for p := range w.Pages(w.at(0), w.at(1)) {
		if p.Kind != Document {
			f.Add(strings.TrimPrefix(p.URL, "http://"+p.Host), "\"x\"", "Mon, 02 Jan 2006 15:04:05 GMT", "gzip;q=1")
		}
	}
	f.Add("/archive/9999-99/", "*", "", "*;q")
	f.Add("/harbour/list-9999999999", "W/", "x", ",;")
	f.Add("/sitemap-0.xml", "", "", "")
	f.Fuzz(func(t *testing.T, path, match, since, accept string) {
		h := w.hosts[0]
		if p, ok := h.find(path); ok && h.path(p.idx, p.part) != path && path != "" {
			t.Fatalf("find(%q) is the page at %q", path, h.path(p.idx, p.part))
		}
		url := h.Home + strings.TrimPrefix(path, "/")
		r := w.Body(url, w.at(day), 1)
		if r.Status < 200 || r.Status > 599 || r.Header == nil {
			t.Fatalf("Body(%q): status %d", url, r.Status)
		}
		notModified(map[string][]string{"If-None-Match": {match}, "If-Modified-Since": {since}}, r.Header)
		acceptsGzip(map[string][]string{"Accept-Encoding": {accept}})
	})
}
