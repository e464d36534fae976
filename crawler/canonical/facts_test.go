package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFactsOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		url, origin, host, site, tld string
		depth                        int
	}{
		{"https://www.example.co.uk/", "https://www.example.co.uk", "www.example.co.uk", "example.co.uk", "uk", 0},
		// SCIENCE A11 names these four.
		{"https://example.org/", "https://example.org", "example.org", "example.org", "org", 0},
		{"https://example.org/a", "https://example.org", "example.org", "example.org", "org", 1},
		{"https://example.org/a/", "https://example.org", "example.org", "example.org", "org", 1},
		{"https://example.org/a/b?x", "https://example.org", "example.org", "example.org", "org", 2},
		{"https://example.org/a/b?x=/c/d/e", "https://example.org", "example.org", "example.org", "org", 2},
		{"https://example.org//a///b//", "https://example.org", "example.org", "example.org", "org", 2},
		{"http://one.github.io/a", "http://one.github.io", "one.github.io", "one.github.io", "io", 1},
		{"http://github.io/a", "http://github.io", "github.io", "github.io", "io", 1},
		{"http://localhost:8080/a", "http://localhost:8080", "localhost", "localhost", "localhost", 1},
		{"http://127.0.0.1:8080/a", "http://127.0.0.1:8080", "127.0.0.1", "127.0.0.1", "", 1},
		{"http://[2001:db8::1]/", "http://[2001:db8::1]", "[2001:db8::1]", "[2001:db8::1]", "", 0},
		{"http://[2001:db8::1]:81/", "http://[2001:db8::1]:81", "[2001:db8::1]", "[2001:db8::1]", "", 0},
		{"http://x.xn--p1ai/", "http://x.xn--p1ai", "x.xn--p1ai", "x.xn--p1ai", "xn--p1ai", 0},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			t.Parallel()
			got, err := FactsOf(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			d := sha256.Sum256([]byte(tt.url))
			want := Facts{
				Origin: tt.origin, Host: tt.host, Site: tt.site, TLD: tt.tld, Depth: tt.depth,
				Bucket: BucketOf(tt.host), Hash: [16]byte(d[:16]),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("FactsOf(%q), -want +got:\n%s", tt.url, diff)
			}
		})
	}
}

func TestFactsOfErrors(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "example.org/", "https://", "https:///a", "https://example.org", "ftp://example.org/"} {
		if got, err := FactsOf(u); !errors.Is(err, ErrInvalid) {
			t.Errorf("FactsOf(%q) = %+v, %v; want an error", u, got, err)
		}
	}
}

// The digests are those of sha256sum: the bucket is their first three hexadecimal digits.
func TestBucketOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		host string
		want int
	}{
		{"example.com", 0xa37}, // a379a6f6eeafb9a5..
		{"", 0xe3b},            // e3b0c44298fc1c14..
	}
	for _, tt := range tests {
		if got := BucketOf(tt.host); got != tt.want {
			t.Errorf("BucketOf(%q) = %#x, want %#x", tt.host, got, tt.want)
		}
	}
	h := HashOf("")
	if got, want := hex.EncodeToString(h[:]), "e3b0c44298fc1c149afbf4c8996fb924"; got != want {
		t.Errorf("HashOf(\"\") = %s, want %s", got, want)
	}
}

func BenchmarkFactsOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FactsOf(page); err != nil {
			b.Fatal(err)
		}
	}
}
