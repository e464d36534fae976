package robots

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// units cuts a path or pattern into what is compared as one: "a", "%2F", or in a pattern "*" and a
// final "$". It restates normalise and loosen character by character.
func units(s string, pattern, loose bool) []string {
	var list []string
	query := false
	for i := 0; i < len(s); i++ {
		c, coded := s[i], false
		if c == '%' && i+2 < len(s) {
			var b byte
			if n, err := fmt.Sscanf(s[i+1:i+3], "%02x", &b); n == 1 && err == nil && isHex(s[i+1]) && isHex(s[i+2]) {
				c, coded = b, true
				i += 2
			}
		}
		special := pattern && !coded && (c == '*' || c == '$' && i == len(s)-1)
		reserved := strings.IndexByte(":/?#[]@!&'()+,;=", c) >= 0
		unreserved := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
		if loose && query && strings.IndexByte(":/?@'", c) >= 0 {
			coded = false
		}
		if c == '?' && !coded {
			query = true
		}
		if special || unreserved || reserved && !coded {
			list = append(list, string([]byte{c}))
		} else {
			list = append(list, fmt.Sprintf("%%%02X", c))
		}
	}
	return list
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// fits is the definition of a match: it tries every length for every star.
func fits(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return true
	case pattern[0] == "$" && len(pattern) == 1:
		return len(path) == 0
	case pattern[0] == "*":
		return fits(pattern[1:], path) || len(path) > 0 && fits(pattern, path[1:])
	}
	return len(path) > 0 && pattern[0] == path[0] && fits(pattern[1:], path[1:])
}

type line struct {
	pattern string
	allow   bool
}

// slowAllowed is the rule of RFC 9309 section 2.2.2 for one group.
func slowAllowed(lines []line, path string) bool {
	allow, best := true, -1
	for _, l := range lines {
		p := units(l.pattern, true, false)
		match := false
		for _, looseP := range []bool{false, true} {
			for _, looseU := range []bool{false, true} {
				match = match || fits(units(l.pattern, true, looseP), units(path, false, looseU))
			}
		}
		length := len(strings.Join(p, ""))
		if match && l.pattern != "" && (length > best || length == best && l.allow) {
			allow, best = l.allow, length
		}
	}
	return allow
}

func TestAllowedIsSlow(t *testing.T) {
	t.Parallel()
	bits := []string{"a", "b", "/", "*", "*", "$", "?", "%61", "%2f", "%2F", "%", "%2", "%2a", "%24", "%3a", ":", "=", "'", "%27", "|", "%7c", "é", "%c3%a9"}
	text := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(bits), 0, 6).Draw(t, "bits"), "")
	})
	one := rapid.Custom(func(t *rapid.T) line { return line{text.Draw(t, "pattern"), rapid.Bool().Draw(t, "allow")} })
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			lines := rapid.SliceOfN(one, 0, 4).Draw(t, "lines")
			path := text.Draw(t, "path")
			var file strings.Builder
			file.WriteString("User-agent: x\nDisallow: /\nUser-agent: *\n")
			for i, l := range lines {
				name := "Disallow"
				if l.allow {
					name = "Allow"
				}
				fmt.Fprintf(&file, "%s: %s\n", name, l.pattern)
				if i == 1 {
					file.WriteString("\nuser-agent: *\n")
				}
			}
			f := Parse([]byte(file.String()))
			want := slowAllowed(lines, path)
			if got := f.Allowed("bot", path); got != want {
				t.Fatalf("%s\nAllowed(%q) = %v, want %v", file.String(), path, got, want)
			}
			if got := f.Only("bot").Allowed("", "http://host"+path); got != want {
				t.Fatalf("%s\nOnly(bot).Allowed(%q) = %v, want %v", file.String(), path, got, want)
			}
		}
	})
}

func TestParseLimit(t *testing.T) {
	t.Parallel()
	head := "User-agent: *\nDisallow: /a\n"
	tail := "Disallow: /b\n"
	pad := func(n int) string { return strings.Repeat("#", n) }
	tests := []struct {
		name, file string
		a, b       bool // whether /a and /b are allowed
	}{
		{"just within", head + pad(MaxBytes-len(head)-len(tail)-1) + "\n" + tail, false, false},
		{"line end just behind", head + pad(MaxBytes-len(head)-len(tail)) + "\n" + tail, false, false},
		{"one more", head + pad(MaxBytes-len(head)-len(tail)+1) + "\n" + tail, false, true},
		{"far behind", head + pad(MaxBytes) + "\n" + tail, false, true},
		{"one long line", pad(MaxBytes+10) + head, true, true},
		{"cut word must not count", head + pad(MaxBytes-len(head)-len("\nDisallow: /")) + "\nDisallow: /bar\n", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := Parse([]byte(tt.file))
			if a, b := f.Allowed("x", "/a"), f.Allowed("x", "/b"); a != tt.a || b != tt.b {
				t.Errorf("/a %v, /b %v; want %v, %v", a, b, tt.a, tt.b)
			}
		})
	}
}

// hostile gives a file and a URL built to be slow.
func hostile() (file []byte, path string) {
	file = append(file, "user-agent:*\n"...)
	for len(file) < MaxBytes/2 {
		file = append(file, "disallow:/*a*a*a*a*b\n"...)
	}
	file = append(file, "disallow:/"...)
	for len(file) < MaxBytes-3 {
		file = append(file, "*aaaaaaaab"...)
	}
	return append(file[:MaxBytes-3], "$\n"...), "/" + strings.Repeat("a", 8<<10)
}

func TestHostileFile(t *testing.T) {
	t.Parallel()
	file, path := hostile()
	start := time.Now()
	if !Parse(file).Allowed("a", path) {
		t.Error("denied")
	}
	// Some 10 ms; a matcher that tries again would not come back.
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&file, "User-agent: crawler-%s\nDisallow: /private/%d/\n\n", strings.Repeat("x", i%9), i)
	}
	file.WriteString("User-agent: *\nDisallow: /x\n")
	f := Parse(file.Bytes())
	only := f.Only("strandline")
	if f.Size() > 10*file.Len() || only.Size() > 400 || only.Size() < 100 {
		t.Errorf("%d bytes of file take %d, for one agent %d", file.Len(), f.Size(), only.Size())
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%7e\nCrawl-delay: 1\nSitemap: x\n"), "a/1", "https://example.org/a?b=%2f")
	f.Add([]byte("\xef\xbb\xbfuseragent b\rdisallow\t/\r\n"), "b", "/x")
	file, path := hostile()
	f.Add(file[:2000], "", path)
	f.Fuzz(func(t *testing.T, body []byte, agent, url string) {
		start := time.Now()
		file := Parse(body)
		got := file.Allowed(agent, url)
		if file.Size() > 100*len(body)+1000 {
			t.Errorf("%d bytes take %d", len(body), file.Size())
		}
		only := file.Only(agent)
		if again := only.Allowed(agent, url); again != got {
			t.Errorf("Allowed = %v, of Only = %v", got, again)
		}
		d, ok := file.CrawlDelay(agent)
		if d2, ok2 := only.CrawlDelay(""); d2 != d || ok2 != ok || d < 0 || d > MaxCrawlDelay {
			t.Errorf("CrawlDelay = %v, %v; of Only = %v, %v", d, ok, d2, ok2)
		}
		if !slices.Equal(file.Sitemaps(), only.Sitemaps()) {
			t.Errorf("Sitemaps = %q; of Only = %q", file.Sitemaps(), only.Sitemaps())
		}
		if !file.Allowed(agent, "/robots.txt") {
			t.Error("robots.txt denied")
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	file := []byte("User-agent: *\n" + strings.Repeat("Disallow: /some/path/\nDisallow: /*?q=\n", 50))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(file)
	}
}

func BenchmarkAllowed(b *testing.B) {
	f := Parse([]byte("User-agent: *\n" + strings.Repeat("Disallow: /some/path/\nDisallow: /*?q=\n", 50))).Only("strandline")
	b.ReportAllocs()
	for b.Loop() {
		f.Allowed("strandline", "https://www.example.org/politics/2024/07/a-long-headline-4711.html?page=2")
	}
}

func BenchmarkAllowedHostile(b *testing.B) {
	file, path := hostile()
	f := Parse(file)
	b.ReportAllocs()
	for b.Loop() {
		f.Allowed("a", path)
	}
}
