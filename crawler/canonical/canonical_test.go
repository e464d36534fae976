package canonical

import (
	"errors"
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	t.Parallel()
	const page = "https://www.example.org/a/b/c.html?q=1#top"
	tests := []struct {
		name, base, ref, want string
	}{
		{"itself", "", "https://example.org/", "https://example.org/"},
		{"empty path", "", "https://example.org", "https://example.org/"},
		{"empty path, query", "", "https://example.org?a=1", "https://example.org/?a=1"},
		{"empty path, fragment", "", "https://example.org#x", "https://example.org/"},
		{"upper case", "", "HTTPS://Example.ORG/Path", "https://example.org/Path"},
		{"spaces around", "", " \t\nhttps://example.org/a \r\n", "https://example.org/a"},
		{"line break inside", "", "https://exam\nple.org/a\tb", "https://example.org/ab"},
		{"default port", "", "http://example.org:80/", "http://example.org/"},
		{"default port of the other", "", "http://example.org:443/", "http://example.org:443/"},
		{"port with zeros", "", "https://example.org:00443/", "https://example.org/"},
		{"empty port", "", "https://example.org:/", "https://example.org/"},
		{"user", "", "https://me:secret@example.org/", "https://example.org/"},
		{"trailing dot", "", "https://example.org./a", "https://example.org/a"},
		{"international", "", "https://BÜCHER.example/ß", "https://xn--bcher-kva.example/%C3%9F"},
		{"sharp s", "", "https://faß.example/", "https://xn--fa-hia.example/"},
		{"coded host", "", "https://ex%61mple.org/", "https://example.org/"},
		{"ipv4", "", "http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
		{"ipv4 in hexadecimal", "", "http://0x7f.1/", "http://127.0.0.1/"},
		{"ipv4 as one number", "", "http://2130706433/", "http://127.0.0.1/"},
		{"ipv4 with dot", "", "http://127.0.0.1./", "http://127.0.0.1/"},
		{"ipv6", "", "http://[2001:DB8:0:0:0:0:0:1]:80/", "http://[2001:db8::1]/"},
		{"dots", "", "https://example.org/a/./b/../c/..", "https://example.org/a/"},
		{"dots above the root", "", "https://example.org/../../a", "https://example.org/a"},
		{"coded dots", "", "https://example.org/a/%2e%2E/b/%2e", "https://example.org/b/"},
		{"dots and empty segments", "", "https://example.org/a//../b", "https://example.org/a/b"},
		{"empty segments stay", "", "https://example.org//a///b", "https://example.org//a///b"},
		{"three dots", "", "https://example.org/.../a", "https://example.org/.../a"},
		{"backslashes", "", `https:\\example.org\a\b`, "https://example.org/a/b"},
		{"unreserved decoded", "", "https://example.org/%7Euser/%41%2d%5F%2E", "https://example.org/~user/A-_."},
		{"reserved stay coded", "", "https://example.org/a%2fb%3f%26", "https://example.org/a%2Fb%3F%26"},
		{"case of codes", "", "https://example.org/%e6%97%a5?q=%e6%9c%ac", "https://example.org/%E6%97%A5?q=%E6%9C%AC"},
		{"raw letters coded", "", "https://example.org/日?q=本", "https://example.org/%E6%97%A5?q=%E6%9C%AC"},
		{"space coded", "", "https://example.org/a b?c d", "https://example.org/a%20b?c%20d"},
		{"plus stays", "", "https://example.org/a+b?c+d", "https://example.org/a+b?c+d"},
		{"stray percent", "", "https://example.org/100%?x=%41", "https://example.org/100%?x=A"},
		{"stray percent in another parameter", "", "https://example.org/?utm_x=%&a=%70&b=%", "https://example.org/?a=p&b=%"},
		{"codes beside a stray percent", "", "https://example.org/%41%/%42?%43%&%44", "https://example.org/%41%/B?%43%&D"},
		{"stray percent forms no code", "", "https://example.org/%%32e", "https://example.org/%%32e"},
		{"empty query", "", "https://example.org/?", "https://example.org/"},
		{"empty query and fragment", "", "https://example.org/a?#b", "https://example.org/a"},
		{"question mark in query", "", "https://example.org/a?b?c", "https://example.org/a?b?c"},
		{"hash bang", "", "https://example.org/#!/a", "https://example.org/"},
		{"order kept", "", "https://example.org/?b=2&a=1&b=1", "https://example.org/?b=2&a=1&b=1"},
		{"empty parameters kept", "", "https://example.org/?&a&&b=", "https://example.org/?&a&&b="},

		{"tracking alone", "", "https://example.org/?utm_source=x&utm_medium=y", "https://example.org/"},
		{"tracking first", "", "https://example.org/?fbclid=x&a=1", "https://example.org/?a=1"},
		{"tracking last", "", "https://example.org/?a=1&gclid=x", "https://example.org/?a=1"},
		{"tracking between", "", "https://example.org/?a=1&mc_eid=x&b=2", "https://example.org/?a=1&b=2"},
		{"tracking in capitals", "", "https://example.org/?UTM_Source=x", "https://example.org/"},
		{"tracking, coded", "", "https://example.org/?utm%5Fsource=x", "https://example.org/"},
		{"tracking, no value", "", "https://example.org/?fbclid&a", "https://example.org/?a"},
		{"not tracking", "", "https://example.org/?utm=1&fbclid2=1&xgclid=1&a=utm_source", "https://example.org/?utm=1&fbclid2=1&xgclid=1&a=utm_source"},

		{"empty reference", page, "", "https://www.example.org/a/b/c.html?q=1"},
		{"fragment", page, "#x", "https://www.example.org/a/b/c.html?q=1"},
		{"query", page, "?r=2", "https://www.example.org/a/b/c.html?r=2"},
		{"empty query of a page", page, "?", "https://www.example.org/a/b/c.html"},
		{"sibling", page, "d.html", "https://www.example.org/a/b/d.html"},
		{"here", page, "./d.html", "https://www.example.org/a/b/d.html"},
		{"this folder", page, ".", "https://www.example.org/a/b/"},
		{"parent", page, "../d.html", "https://www.example.org/a/d.html"},
		{"parent alone", page, "..", "https://www.example.org/a/"},
		{"too many parents", page, "../../../../d", "https://www.example.org/d"},
		{"rooted", page, "/x", "https://www.example.org/x"},
		{"scheme relative", page, "//cdn.example.net/x", "https://cdn.example.net/x"},
		{"many slashes", page, "////cdn.example.net/x", "https://cdn.example.net/x"},
		{"scheme without slashes", page, "https:d.html", "https://www.example.org/a/b/d.html"},
		{"colon in a later segment", page, "./a:b", "https://www.example.org/a/b/a:b"},
		{"base without path", "https://example.org", "a", "https://example.org/a"},
		{"base with query only", "https://example.org?a/b", "c", "https://example.org/c"},
		{"base with dots", "https://example.org/a/b/..", "c", "https://example.org/a/c"},
		{"base is not needed", "nonsense", "https://example.org/", "https://example.org/"},
	}
	f := New(Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := f.URL(tt.base, tt.ref)
			if err != nil || got != tt.want {
				t.Errorf("URL(%q, %q) = %q, %v; want %q", tt.base, tt.ref, got, err, tt.want)
			}
		})
	}
}

func TestURLErrors(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	tests := []struct {
		name, base, ref string
		want            error
	}{
		{"mail", "https://example.org/", "mailto:me@example.org", ErrScheme},
		{"script", "https://example.org/", "  JavaScript:void(0)", ErrScheme},
		{"script with a line break", "https://example.org/", "java\nscript:void(0)", ErrScheme},
		{"inline data of 1 MB", "https://example.org/", "data:text/plain," + long, ErrScheme},
		{"ftp", "", "ftp://example.org/", ErrScheme},
		{"relative to ftp", "ftp://example.org/", "a", ErrScheme},
		{"reference of 1 MB", "https://example.org/", long, ErrTooLong},
		{"base of 1 MB", "https://example.org/" + long, "a", ErrTooLong},
		{"result grows too long", "https://example.org/", strings.Repeat("é", 3000), ErrTooLong},
		{"together too long", "https://example.org/" + strings.Repeat("a", 5000) + "/", strings.Repeat("a", 5000), ErrTooLong},
		{"nothing", "", "", ErrInvalid},
		{"no base", "", "a", ErrInvalid},
		{"base is relative", "a", "b", ErrInvalid},
		{"no host", "", "https://", ErrInvalid},
		{"space in host", "", "https://exa mple.org/", ErrInvalid},
		{"bad port", "", "https://example.org:99999/", ErrInvalid},
		{"port letters", "", "https://example.org:x/", ErrInvalid},
		{"bad address", "", "http://1.2.3.256/", ErrInvalid},
		{"bad punycode", "", "http://xn--a/", ErrInvalid},
		{"open bracket", "", "http://[::1/", ErrInvalid},
		{"long user", "", "https:/\\" + strings.Repeat("@", 2000) + "example.org/", ErrInvalid},
		{"empty label", "", "http://a..example/", ErrHost},
		{"two dots at the end", "", "http://example.org../", ErrHost},
		{"long label", "", "http://" + strings.Repeat("a", 64) + ".example/", ErrHost},
		{"long host", "", "http://" + strings.Repeat("a.", 130) + "example/", ErrHost},
	}
	f := New(Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := f.URL(tt.base, tt.ref)
			if !errors.Is(err, tt.want) || got != "" {
				t.Errorf("got %q, error %v; want error %v", got, err, tt.want)
			}
		})
	}
}

func TestTrackingOption(t *testing.T) {
	t.Parallel()
	const ref = "https://example.org/?utm_source=a&Ref=b&refer=c&x_1=d"
	tests := []struct {
		name     string
		tracking []string
		want     string
	}{
		{"default", nil, "https://example.org/?Ref=b&refer=c&x_1=d"},
		{"nothing", []string{}, ref},
		{"exact", []string{"ref"}, "https://example.org/?utm_source=a&refer=c&x_1=d"},
		{"prefix", []string{"REF*", "x_*"}, "https://example.org/?utm_source=a"},
		{"all", []string{"*"}, "https://example.org/"},
		{"empty name", []string{""}, ref},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := New(Options{Tracking: tt.tracking}).URL("", ref)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
