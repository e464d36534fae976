package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding is what we ask for. Servers that send deflate unasked are understood too.
const acceptEncoding = "gzip, br, zstd"

// maxCodings is how many content codings one body may have, one on another. More than one is rare
// and more than two is an attack.
const maxCodings = 3

// zstdWindow is the most memory that a zstd frame may ask for (RFC 9659 section 3).
const zstdWindow = 8 << 20

// codings reads Content-Encoding: the codings that can be taken off, in the order in which the
// server applied them, and the rest, which lies under them. Names that mean no coding are dropped:
// servers write "utf-8" and "none" there, and every browser lets them pass.
func codings(fields []string) (known []string, rest string, err error) {
	var all []string
	for _, field := range fields {
		for name := range strings.SplitSeq(field, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "", "identity", "none", "null", "utf-8", "utf8", "binary", "7bit", "8bit":
			case "x-gzip":
				all = append(all, "gzip")
			default:
				all = append(all, name)
			}
		}
	}
	if len(all) > maxCodings {
		return nil, "", &fault{BadEncoding, fmt.Sprintf("%d content codings, one on another", len(all))}
	}
	n := len(all)
	for n > 0 && isKnown(all[n-1]) {
		n--
	}
	return all[n:], strings.Join(all[:n], ", "), nil
}

func isKnown(coding string) bool {
	switch coding {
	case "gzip", "br", "zstd", "deflate":
		return true
	}
	return false
}

// decoders keeps decompressors for reuse: setting one up costs more than inflating a page.
type decoders struct{ gzip, brotli, zstd sync.Pool }

// open puts a decompressor over r. The closer gives it back, and must be called when reading is
// over. Errors of the coding are faults, those of r come through as they are.
func (d *decoders) open(coding string, r *source) (io.Reader, func(), error) {
	switch coding {
	case "gzip":
		z, _ := d.gzip.Get().(*members)
		if z == nil {
			z = &members{buf: bufio.NewReader(nil)}
		}
		if err := z.reset(r); err != nil {
			d.gzip.Put(z)
			return nil, nil, r.codingFault(coding, err)
		}
		return &decoded{z, coding, r}, func() { d.gzip.Put(z) }, nil
	case "br":
		z, _ := d.brotli.Get().(*brotli.Reader)
		if z == nil {
			z = new(brotli.Reader)
		}
		if err := z.Reset(r); err != nil {
			return nil, nil, r.codingFault(coding, err)
		}
		return &decoded{z, coding, r}, func() { d.brotli.Put(z) }, nil
	case "zstd":
		z, _ := d.zstd.Get().(*zstd.Decoder)
		if z == nil {
			var err error
			// One goroutine, so that a decoder that the pool drops needs no Close.
			z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
			if err != nil {
				return nil, nil, fmt.Errorf("zstd: %w", err)
			}
		}
		if err := z.Reset(r); err != nil {
			return nil, nil, r.codingFault(coding, err)
		}
		return &decoded{z, coding, r}, func() {
			if z.Reset(nil) == nil {
				d.zstd.Put(z)
			}
		}, nil
	default:
		return openDeflate(r)
	}
}

// members reads the members of a gzip stream. What stands behind the last one, and is none, is
// passed over, as browsers do.
type members struct {
	z    gzip.Reader
	buf  *bufio.Reader // stays at the end of a member, which z alone would read beyond
	from *source
}

func (m *members) reset(r *source) error {
	m.from = r
	m.buf.Reset(r)
	if err := m.z.Reset(m.buf); err != nil {
		return err
	}
	m.z.Multistream(false)
	return nil
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if !errors.Is(err, io.EOF) || n > 0 {
			if errors.Is(err, io.EOF) {
				err = nil // the next call sees it again
			}
			return n, err
		}
		if m.z.Reset(m.buf) != nil {
			if m.from.err != nil {
				return 0, m.from.err
			}
			return 0, io.EOF
		}
		m.z.Multistream(false)
	}
}

// openDeflate reads zlib, which deflate means (RFC 9110 section 8.4.1.2), or the bare stream that
// some servers take it for. The first byte of a zlib stream has 8 in its low half, which a bare
// stream rarely begins with, and the first two are divisible by 31.
func openDeflate(r *source) (io.Reader, func(), error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil && r.err != nil {
		return nil, nil, err
	}
	again := &source{r: io.MultiReader(strings.NewReader(string(head[:n])), r)}
	if n == 2 && head[0]&15 == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		z, err := zlib.NewReader(again)
		if err != nil {
			return nil, nil, r.codingFault("deflate", err)
		}
		return &decoded{z, "deflate", r}, func() {}, nil
	}
	return &decoded{flate.NewReader(again), "deflate", r}, func() {}, nil
}

// source is what a decompressor reads. It remembers the error that reading met, which a
// decompressor may take for a fault of the coding.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func (s *source) codingFault(coding string, err error) error {
	if s.err != nil {
		return s.err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &fault{BadEncoding, fmt.Sprintf("not %s as it says: %s", coding, err)}
}

// decoded reads through a decompressor.
type decoded struct {
	r      io.Reader
	coding string
	from   *source
}

func (d *decoded) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = d.from.codingFault(d.coding, err)
	}
	return n, err
}
