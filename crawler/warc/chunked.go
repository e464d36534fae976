package warc

import "io"

// dechunker removes the chunked transfer coding (RFC 9112, section 7.1) from
// the bytes written to it and passes the content on. It never needs more than
// one byte at a time, so it serves streams and buffers alike. Line ends may be
// LF alone; chunk extensions and trailers are dropped.
//
//	chunked = *( size [ ";" ext ] CRLF data CRLF ) "0" [ ";" ext ] CRLF trailer CRLF
type dechunker struct {
	w      io.Writer
	state  chunkState
	size   int64 // bytes left of the chunk
	digits int   // hex digits of the size seen
	chunks int   // chunks complete, the last of size 0 included
	empty  bool  // the trailer line has no byte yet
}

type chunkState uint8

const (
	chunkSize chunkState = iota // in the hex digits
	chunkExt                    // behind them, up to LF
	chunkData
	chunkEnd     // at the line end behind the data
	chunkTrailer // in a line of the trailer
	chunkDone
	chunkBad // the bytes are not chunked
)

// write takes the next bytes. Errors show in state.
func (c *dechunker) write(p []byte) {
	for len(p) > 0 {
		b := p[0]
		switch c.state {
		case chunkData:
			n := min(int64(len(p)), c.size)
			_, _ = c.w.Write(p[:n]) // buffers and hashes do not fail
			p = p[n:]
			if c.size -= n; c.size == 0 {
				c.state = chunkEnd
			}
			continue
		case chunkSize:
			c.sizeByte(b)
		case chunkExt:
			if b == '\n' {
				c.headEnd()
			}
		case chunkEnd:
			switch b {
			case '\r':
			case '\n':
				c.chunks++
				c.state, c.digits = chunkSize, 0
			default:
				c.state = chunkBad
			}
		case chunkTrailer:
			switch {
			case b == '\n' && c.empty:
				c.state = chunkDone
			case b == '\n':
				c.empty = true
			case b != '\r':
				c.empty = false
			}
		case chunkDone, chunkBad:
			return
		}
		p = p[1:]
	}
}

// sizeByte takes one byte of a size line before its extension.
func (c *dechunker) sizeByte(b byte) {
	v, ok := unhex(b)
	switch {
	case ok && c.digits < 15: // 60 bits, so size cannot overflow
		c.size = c.size<<4 | int64(v)
		c.digits++
	case c.digits == 0:
		c.state = chunkBad
	case b == '\n':
		c.headEnd()
	case b == '\r' || b == ';' || b == ' ' || b == '\t':
		c.state = chunkExt
	default:
		c.state = chunkBad
	}
}

func (c *dechunker) headEnd() {
	c.state = chunkData
	if c.size == 0 {
		c.chunks++
		c.state, c.empty = chunkTrailer, true
	}
}

// ended tells whether the last chunk was seen; the trailer may be missing.
func (c *dechunker) ended() bool { return c.state == chunkDone || c.state == chunkTrailer }

func unhex(b byte) (byte, bool) {
	switch {
	case b >= '0' && b <= '9':
		return b - '0', true
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10, true
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
