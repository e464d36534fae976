package fetch

import (
	"net/netip"
	"testing"

	"github.com/strandlinehq/strandline/crawler/canonical"
)

// TestRefused tells by the address alone what the guard refuses when it is dialled.
func TestRefused(t *testing.T) {
	t.Parallel()
	lan := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	tests := []struct {
		url     string
		allowed []netip.Prefix
		refused bool
	}{
		{"http://127.0.0.1/", nil, true},
		{"http://0x7f.1/", nil, true},
		{"http://2130706433/", nil, true},
		{"http://[::1]:8080/", nil, true},
		{"http://[::ffff:127.0.0.1]/", nil, true},
		{"http://10.1.2.3/x", nil, true},
		{"http://192.168.0.1/", nil, true},
		{"http://172.16.0.1/", nil, true},
		{"http://169.254.169.254/latest/meta-data/", nil, true},
		{"http://168.63.129.16/", nil, true},
		{"http://[fe80::1]/", nil, true},
		{"http://[fd00:ec2::254]/", nil, true},
		{"http://0.0.0.0/", nil, true},
		{"http://localhost/", nil, true},
		{"http://intern.localhost:3000/", nil, true},
		{"http://8.8.8.8:25/", nil, true},
		{"http://8.8.8.8/", nil, false},
		{"https://[2001:4860:4860::8888]/", nil, false},
		{"https://example.org/", nil, false},
		{"http://10.1.2.3/x", lan, false},
		{"http://10.1.2.3:25/x", lan, false},
		{"http://localhost/", lan, false},
		{"http://192.168.0.1/", lan, true},
		{"http://127.0.0.1/", []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}, false},
	}
	former := canonical.New(canonical.Options{})
	for _, tt := range tests {
		url, err := former.URL("", tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := Refused(url, tt.allowed); (err != nil) != tt.refused {
			t.Errorf("Refused(%s, %v) = %v, want an error: %v", tt.url, tt.allowed, err, tt.refused)
		}
	}
}
