package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/crawler/warc/cdxj"
	"github.com/strandlinehq/strandline/store"
)

// waczLines is how many lines of the index stand in one gzip member, which a
// replayer reads as a whole.
const waczLines = 1000

// ExportWACZ writes the captures selected as WACZ 1.1.1, which replayers of the web
// open: a ZIP file with the captures as WARC, their index in gzip members that a
// second index finds, the list of pages, and the digests of all. The WARC file
// stands in it uncompressed, so that records can be read in place. The same captures
// give the same file. Filename, Index and Plain of opt are not looked at.
func ExportWACZ(ctx context.Context, db *store.DB, w io.Writer, opt ExportOptions) (ExportReport, error) {
	whole := &counter{}
	z := &waczWriter{zip: zip.NewWriter(io.MultiWriter(w, whole))}
	opt.Filename, opt.Index, opt.Plain = "data.warc.gz", true, false
	var report ExportReport
	err := z.file("archive/data.warc.gz", zip.Store, func(out io.Writer) (err error) {
		report, err = Export(ctx, db, out, opt)
		return err
	})
	if err != nil {
		return report, err
	}
	packed, second, err := zipNum(report.Index)
	if err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	pages, main, err := waczPages(report.Index)
	if err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{"indexes/index.cdx.gz", packed}, {"indexes/index.idx", second}, {"pages/pages.jsonl", pages}} {
		if err := z.bytes(f.path, f.data); err != nil {
			return report, err
		}
	}
	created := opt.Made
	if created.IsZero() {
		created = main.At
	}
	about, err := json.MarshalIndent(dataPackage{
		Profile: "data-package", Version: "1.1.1", Title: "Strandline export", Created: created.UTC(), Software: opt.Software,
		MainPage: main.URL, MainDate: main.At, Resources: z.resources,
	}, "", "  ")
	if err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	digest, err := json.Marshal(map[string]string{"path": "datapackage.json", "hash": sha256Of(about)})
	if err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	if err := z.bytes("datapackage.json", about); err != nil {
		return report, err
	}
	if err := z.bytes("datapackage-digest.json", digest); err != nil {
		return report, err
	}
	if err := z.zip.Close(); err != nil {
		return report, fmt.Errorf("export: %w", err)
	}
	report.Bytes = whole.n
	return report, nil
}

// dataPackage is datapackage.json.
type dataPackage struct {
	Profile   string         `json:"profile"`
	Version   string         `json:"wacz_version"`
	Title     string         `json:"title"`
	Created   time.Time      `json:"created"`
	Software  string         `json:"software"`
	MainPage  string         `json:"mainPageUrl,omitempty"`
	MainDate  time.Time      `json:"mainPageDate,omitzero"`
	Resources []waczResource `json:"resources"`
}

type waczResource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// waczPage is a line of pages.jsonl.
type waczPage struct {
	ID  string    `json:"id"`
	URL string    `json:"url"`
	At  time.Time `json:"ts"`
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// waczWriter writes files into the ZIP file and remembers their digests.
type waczWriter struct {
	zip       *zip.Writer
	resources []waczResource
}

func (z *waczWriter) bytes(path string, data []byte) error {
	return z.file(path, zip.Deflate, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func (z *waczWriter) file(path string, method uint16, write func(io.Writer) error) error {
	if method == zip.Deflate && strings.HasSuffix(path, ".gz") {
		method = zip.Store // it is compressed, and read in parts
	}
	f, err := z.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	sum, n := sha256.New(), &counter{}
	if err := write(io.MultiWriter(f, sum, n)); err != nil {
		return err
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	z.resources = append(z.resources, waczResource{name, path, "sha256:" + hex.EncodeToString(sum.Sum(nil)), n.n})
	return nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// zipNum packs an index into gzip members, and makes the second index that tells
// where the member is that begins with a line.
func zipNum(entries []cdxj.Entry) (packed, second []byte, err error) {
	var out, index bytes.Buffer
	index.WriteString(`!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n")
	for start := 0; start < len(entries); start += waczLines {
		part := entries[start:min(start+waczLines, len(entries))]
		var lines []byte
		for _, e := range part {
			if lines, err = e.AppendTo(lines); err != nil {
				return nil, nil, err
			}
		}
		offset := out.Len()
		member := gzip.NewWriter(&out)
		if _, err = member.Write(lines); err != nil {
			return nil, nil, err
		}
		if err = member.Close(); err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(&index, "%s %s {\"offset\": %d, \"length\": %d, \"digest\": %q, \"filename\": \"index.cdx.gz\"}\n",
			part[0].Key, part[0].Time.UTC().Format(cdxj.TimeLayout), offset, out.Len()-offset, sha256Of(out.Bytes()[offset:]))
	}
	return out.Bytes(), index.Bytes(), nil
}

// waczPages lists the pages, each with its newest capture that shows content, and
// the first of them.
func waczPages(entries []cdxj.Entry) (lines []byte, first waczPage, err error) {
	var out bytes.Buffer
	out.WriteString(`{"format": "json-pages-1.0", "id": "pages", "title": "All pages"}` + "\n")
	enc := json.NewEncoder(&out)
	newest, order := map[string]time.Time{}, []string{}
	for _, e := range entries {
		if e.Status < 200 || e.Status > 299 && e.Status != 304 {
			continue
		}
		if _, known := newest[e.URL]; !known {
			order = append(order, e.URL)
		}
		if e.Time.After(newest[e.URL]) {
			newest[e.URL] = e.Time
		}
	}
	for i, url := range order {
		p := waczPage{"p" + strconv.Itoa(i+1), url, newest[url]}
		if i == 0 {
			first = p
		}
		if err := enc.Encode(p); err != nil {
			return nil, first, err
		}
	}
	return out.Bytes(), first, nil
}
