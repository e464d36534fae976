package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
)

// TestHostsByKey wants the pages of hosts, read in the order of the hosts, to stand in
// the order of their keys.
func TestHostsByKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			labels := rapid.SliceOfN(rapid.SampledFrom([]string{"www", "a", "ab", "a-b", "b0"}), 0, 3).Draw(t, "labels")
			return strings.Join(append(labels, "test"), ".") + rapid.SampledFrom([]string{"", "", ":80", ":443", ":8080"}).Draw(t, "port")
		}), 1, 12, rapid.ID).Draw(t, "hosts")
		paths := []string{"/", "/a", "/~z", "/?q=1", "/-"}
		var got, want []string
		for _, h := range hostsByKey(hosts) {
			var keys []string
			for _, host := range h.hosts {
				for _, path := range paths {
					scheme := "http://"
					if strings.HasSuffix(host, ":80") {
						scheme = "https://"
					}
					keys = append(keys, cdxj.SURT(scheme+host+path))
				}
			}
			for _, k := range keys {
				if !strings.HasPrefix(k, h.key) {
					t.Fatalf("key %s of hosts %v does not begin with %s", k, h.hosts, h.key)
				}
			}
			slices.Sort(keys)
			got = append(got, keys...)
		}
		want = slices.Clone(got)
		slices.Sort(want)
		if len(got) != len(hosts)*len(paths) {
			t.Fatalf("%d keys of %d hosts", len(got), len(hosts))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("not in the order of keys (-sorted +got):\n%s", diff)
		}
	})
}
