package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/strandlinehq/strandline/crawler/warc"
)

// A file is written and read back. Damage is reported and reading goes on.
func Example() {
	var file bytes.Buffer
	w, err := warc.NewWriter(&file, warc.WriterOptions{Reproducible: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	_, err = w.Info("example.warc.gz", at, warc.Header{{Name: "software", Value: "example"}})
	if err == nil {
		_, err = w.Response("http://example.com/", at, []byte("HTTP/1.1 200 OK\r\n\r\n"), []byte("hello"), nil)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	file.WriteString("not a gzip member")

	r, err := warc.NewReader(&file, warc.Options{Verify: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	var buf []byte
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			buf, _, err = rec.AppendBlock(buf[:0], 1<<20)
		}
		if d := (*warc.Damage)(nil); errors.As(err, &d) {
			fmt.Println("damage:", d.Kind)
			continue
		} else if err != nil {
			fmt.Println(err)
			return
		}
		if rec.Type != warc.TypeResponse {
			continue
		}
		m, err := warc.ParseHTTP(buf)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(rec.TargetURI, m.Status, string(m.Decode(1<<20).Data))
	}
	// Output:
	// http://example.com/ 200 hello
	// damage: bad-gzip
}
