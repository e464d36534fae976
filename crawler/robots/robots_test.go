package robots

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// verdict is one URL and whether the agent may fetch it.
type verdict struct {
	agent, url string
	want       bool
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		want       []verdict
	}{
		{"empty file", "", []verdict{{"foobot", "/", true}, {"", "/x", true}}},
		{"RFC 9309 section 5.1", `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
`, []verdict{
			{"other", "/a.gif", false},
			{"other", "/a.gif?x", true},
			{"other", "/example/x", false},
			{"other", "/publications/x", true},
			{"other", "/publications/x.gif", true},
			{"other", "/x", true},
			{"foobot", "/", false},
			{"foobot", "/example/page.html", true},
			{"foobot", "/example/allowed.gif", true},
			{"foobot", "/publications/", false},
			{"barbot", "/example/page.html", false},
			{"barbot", "/example/x", true},
			{"barbot", "/a.gif", true},
			{"bazbot", "/example/page.html", false},
			{"quxbot", "/example/page.html", true},
			{"quxbot", "/a.gif", true},
		}},
		{"RFC 9309 section 5.2, the longest match", `User-Agent: foobot
Allow: /example/page/
Disallow: /example/page/disallowed.gif
`, []verdict{{"foobot", "https://example.com/example/page/disallowed.gif", false}, {"foobot", "/example/page/x", true}}},
		{"RFC 9309 section 2.2.1, groups of one agent are one", `user-agent: ExampleBot
disallow: /foo
disallow: /bar

user-agent: ExampleBot
disallow: /baz
`, []verdict{{"ExampleBot", "/foo", false}, {"ExampleBot", "/bar", false}, {"examplebot", "/baz", false}, {"ExampleBot", "/", true}}},
		{"RFC 9309 section 2.2.2, UTF-8", "User-agent: *\nAllow: /foo/bar/ツ\nDisallow: /\n", []verdict{
			{"a", "/foo/bar/ツ", true}, {"a", "/foo/bar/%E3%83%84", true}, {"a", "/foo/bar/%e3%83%84", true}, {"a", "/foo/bar/ｯ", false},
		}},
		{"RFC 9309 section 2.2.2, coded UTF-8", "User-agent: *\nAllow: /foo/bar/%E3%83%84\nDisallow: /\n", []verdict{
			{"a", "/foo/bar/ツ", true}, {"a", "/foo/bar/%E3%83%84", true},
		}},
		{"RFC 9309 section 2.2.2, coded letters", "User-agent: *\nDisallow: /foo/bar/%62%61%7A\n", []verdict{
			{"a", "/foo/bar/baz", false}, {"a", "/foo/bar/%62%61%7A", false}, {"a", "/foo/bar/%62az", false},
		}},
		{"RFC 9309 section 2.2.2, reserved in a query", "User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar\n", []verdict{
			{"a", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
			{"a", "/foo/bar?baz=https://foo.bar", false},
			{"a", "/foo/bar?baz=https:%2f/foo.bar", false},
			{"a", "/foo/bar?baz=quz", true},
		}},
		{"reserved in a query, coded in the file", "User-agent: *\nDisallow: /foo?baz=https%3A%2F%2Ffoo.bar\nDisallow: /*q=a%2Fb\nDisallow: /*q='\n", []verdict{
			{"a", "/foo?baz=https%3A%2F%2Ffoo.bar", false},
			{"a", "/foo?baz=https://foo.bar", false},
			{"a", "/x?q=a%2Fb", false},
			{"a", "/x?q=%27", false},
			{"a", "/x?q=a%26b", true},
		}},
		{"RFC 9309 section 2.2.3, special characters", "User-agent: *\nDisallow: /this/path/exactly$\nDisallow: /path/file-with-a-%2A.html\nDisallow: /path/foo-%24\nAllow: /this/*/exact\n", []verdict{
			{"a", "/this/path/exactly", false},
			{"a", "/this/path/exactly/", true},
			{"a", "/this/path/exact", true},
			{"a", "/path/file-with-a-*.html", false},
			{"a", "/path/file-with-a-%2A.html", false},
			{"a", "/path/file-with-a-b.html", true},
			{"a", "/path/foo-$", false},
			{"a", "/path/foo-%24", false},
			{"a", "/path/foo-", true},
		}},
		{"RFC 9309 section 2.2.3, comments", "User-agent: * # everyone\nallow: /comment # on a line\n# on its own line\nDisallow: /quz#qux\nDisallow: /# all\nAllow: /ok\n", []verdict{
			{"a", "/comment", true}, {"a", "/quz", false}, {"a", "/ok", true}, {"a", "/foo", false},
		}},
		{"codes of reserved characters differ in a path", "User-agent: *\nDisallow: /a%2fb\nDisallow: /c/d\n", []verdict{
			{"a", "/a%2Fb", false}, {"a", "/a/b", true}, {"a", "/c/d", false}, {"a", "/c%2Fd", true},
		}},
		{"tilde", "User-agent: *\nDisallow: /%7ejoe/\nDisallow: /~ann/\n", []verdict{
			{"a", "/~joe/x", false}, {"a", "/%7Ejoe/x", false}, {"a", "/~ann/x", false}, {"a", "/%7eann/x", false},
		}},
		{"neither reserved nor unreserved", "User-agent: *\nDisallow: /a b|c\nDisallow: /100%\n", []verdict{
			{"a", "/a%20b%7Cc", false}, {"a", "/a b%7cc", false}, {"a", "/100%", false}, {"a", "/100%25", false},
		}},

		{"line syntax", "user-agent: FooBot\ndisallow: /\n", []verdict{{"FooBot", "/x", false}}},
		{"unknown names", "foo: FooBot\nbar: /\n", []verdict{{"FooBot", "/x", true}}},
		{"no colons", "user-agent FooBot\ndisallow\t/\n", []verdict{{"FooBot", "/x", false}}},
		{"no colons, three words", "user-agent FooBot\ndisallow / really\n", []verdict{{"FooBot", "/x", true}}},
		{"names in any case", "USER-AGENT: FooBot\nAlLoW: /x/\ndisALLOW: /\n", []verdict{{"FooBot", "/x/y", true}, {"FooBot", "/y", false}}},
		{"spaces and tabs", " \tuser-agent \t:\t FooBot \ndisallow:/x/\t\n", []verdict{{"FooBot", "/x/y", false}, {"FooBot", "/y", true}}},
		{"misspelt", "useragent: a\ndissalow: /1\ndissallow: /2\ndisalow: /3\ndiasllow: /4\ndisallaw: /5\ndisallows: /6\nuser agent: b\ndisallow: /7\n", []verdict{
			{"a", "/1", false}, {"a", "/2", false}, {"a", "/3", false}, {"a", "/4", false}, {"a", "/5", false}, {"a", "/6", true}, {"b", "/7", false}, {"b", "/1", true},
		}},
		{"rules before any agent", "disallow: /\nuser-agent: FooBot\nallow: /\n", []verdict{{"BarBot", "/x", true}, {"FooBot", "/x", true}}},
		{"groups", `allow: /foo/bar/

user-agent: FooBot
disallow: /
allow: /x/
user-agent: BarBot
disallow: /
allow: /y/


allow: /w/
user-agent: BazBot

user-agent: FooBot
allow: /z/
disallow: /
`, []verdict{
			{"FooBot", "/x/b", true},
			{"FooBot", "/z/d", true},
			{"FooBot", "/y/c", false},
			{"FooBot", "/foo/bar/", false},
			{"BarBot", "/y/c", true},
			{"BarBot", "/w/a", true},
			{"BarBot", "/z/d", false},
			{"BazBot", "/z/d", true},
			{"BazBot", "/x/b", false},
		}},
		{"other lines between agents", "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n", []verdict{{"FooBot", "/", false}, {"BarBot", "/", false}}},
		{"unknown lines between agents", "User-agent: FooBot\nCrawl-delay: 5\nInvalid-Unknown-Line: unknown\n\nUser-agent: *\nDisallow: /\n", []verdict{{"FooBot", "/", false}, {"BarBot", "/", false}}},
		{"crawl-delay within a group", "User-agent: FooBot\nDisallow: /a\nCrawl-delay: 5\nDisallow: /b\n", []verdict{{"FooBot", "/a", false}, {"FooBot", "/b", false}}},
		{"star only for the others", "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n", []verdict{{"FooBot", "/", false}, {"BarBot", "/", true}}},
		{"an empty group still binds its agent", "user-agent: *\ndisallow: /\nuser-agent: FooBot\n", []verdict{{"FooBot", "/", true}, {"BarBot", "/", false}}},
		{"an empty disallow ends the names", "user-agent: FooBot\ndisallow:\nuser-agent: *\ndisallow: /\n", []verdict{{"FooBot", "/", true}, {"BarBot", "/", false}}},
		{"star with more words", "user-agent: * and all\ndisallow: /\n", []verdict{{"FooBot", "/", false}}},
		{"star with letters", "user-agent: *bot\ndisallow: /\n", []verdict{{"FooBot", "/", true}}},
		{"an agent without a token keeps its rules", "user-agent: a\ndisallow: /a\nuser-agent: 360\ndisallow: /b\n", []verdict{{"a", "/a", false}, {"a", "/b", true}, {"360", "/b", true}}},

		{"token in any case", "User-Agent: FOO\nDisallow: /\n", []verdict{{"foo", "/", false}, {"Foo", "/", false}}},
		{"token up to the first other character", "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\nUser-agent: Qux/2.1\nAllow: /\n", []verdict{
			{"Foo", "/x/", true}, {"Foo", "/y", false}, {"Qux", "/", true}, {"Bar", "/x/", false},
		}},
		{"no part of a token", "User-agent: new\nDisallow: /\nUser-agent: newswatcher\nDisallow: /\n", []verdict{{"newswatch", "/", true}, {"new", "/", false}, {"news", "/", true}}},
		{"whole headers", "User-agent: strandline\nDisallow: /a\nUser-agent: ourbot\nDisallow: /b\nUser-agent: mozilla\nDisallow: /\n", []verdict{
			{"strandline/1.0 (+https://example.org/)", "/a", false},
			{"strandline/1.0", "/b", true},
			{"Mozilla/5.0 (compatible; ourbot/1.0; +https://example.org/)", "/b", false},
			{"Mozilla/5.0 (compatible; ourbot/1.0)", "/a", true},
			{"Mozilla/5.0 (X11; Linux x86_64)", "/a", false},
		}},

		{"values keep their case", "user-agent: FooBot\ndisallow: /X/\n", []verdict{{"FooBot", "/x/y", true}, {"FooBot", "/X/y", false}}},
		{"longest, disallow", "user-agent: a\ndisallow: /x/page.html\nallow: /x/\n", []verdict{{"a", "/x/page.html", false}, {"a", "/x/", true}}},
		{"longest, allow", "user-agent: a\nallow: /x/page.html\ndisallow: /x/\n", []verdict{{"a", "/x/page.html", true}, {"a", "/x/", false}}},
		{"empty values", "user-agent: a\ndisallow:\nallow:\n", []verdict{{"a", "/x", true}}},
		{"tie", "user-agent: a\ndisallow: /\nallow: /\n", []verdict{{"a", "/x", true}}},
		{"tie over groups", "user-agent: a\ndisallow: /x\nuser-agent: b\nuser-agent: a\nallow: /x\n", []verdict{{"a", "/x", true}, {"b", "/x", true}}},
		{"no slash at the end", "user-agent: a\ndisallow: /x\nallow: /x/\n", []verdict{{"a", "/x", false}, {"a", "/x/", true}}},
		{"star counts as one octet", "user-agent: a\nallow: /page\ndisallow: /*.html\n", []verdict{{"a", "/page.html", false}, {"a", "/page", true}}},
		{"longer than with a star", "user-agent: a\nallow: /x/page.\ndisallow: /*.html\n", []verdict{{"a", "/x/page.html", true}, {"a", "/x/y.html", false}}},
		{"all against own group", "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", []verdict{{"FooBot", "/x/page", true}, {"FooBot", "/y/page", false}}},
		{"coded octets count as three", "user-agent: a\ndisallow: /é*\nallow: /*1234\n", []verdict{{"a", "/é1234", false}}},

		{"star", "User-agent: a\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n", []verdict{{"a", "/foo/bar/quz", false}, {"a", "/foo/quz", true}, {"a", "/foo//quz", true}, {"a", "/foo/bax/quz", true}}},
		{"dollar", "User-agent: a\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n", []verdict{{"a", "/foo/bar", false}, {"a", "/foo/bar/qux", true}, {"a", "/foo/bar/", true}, {"a", "/foo/bar/baz", true}}},
		{"dollar within", "User-agent: a\nDisallow: /foo$bar\nDisallow: /$$\n", []verdict{{"a", "/foo$bar", false}, {"a", "/foo", true}, {"a", "/$", false}, {"a", "/$$", true}}},
		{"root only", "User-agent: a\nAllow: /$\nDisallow: /\n", []verdict{{"a", "https://example.org", true}, {"a", "/", true}, {"a", "/?", false}, {"a", "/page.htm", false}}},
		{"stars", "User-agent: a\nDisallow: /**a*b**$\nDisallow: *\\.x$\n", []verdict{{"a", "/ab", false}, {"a", "/xxaxxbxx", false}, {"a", "/ba", true}}},
		{"anchored star must not overlap", "User-agent: a\nDisallow: /ab*ba$\n", []verdict{{"a", "/aba", true}, {"a", "/abba", false}, {"a", "/abxba", false}, {"a", "/abxbax", true}}},
		{"fish", "User-agent: a\ndisallow: /\nallow: /fish\n", []verdict{{"a", "/fish", true}, {"a", "/fish.html", true}, {"a", "/fish/salmon", true}, {"a", "/fishheads", true}, {"a", "/Fish", false}, {"a", "/catfish", false}, {"a", "/x?id=fish", false}}},
		{"fish folder", "User-agent: a\ndisallow: /\nallow: /fish/\n", []verdict{{"a", "/fish/", true}, {"a", "/fish/a", true}, {"a", "/fish", false}, {"a", "/fish.html", false}, {"a", "/x/fish/", false}}},
		{"extension", "User-agent: a\ndisallow: /*.php\n", []verdict{{"a", "/f.php", false}, {"a", "/d/f.php?p=5", false}, {"a", "/f.php/", false}, {"a", "/", true}, {"a", "/f.PHP", true}}},
		{"extension at the end", "User-agent: a\ndisallow: /*.php$\n", []verdict{{"a", "/f.php", false}, {"a", "/f.php?p=5", true}, {"a", "/f.php/", true}, {"a", "/f.php5", true}}},
		{"no leading slash", "User-agent: a\ndisallow: x\ndisallow: https://example.org/y\ndisallow: $\n", []verdict{{"a", "/x", true}, {"a", "https://example.org/y", true}, {"a", "/", true}}},
		{"no directory index", "User-agent: a\nallow: /d/index.html\ndisallow: /\n", []verdict{{"a", "/d/", false}, {"a", "/d/index.html", true}}},
		{"robots.txt itself", "User-agent: *\nDisallow: /\n", []verdict{{"a", "/robots.txt", true}, {"a", "https://example.org/robots.txt#x", true}, {"a", "/robots.txt?x", true}, {"a", "/robots.txtx", false}}},

		{"carriage returns", "User-agent: a\rDisallow: /x\rAllow: /\r", []verdict{{"a", "/x", false}, {"a", "/y", true}}},
		{"both line ends", "User-agent: a\r\nDisallow: /x\r\n\r\nDisallow: /y", []verdict{{"a", "/x", false}, {"a", "/y", false}}},
		{"byte order mark", "\xef\xbb\xbfUser-agent: a\nDisallow: /\n", []verdict{{"a", "/x", false}}},
		{"part of a byte order mark", "\xef\xbbUser-agent: a\nDisallow: /\n", []verdict{{"a", "/x", false}}},
		{"broken byte order mark", "\xef\x11\xbfUser-agent: a\nDisallow: /\n", []verdict{{"a", "/x", true}}},
		{"a page instead of a file", "<!doctype html><html><body>User-agent: *<br>Disallow: /</body></html>", []verdict{{"a", "/x", true}}},

		{"addresses", "User-agent: *\nDisallow: /a\nDisallow: /?q\nDisallow: //x\n", []verdict{
			{"a", "https://example.org/a", false},
			{"a", "https://example.org:8080/a#b", false},
			{"a", "https://example.org?q", false},
			{"a", "https://example.org/b?u=http://x/a", true},
			{"a", "a", false},
			{"a", "//x/y", false},
			{"a", "", true},
			{"a", "/b#/a", true},
			{"a", "https://example.org/#?q", true},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Parse([]byte(tt.file))
			for _, v := range tt.want {
				if got := f.Allowed(v.agent, v.url); got != v.want {
					t.Errorf("Allowed(%q, %q) = %v, want %v", v.agent, v.url, got, v.want)
				}
				if got := f.Only(v.agent).Allowed("x", v.url); got != v.want {
					t.Errorf("Only(%q).Allowed(x, %q) = %v, want %v", v.agent, v.url, got, v.want)
				}
			}
		})
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"":                                      "",
		"FooBot":                                "FooBot",
		" Foo_Bar-bot/2.1 (x)":                  "Foo_Bar-bot",
		"Foo Bar":                               "Foo",
		"ツ":                                     "",
		"bot2":                                  "bot",
		"2bot":                                  "",
		"strandline/1.0 (+https://example.org)": "strandline",
		"Mozilla/5.0 (compatible; ourbot/1.0)":  "ourbot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ourbot/2.1; +http://x/) Safari": "ourbot",
		"Mozilla/5.0 (X11; Linux)": "Mozilla",
	} {
		if got := Token(agent); got != want {
			t.Errorf("Token(%q) = %q, want %q", agent, got, want)
		}
	}
}

func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		want       time.Duration
		ok         bool
	}{
		{"none", "User-agent: *\nDisallow: /x\n", 0, false},
		{"for all", "User-agent: *\nCrawl-delay: 10\n", 10 * time.Second, true},
		{"fraction", "User-agent: a\nCrawl-delay: 0.5\n", 500 * time.Millisecond, true},
		{"zero", "User-agent: a\nCrawl-delay: 0\n", 0, true},
		{"own group first", "User-agent: *\nCrawl-delay: 10\nDisallow: /x\nUser-agent: a\nDisallow: /\n", 0, false},
		{"longest of several", "User-agent: a\nCrawl-delay: 3\nCrawl-delay: 7\nDisallow:\nUser-agent: a\nCrawl-delay: 5\n", 7 * time.Second, true},
		{"bounded", "User-agent: a\nCrawl-delay: 86400\n", MaxCrawlDelay, true},
		{"very long", "User-agent: a\nCrawl-delay: 1" + strings.Repeat("0", 400) + "\n", MaxCrawlDelay, true},
		{"no number", "User-agent: a\nCrawl-delay: slow\n", 0, false},
		{"negative", "User-agent: a\nCrawl-delay: -1\n", 0, false},
		{"with a unit", "User-agent: a\nCrawl-delay: 10s\n", 0, false},
		{"empty", "User-agent: a\nCrawl-delay:\n", 0, false},
		{"outside a group", "Crawl-delay: 10\nUser-agent: *\nDisallow:\n", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Parse([]byte(tt.file))
			if got, ok := f.CrawlDelay("a"); got != tt.want || ok != tt.ok {
				t.Errorf("CrawlDelay = %v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
			if got, ok := f.Only("a").CrawlDelay("b"); got != tt.want || ok != tt.ok {
				t.Errorf("Only(a).CrawlDelay = %v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestSitemaps(t *testing.T) {
	t.Parallel()
	f := Parse([]byte("Sitemap: https://example.org/a.xml\nUser-agent: x\nSITEMAP:\thttps://example.net/b.xml # second\nDisallow: /\nSite-map: /c.xml\nSitemap:\n"))
	want := []string{"https://example.org/a.xml", "https://example.net/b.xml", "/c.xml"}
	if diff := cmp.Diff(want, f.Sitemaps()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(want, f.Only("y").Sitemaps()); diff != "" {
		t.Errorf("Only: -want +got:\n%s", diff)
	}
}

func TestForStatus(t *testing.T) {
	t.Parallel()
	body := []byte("User-agent: *\nDisallow: /x\n")
	tests := []struct {
		status int
		want   Policy
		x, y   bool // whether /x and /y are allowed
	}{
		{200, Parsed, false, true},
		{204, Parsed, false, true},
		{206, Parsed, false, true},
		{301, Unavailable, true, true},
		{304, Unavailable, true, true},
		{400, Unavailable, true, true},
		{401, Unavailable, true, true},
		{403, Unavailable, true, true},
		{404, Unavailable, true, true},
		{410, Unavailable, true, true},
		{429, Unreachable, false, false},
		{500, Unreachable, false, false},
		{503, Unreachable, false, false},
		{599, Unreachable, false, false},
		{0, Unreachable, false, false},
		{-1, Unreachable, false, false},
		{100, Unreachable, false, false},
		{600, Unreachable, false, false},
	}
	for _, tt := range tests {
		f, policy := ForStatus(tt.status, body)
		if policy != tt.want || f.Allowed("a", "/x") != tt.x || f.Allowed("a", "/y") != tt.y || !f.Allowed("a", "/robots.txt") {
			t.Errorf("ForStatus(%d) = %q, /x %v, /y %v; want %q, %v, %v",
				tt.status, policy, f.Allowed("a", "/x"), f.Allowed("a", "/y"), tt.want, tt.x, tt.y)
		}
	}
}
