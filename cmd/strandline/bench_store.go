package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/strandlinehq/strandline/store/body"
)

// benchStoreCmd measures how the bodies of a page's versions are stored.
type benchStoreCmd struct {
	Versions int `help:"How many versions the page has." default:"840"`
	Size     int `help:"Bytes of a version." default:"48000"`
	Reads    int `help:"How many versions are read back, spread over the history." default:"400"`
}

// storeFigures is what the command prints.
type storeFigures struct {
	Versions  int           `json:"versions"`
	MeanBytes int           `json:"mean_bytes"`
	Bodies    codecFigures  `json:"bodies"`
	History   historyFigure `json:"whole_history"`
	Gzip      codecFigures  `json:"baseline_gzip"`
}

// codecFigures is of one way to store a version.
type codecFigures struct {
	Stored      float64 `json:"stored_bytes_a_version"`
	Encode      float64 `json:"encode_cpu_ms"`
	EncodeRate  float64 `json:"encoded_versions_per_cpu_second"`
	Read        float64 `json:"read_median_ms"` // with the frames at hand
	ReadSlowest float64 `json:"read_slowest_ms"`
	DeepestBase int     `json:"most_bases"`
}

// historyFigure is of reading all versions in one go.
type historyFigure struct {
	CPU  float64 `json:"read_cpu_ms_a_version"`
	Rate float64 `json:"versions_per_cpu_second"`
}

// Run prints the figures as one JSON document.
func (c *benchStoreCmd) Run(ctx context.Context, a *app) error {
	if c.Versions < 1 || c.Versions > 100_000 || c.Reads < 1 || c.Size < 1000 || c.Size > 4<<20 {
		return usagef("want 1 to 100000 versions of 1000 to 4194304 bytes, and at least one read")
	}
	_, bodies, err := hourlyPage(ctx, c.Versions, c.Size)
	if err != nil {
		return err
	}
	out := storeFigures{Versions: c.Versions, MeanBytes: meanBytes(bodies)}
	if err := c.frames(ctx, &out, bodies); err != nil {
		return err
	}
	if err := c.gzip(ctx, &out, bodies); err != nil {
		return err
	}
	return a.printJSON(out)
}

// frames stores the versions as the store does, and keeps the frames in memory.
func (c *benchStoreCmd) frames(ctx context.Context, out *storeFigures, bodies [][]byte) error {
	codec := body.New(body.Options{Workers: 1})
	frames, raw := map[body.Ref]body.Frame{}, map[body.Ref][]byte{}
	var refs []body.Ref
	var state body.State
	var host body.Host
	load := func(_ context.Context, ref body.Ref) ([]byte, error) {
		if b, ok := raw[ref]; ok {
			return b, nil
		}
		return nil, body.ErrNotFound
	}
	f := &out.Bodies
	var encode time.Duration
	for _, b := range bodies {
		ref := body.Ref{Page: 1, Hash: sha256.Sum256(b)}
		if _, ok := frames[ref]; ok {
			continue // as it was before
		}
		start := processorTime()
		frame, err := codec.Encode(ctx, body.Body{Ref: ref, Raw: b}, &state, &host, load)
		if err != nil {
			return err
		}
		encode += processorTime() - start
		frames[ref], raw[ref], refs = frame, b, append(refs, ref)
		f.Stored += float64(len(frame.Data))
		f.DeepestBase = max(f.DeepestBase, frame.Depth)
	}
	n := len(refs)
	f.Stored /= float64(n)
	f.Encode, f.EncodeRate = millis(encode, n), float64(n)/encode.Seconds()
	get := func(_ context.Context, ref body.Ref) (body.Frame, error) {
		if frame, ok := frames[ref]; ok {
			return frame, nil
		}
		return body.Frame{}, body.ErrNotFound
	}
	err := c.read(f, n, func(i int) error {
		_, err := codec.Read(ctx, get, refs[i])
		return err
	})
	if err != nil {
		return err
	}
	all := func(_ context.Context, refs []body.Ref) (map[body.Ref]body.Frame, error) {
		out := make(map[body.Ref]body.Frame, len(refs))
		for _, r := range refs {
			if frame, ok := frames[r]; ok {
				out[r] = frame
			}
		}
		return out, nil
	}
	start := processorTime()
	if err := codec.ReadMany(ctx, all, refs, func(_ body.Ref, _ []byte, err error) error { return err }); err != nil {
		return err
	}
	whole := processorTime() - start
	out.History = historyFigure{CPU: millis(whole, n), Rate: float64(n) / whole.Seconds()}
	return nil
}

// gzip stores each version alone.
func (c *benchStoreCmd) gzip(ctx context.Context, out *storeFigures, bodies [][]byte) error {
	packed := make([][]byte, len(bodies))
	f := &out.Gzip
	start := processorTime()
	for i, b := range bodies {
		if err := ctx.Err(); err != nil {
			return err
		}
		var buf bytes.Buffer
		z := gzip.NewWriter(&buf)
		if _, err := z.Write(b); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		packed[i] = buf.Bytes()
		f.Stored += float64(buf.Len()) / float64(len(bodies))
	}
	encode := processorTime() - start
	f.Encode, f.EncodeRate = millis(encode, len(bodies)), float64(len(bodies))/encode.Seconds()
	return c.read(f, len(packed), func(i int) error {
		z, err := gzip.NewReader(bytes.NewReader(packed[i]))
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, z)
		return err
	})
}

// read reads versions spread over n.
func (c *benchStoreCmd) read(f *codecFigures, n int, one func(i int) error) error {
	times := make([]float64, c.Reads)
	for k := range times {
		start := time.Now()
		if err := one(k * 7919 % n); err != nil {
			return err
		}
		times[k] = float64(time.Since(start).Nanoseconds()) / 1e6
	}
	slices.Sort(times)
	f.Read, f.ReadSlowest = times[len(times)/2], times[len(times)-1]
	return nil
}
