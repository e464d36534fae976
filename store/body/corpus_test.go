package body_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/internal/need"
	"github.com/strandlinehq/strandline/store/body"
)

// TestCorpus replays real page histories through Encode in record order, with states that pass through
// their stored form each time, reads every body back, and holds the sums to what the package promises.
// With -v it prints the table of the package comment.
func TestCorpus(t *testing.T) {
	files := need.Corpus(t)
	var all replay
	var gzipped int64
	t.Logf("%-24s %6s %7s %9s %16s %9s %17s  %s", "file", "bodies", "% gzip", "B median", "encode med/mean", "loads", "read med/p99", "frames by depth")
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		gzipped += info.Size()
		one := newReplay(t)
		if err := readWARC(file, one.add); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		one.readBack()
		one.report(filepath.Base(file), info.Size())
		all.merge(one)
	}
	all.t = t
	all.report("all", gzipped)
	if share := float64(all.bytes) / float64(gzipped); share > 0.18 {
		t.Errorf("frames take %.2f %% of the gzip files, want 18 at most", 100*share)
	}
	if m := all.readTimes[len(all.readTimes)/2]; m > 3*time.Millisecond {
		t.Errorf("median read takes %v, want 3ms at most", m)
	}
}

// replay is a store in memory and what was measured on it.
type replay struct {
	t         *testing.T
	codec     *body.Codec
	ids       map[string]int64
	pages     map[int64][]byte  // stored State
	hosts     map[string][]byte // stored Host
	raw       map[body.Ref][]byte
	frames    map[body.Ref]body.Frame
	bytes     int64
	sizes     []int
	loads     int
	depths    [body.MaxDepth + 1]int
	times     []time.Duration
	readTimes []time.Duration
}

func newReplay(t *testing.T) *replay {
	return &replay{
		t: t, codec: body.New(body.Options{Workers: 1}), ids: map[string]int64{}, pages: map[int64][]byte{},
		hosts: map[string][]byte{}, raw: map[body.Ref][]byte{}, frames: map[body.Ref]body.Frame{},
	}
}

func (r *replay) add(target string, raw []byte) {
	u, err := url.Parse(target)
	if err != nil {
		r.t.Fatal(err)
	}
	id, ok := r.ids[target]
	if !ok {
		id = int64(len(r.ids) + 1)
		r.ids[target] = id
	}
	ref := body.Ref{Page: id, Hash: sha256.Sum256(raw)}
	if _, ok := r.frames[ref]; ok {
		return
	}
	start := time.Now()
	var page body.State
	var host body.Host
	if err := errors.Join(page.UnmarshalBinary(r.pages[id]), host.UnmarshalBinary(r.hosts[u.Host])); err != nil {
		r.t.Fatal(err)
	}
	f, err := r.codec.Encode(context.Background(), body.Body{Ref: ref, Raw: raw}, &page, &host, func(_ context.Context, ref body.Ref) ([]byte, error) {
		r.loads++
		if raw, ok := r.raw[ref]; ok {
			return raw, nil
		}
		return nil, errors.New("asked for a body that was never stored")
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.pages[id], _ = page.MarshalBinary()
	r.hosts[u.Host], _ = host.MarshalBinary()
	r.times = append(r.times, time.Since(start))
	r.raw[ref], r.frames[ref] = raw, f
	r.bytes += int64(len(f.Data))
	r.sizes = append(r.sizes, len(f.Data))
	r.depths[f.Depth]++
	if n := len(r.pages[id]); n > 300 {
		r.t.Fatalf("state of %d bytes", n)
	}
}

func (r *replay) readBack() {
	for ref, raw := range r.raw {
		gets := 0
		start := time.Now()
		got, err := r.codec.Read(context.Background(), func(_ context.Context, ref body.Ref) (body.Frame, error) {
			gets++
			return r.frames[ref], nil
		}, ref)
		r.readTimes = append(r.readTimes, time.Since(start))
		if err != nil {
			r.t.Fatal(err)
		}
		if !bytes.Equal(got, raw) {
			r.t.Fatalf("%v read back with other bytes", ref)
		}
		if want := r.frames[ref].Depth + 1; gets != want || gets > 4 {
			r.t.Fatalf("%v took %d reads, depth says %d", ref, gets, want)
		}
	}
}

func (r *replay) merge(o *replay) {
	r.bytes += o.bytes
	r.loads += o.loads
	r.sizes = append(r.sizes, o.sizes...)
	r.times = append(r.times, o.times...)
	r.readTimes = append(r.readTimes, o.readTimes...)
	for i, n := range o.depths {
		r.depths[i] += n
	}
}

func (r *replay) report(name string, gzipped int64) {
	slices.Sort(r.sizes)
	slices.Sort(r.times)
	slices.Sort(r.readTimes)
	n := len(r.times)
	var sum time.Duration
	for _, d := range r.times {
		sum += d
	}
	us := func(d time.Duration) int64 { return d.Microseconds() }
	r.t.Logf("%-24s %6d %7.2f %9d %9s %6s %9.2f %9s %7s  %v", name, n, 100*float64(r.bytes)/float64(gzipped), r.sizes[n/2],
		fmt.Sprint(us(r.times[n/2])), fmt.Sprint(us(sum)/int64(n)), float64(r.loads)/float64(n),
		fmt.Sprint(us(r.readTimes[n/2])), fmt.Sprint(us(r.readTimes[n*99/100])), r.depths)
}

// readWARC gives the target and payload of each response record, enough of WARC 1.1 for whole files of
// unchunked, uncoded pages.
func readWARC(file string, each func(target string, payload []byte)) error {
	fd, err := os.Open(file)
	if err != nil {
		return err
	}
	defer fd.Close()
	unzip, err := gzip.NewReader(bufio.NewReader(fd))
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(unzip, 1<<16)
	heads := textproto.NewReader(in)
	for {
		line, err := heads.ReadLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !strings.HasPrefix(line, "WARC/") {
			continue
		}
		head, err := heads.ReadMIMEHeader()
		if err != nil {
			return err
		}
		size, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil {
			return err
		}
		block := make([]byte, size)
		if _, err := io.ReadFull(in, block); err != nil {
			return err
		}
		if head.Get("Warc-Type") == "response" {
			_, payload, _ := bytes.Cut(block, []byte("\r\n\r\n"))
			each(head.Get("Warc-Target-Uri"), payload)
		}
	}
}
