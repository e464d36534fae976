package foreign_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/cmd/internal/foreign"
	"github.com/strandlinehq/strandline/configs"
)

var defaults = foreign.Defaults{Name: "imported", Schedule: "@daily"}

const changedetectionFile = `{"settings":{"requests":{"time_between_check":{"hours":3}}},"watching":{
	"b":{"url":"https://b.test/x","title":"B: news!","time_between_check":{"days":1,"minutes":null},"subtractive_selectors":["nav","p["],"ignore_text":["Read (1)","/[0-9]+ views/"],"headers":{"X-Key":"secret"},"tags":["t"],
		"notification_urls":["discord://secret/b"],"browser_steps":[{"optional_value":"secret"}],"paused":true},
	"c":{"url":"https://u:secret@c.test/","paused":false},
	"a":{"url":"https://a.test/","title":""}}}`

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		format     foreign.Format
		want       string
	}{
		{"list", "\uFEFFurl,note\n# mine\nhttps://a.test/\n\nhttps://b.test/x,shop\r\nhttps://a.test/\nhttp://\nc.test;d\n", foreign.List, `watches:
  - name: 'imported'
    # line 1 has no page: url,note
    # https://b.test/x was listed with: shop
    # line 8 has no page: c.test;d
    # page "http://": ERR
    schedule: '@daily'
    urls:
      - 'https://a.test/'
      - 'https://b.test/x'
`},
		{"opml", `<opml><body><outline text="News &amp; more"><outline type="rss" text="a" xmlUrl="https://a.test/feed" htmlUrl="https://a.test/"/></outline>
			<outline type="link" text="b" url="https://b.test/"/></body></opml>`, foreign.OPML, `watches:
  - name: 'news-more'
    # https://a.test/feed is the feed of https://a.test/, which is not watched itself
    schedule: '@daily'
    feeds:
      - 'https://a.test/feed'
  - name: 'imported'
    schedule: '@daily'
    urls:
      - 'https://b.test/'
`},
		{"urlwatch", "name: Prices\nurl: https://a.test/p\nfilter:\n  - css: {selector: main, exclude: '.ad'}\n  - html2text\n  - shellpipe: 'curl -u secret'\n  - grepvi: 'it''s \\d+'\nheaders: {Cookie: secret}\n---\ncommand: ls\n---\nname: prices\nnavigate: https://b.test/\n", foreign.Urlwatch, `# urlwatch runs when cron starts it; set the schedules.
# job-2: nothing that can be watched
# command is not taken over
watches:
  - name: 'prices'
    # filter css is not taken over: {"exclude":".ad","selector":"main"}
    # filter is not taken over: html2text
    # filter shellpipe is not taken over
    # headers is not taken over: Cookie
    schedule: '@daily'
    urls:
      - 'https://a.test/p'
    ignore:
      - '.ad'
      - '/.*(?:it''s \d+).*/'
  - name: 'prices-2'
    # navigate: the page was rendered by a browser; here it is read as it is sent
    schedule: '@daily'
    urls:
      - 'https://b.test/'
`},
		{"changedetection", changedetectionFile, foreign.Changedetection, `# c.test/: nothing that can be watched
# page "https://c.test/": ERR
watches:
  - name: 'a-test'
    schedule: '@every 3h'
    urls:
      - 'https://a.test/'
  # paused there; without the # in front it is watched:
  # - name: 'b-news'
  #   # browser_steps is not taken over
  #   # headers is not taken over: X-Key
  #   # notification_urls is not taken over
  #   # tags is not taken over: ["t"]
  #   # ignore rule "p[": ERR
  #   schedule: '@every 1d'
  #   urls:
  #     - 'https://b.test/x'
  #   ignore:
  #     - '/(?i).*Read \(1\).*/'
  #     - '/[0-9]+ views/'
  #     - 'nav'
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := printed(t, test.format, []byte(test.data))
			lines := strings.Split(got, "\n")
			for i, l := range lines { // how the configuration says it is its own affair
				for _, begin := range []string{`    # page "http://": `, `  #   # ignore rule "p[": `, `# page "https://c.test/": `} {
					if strings.HasPrefix(l, begin) {
						lines[i] = begin + "ERR"
					}
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(got, "secret") {
				t.Error("a secret is printed")
			}
			valid(t, got)
			// Without the signs in front, what is paused is a watch.
			valid(t, strings.ReplaceAll(strings.ReplaceAll(got, "  # paused there; without the # in front it is watched:\n", ""), "\n  # ", "\n  "))
		})
	}
}

// TestBackup reads the settings out of a backup.
func TestBackup(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(printed(t, foreign.Changedetection, []byte(changedetectionFile)), printed(t, foreign.Changedetection, backup(t))); diff != "" {
		t.Error(diff)
	}
}

func backup(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("datastore/url-watches.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(changedetectionFile)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for format, data := range map[foreign.Format]string{
		foreign.OPML: "<rss></rss>", foreign.Urlwatch: `{"watching": {}, "settings": {}}`, foreign.Changedetection: `{"watches":{}}`, "nosuch": "",
	} {
		if p, err := foreign.Read(format, []byte(data), defaults); err == nil {
			t.Errorf("%s: %q gives %+v, want an error", format, data, p)
		}
	}
}

func printed(t testing.TB, format foreign.Format, data []byte) string {
	t.Helper()
	p, err := foreign.Read(format, data, defaults)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// valid wants the configuration to take what was printed.
func valid(t testing.TB, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "strandline.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := configs.Load(file); err != nil {
		t.Errorf("the configuration refuses what was printed: %v\n%s", err, text)
	}
}

// FuzzRead wants whatever can be read to be printed as a valid configuration.
func FuzzRead(f *testing.F) {
	f.Add(byte(0), []byte("https://a.test/,x\n\"http://b.test"))
	f.Add(byte(1), []byte(`<opml><outline title="x"><outline xmlUrl="http://a.test/"/></outline></opml>`))
	f.Add(byte(2), []byte("url: http://a.test/\nfilter: [{css: {exclude: p}}, x]\n---\n1: 2\n"))
	f.Add(byte(3), []byte(changedetectionFile))
	f.Add(byte(3), backup(f))
	formats := []foreign.Format{foreign.List, foreign.OPML, foreign.Urlwatch, foreign.Changedetection}
	f.Fuzz(func(t *testing.T, i byte, data []byte) {
		p, err := foreign.Read(formats[int(i)%len(formats)], data, defaults)
		if err != nil {
			return
		}
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		valid(t, b.String())
	})
}
