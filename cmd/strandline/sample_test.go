package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/crawler/clock"
	"github.com/strandlinehq/strandline/monitor/sample"
)

func keepFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "visits.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVisitLog(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	path := keepFile(t, "\ufeffuser,Time,url,agent\r\n"+
		"ann,2026-03-01T12:00:00Z,HTTP://A.example,x\r\n"+
		"bob,1772366460,\"http://a.example/?q=1,2\",\"a \"\"b\"\"\"\n"+
		"\n"+
		"bob,\"2026-03-01 12:00:00,http://a.example/\n"+
		"bob,2026-03-01T12:00:00Z\n"+
		",2026-03-01T12:00:00Z,http://a.example/\n"+
		"bob,yesterday,http://a.example/\n"+
		"bob,2026-03-01T12:00:00Z,mailto:a@b\n"+
		long+"\n"+
		"cid,2026-03-01T13:00:00+01:00,http://a.example/,\n"+
		"dan,1772366400.9,http://a.example/")
	log := visitLog{path: path, former: canonical.New(canonical.Options{})}
	var got []string
	err := log.each(t.Context(), func(url, user string, at int64) error {
		got = append(got, fmt.Sprint(user, " ", at, " ", url))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ann 1772366400 http://a.example/", "bob 1772366460 http://a.example/?q=1,2",
		"cid 1772366400 http://a.example/", "dan 1772366400 http://a.example/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("visits (-want +got):\n%s", diff)
	}
	var lines []string
	for _, f := range log.faults {
		lines = append(lines, strings.Split(strings.TrimPrefix(f, path+":"), ":")[0])
	}
	if diff := cmp.Diff([]string{"5", "6", "7", "8", "9", "10"}, lines); diff != "" || log.rows != 4 || log.bad != 6 {
		t.Errorf("%d visits, bad lines (-want +got):\n%s\n%s", log.rows, diff, strings.Join(log.faults, "\n"))
	}
}

// Whatever the bytes are, every line is a visit, a bad line, empty, or the header.
func FuzzVisitLog(f *testing.F) {
	f.Add([]byte("url,user,time\nhttp://a.example/,u,1\n\"x\n"))
	f.Add([]byte("time,url,user\r\n2026-03-01T12:00:00Z,\"http://a.example/,\",\"u\"\"\"\n\n,,,\n"))
	f.Add([]byte("\xef\xbb\xbf\"\"\n\"\r\n\xff,\x00,1e400"))
	f.Fuzz(func(t *testing.T, data []byte) {
		log := visitLog{path: "fuzz", former: canonical.New(canonical.Options{})}
		visits := 0
		err := log.read(t.Context(), bytes.NewReader(data), func(url, user string, _ int64) error {
			visits++
			if url == "" || user == "" {
				t.Error("a visit without page or user")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		full := 0
		for _, line := range bytes.Split(data, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				full++
			}
		}
		if got := log.rows + log.bad; visits != log.rows || got != full && got != full-1 {
			t.Errorf("%d visits, %d rows and %d bad lines of %d", visits, log.rows, log.bad, full)
		}
	})
}

// visits has 30 pages of one host with 2 to 31 visitors, and one with a single one.
func visits() string {
	var b strings.Builder
	for page := range 31 {
		for user := range page + 1 {
			fmt.Fprintf(&b, "http://a.example/%d,u%d,%d\n", page, user, 1772366400+user)
		}
	}
	return b.String()
}

func TestSample(t *testing.T) {
	t.Parallel()
	path := keepFile(t, visits())
	run := func(args ...string) (out, told string) {
		var stdout, stderr bytes.Buffer
		if code := Main(t.Context(), append([]string{"sample", path}, args...), strings.NewReader(""), &stdout, &stderr); code != exitDone {
			t.Fatalf("exit status %d: %s", code, stderr.String())
		}
		return stdout.String(), stderr.String()
	}
	out, told := run("--per-bin", "2", "--top", "3", "--no-check")
	config, err := configs.Parse("sample.yaml", []byte(out))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(config.Watches) != 2 || len(config.Watches[0].Known) != 5 {
		t.Fatalf("watches:\n%s", out)
	}
	for i, want := range []string{"/30", "/29", "/28"} {
		if url := "http://a.example" + want; !strings.Contains(out, `{url: "`+url+`", visitors: `) {
			t.Errorf("page %d by visitors is missing: %s\n%s", i, url, out)
		}
	}
	weights := 0.
	for _, p := range config.Watches[0].Known {
		weights += p.Weight
		if n, err := strconv.Atoi(strings.TrimPrefix(string(p.URL), "http://a.example/")); err != nil || p.Visitors != n+1 || p.Top {
			t.Errorf("drawn page %+v", p)
		}
	}
	if weights != 30 {
		t.Errorf("the pages drawn stand for %g, want all 30 of the bins", weights)
	}
	for _, p := range config.Watches[1].Known {
		if !p.Top || p.Weight != 0 || p.Visitors < 29 {
			t.Errorf("page added for its visitors: %+v", p)
		}
	}
	for _, want := range []string{
		"496 visits, 0 bad lines\n",
		// Pages of 2, of 3 to 6 and of 7 to 31 visitors: 1, 4 and 25.
		"3 of 120 bins are not empty; pages in each: mean 10.0, median 4 in the log, mean 1.7, median 2 drawn\n",
		"5 pages drawn, ", "; 1 page has too few visitors\n",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in:\n%s", want, told)
		}
	}
	if again, _ := run("--per-bin", "2", "--top", "3", "--no-check"); again != out {
		t.Error("the same log gave another sample")
	}
	if other, _ := run("--per-bin", "2", "--top", "3", "--no-check", "--seed", "5"); other == out {
		t.Error("another seed gave the same sample")
	}
}

// site is a web in which odd pages are missing, and those from 20 on forbidden.
type site struct{}

func (site) RoundTrip(req *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Proto: "HTTP/1.1", Header: http.Header{"Content-Type": {"text/html"}}, Request: req}
	body := "<p>a page</p>"
	switch path := req.URL.Path; {
	case path == "/robots.txt":
		res.Header.Set("Content-Type", "text/plain")
		body = "User-agent: *\nDisallow: /2\nDisallow: /3\n"
	case strings.ContainsAny(path[len(path)-1:], "13579"):
		res.StatusCode = http.StatusNotFound
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return res, nil
}

func TestSampleChecked(t *testing.T) {
	t.Parallel()
	log := visitLog{path: keepFile(t, visits()), former: canonical.New(canonical.Options{})}
	drawer, err := log.count(t.Context(), sample.Options{Bins: sample.PaperBins(), PerBin: 7, Top: 1, Spare: 30})
	if err != nil {
		t.Fatal(err)
	}
	urls, err := log.find(t.Context(), drawer.Candidates())
	if err != nil {
		t.Fatal(err)
	}
	config, err := configs.Parse("x.yaml", []byte("crawler: {host: {delay: 0s}}"))
	if err != nil {
		t.Fatal(err)
	}
	fetcher, _, err := (&app{}).newFetcher(&config.Crawler, clock.Real{}, site{})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := drawChecked(t.Context(), fetcher, 4, drawer, urls, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range append(slices.Clone(drawn.Pages), drawn.Top...) {
		got = append(got, strings.TrimPrefix(urls[p.Page], "http://a.example"))
	}
	slices.Sort(got)
	// Even, below 20, not /2, and with two visitors or more: all that are left.
	if diff := cmp.Diff([]string{"/10", "/12", "/14", "/16", "/18", "/4", "/6", "/8"}, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}
