package cdxj

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSURT(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"http://example.com", "com,example)/"},
		{"http://example.com/", "com,example)/"},
		{"https://Example.COM/A/B/", "com,example)/a/b"},
		{"http://www.example.com:80/A/?b=2&a=1#x", "com,example)/a?a=1&b=2"},
		{"http://www2.example.com/", "com,example)/"},
		{"http://www.com/", "com)/"},
		{"http://wwwexample.com/", "com,wwwexample)/"},
		{"https://example.com:443/", "com,example)/"},
		{"https://example.com:80/", "com,example:80)/"},
		{"http://example.com:8080/x", "com,example:8080)/x"},
		{"http://example.com:/x", "com,example)/x"},
		{"http://user:p@ss@example.com/", "com,example)/"},
		{"http://example.com.", "com,example)/"},
		{"http://example.com?q", "com,example)/?q"},
		{"http://example.com/?", "com,example)/"},
		{"http://example.com/a/./b/../c//d", "com,example)/a/c/d"},
		{"http://example.com/../..", "com,example)/"},
		{"http://example.com/%7Euser/%2541", "com,example)/~user/a"},
		{"http://example.com/a b%20c", "com,example)/a%20b%20c"},
		{"http://example.com/é%C3%A9", "com,example)/%c3%a9%c3%a9"},
		{"http://example.com/100%", "com,example)/100%25"},
		{"http://example.com/x?b=1&a=2&a=1&ab=0", "com,example)/x?a=1&a=2&ab=0&b=1"},
		{"http://example.com/x?u=http://a.b/?c", "com,example)/x?u=http://a.b/?c"},
		{"http://bücher.example/", "example,xn--bcher-kva)/"},
		{"http://192.168.0.1/x", "1,0,168,192)/x"},
		{"http://[2001:DB8::1]:81/x", "[2001:db8::1]:81)/x"},
		{"ftp://example.com:21/pub", "com,example)/pub"},
		{" http://exa\nmple.com/ ", "com,example)/"},
		{"dns:Example.com", "dns:example.com"},
		{"urn:uuid:A b", "urn:uuid:a%20b"},
		{"no scheme", "no%20scheme"},
		{"", "-"},
	} {
		if got := SURT(c.in); got != c.want {
			t.Errorf("SURT(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestUnescapeOnePass compares with undoing all escapes again and again.
func TestUnescapeOnePass(t *testing.T) {
	t.Parallel()
	slow := func(s string) string {
		for {
			var b strings.Builder
			for i := 0; i < len(s); i++ {
				if s[i] == '%' && i+2 < len(s) {
					hi, ok1 := unhex(s[i+1])
					lo, ok2 := unhex(s[i+2])
					if ok1 && ok2 {
						b.WriteByte(hi<<4 | lo)
						i += 2
						continue
					}
				}
				b.WriteByte(s[i])
			}
			if b.String() == s {
				return s
			}
			s = b.String()
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`(%|25|2|5|4|1|a|%25|%34){0,20}`).Draw(t, "s")
		if got, want := unescape(s), slow(s); got != want {
			t.Fatalf("unescape(%q) = %q, want %q", s, got, want)
		}
	})
}

func TestSURTProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.StringMatching(`[a-z]{1,5}\.[a-z]{2,3}`).Draw(t, "host")
		path := rapid.StringMatching(`[a-zA-Z0-9%/. é]{0,12}`).Draw(t, "path")
		args := rapid.SliceOfN(rapid.StringMatching(`[a-c]=[0-9]`), 1, 4).Draw(t, "args")
		mixed := rapid.Permutation(args).Draw(t, "mixed")
		key := SURT("http://" + host + "/" + path + "?" + strings.Join(args, "&"))
		if other := SURT("HTTPS://www." + strings.ToUpper(host) + "/" + path + "?" + strings.Join(mixed, "&") + "#f"); other != key {
			t.Fatalf("%q and %q differ", key, other)
		}
		for i := range len(key) {
			if key[i] <= ' ' || key[i] >= 0x7f {
				t.Fatalf("byte %#x in %q", key[i], key)
			}
		}
	})
}

func FuzzSURT(f *testing.F) {
	f.Add("http://www.example.com:80/A/?b=2&a=1#x")
	f.Add("http://[::1]/%25%32%35")
	f.Add("dns:x")
	f.Fuzz(func(t *testing.T, s string) {
		key := SURT(s)
		if key == "" {
			t.Fatal("empty key")
		}
		for i := range len(key) {
			if key[i] <= ' ' || key[i] >= 0x7f {
				t.Fatalf("SURT(%q) = %q", s, key)
			}
		}
	})
}

func BenchmarkSURT(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		SURT("https://www.example.com/news/2020/01/02/a-page-of-some-length/?utm=1&id=234")
	}
}
