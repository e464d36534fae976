package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/chart"
)

//go:embed templates assets
var files embed.FS

// pages are the parsed templates, each with the layout around it.
type pages struct {
	byName map[string]*template.Template
}

// loadPages parses all templates; parts that several share are in a folder.
func loadPages() (*pages, error) {
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	base, err := template.New("base.html").Funcs(functions()).ParseFS(files, "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	p := &pages{byName: map[string]*template.Template{}}
	for _, name := range names {
		short := path.Base(name)
		t, err := base.Clone()
		if err != nil {
			return nil, err
		}
		if p.byName[short], err = t.ParseFS(files, name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// frame is what the layout shows around a page.
type frame struct {
	Title     string
	Path      string
	Bar       []entry
	Now       time.Time
	Style     string // address of the style sheet
	Script    string
	FormToken string
	LoggedIn  bool   // by a token
	Notice    string // what readers of every page are told; empty: nothing
	Refresh   bool   // the page asks to be loaded again
	Body      any
}

// show answers with a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, name, title string, body any) error {
	page, err := s.render(r, name, title, body)
	if err != nil {
		return err
	}
	s.send(w, r, http.StatusOK, "text/html; charset=utf-8", page)
	return nil
}

// write answers with a page and a status, for errors: it has no error itself.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, name, title string, body any) {
	page, err := s.render(r, name, title, body)
	if err != nil {
		s.log.Error("page of an error not shown", "error", err)
		page = []byte(title)
	}
	s.send(w, r, status, "text/html; charset=utf-8", page)
}

func (s *Server) render(r *http.Request, name, title string, body any) ([]byte, error) {
	t, ok := s.pages.byName[name]
	if !ok {
		return nil, fmt.Errorf("no template %s", name)
	}
	now := s.now().UTC()
	_, cookieErr := r.Cookie(sessionCookie)
	notice := ""
	if s.notice != nil {
		notice = s.notice()
	}
	var b bytes.Buffer
	err := t.ExecuteTemplate(&b, "base.html", frame{
		Title: title, Path: r.URL.Path, Bar: bar(), Now: now, Style: s.assets.href("style.css"), Script: s.assets.href("strandline.js"),
		FormToken: s.formToken(r), LoggedIn: cookieErr == nil && s.access.closed(), Notice: notice, Refresh: name == "fault.html" && title == away().title, Body: body,
	})
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// send writes an answer with an ETag of its content, or 304 to a reader who has it.
func (s *Server) send(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	if status == http.StatusOK {
		sum := sha256.Sum256(body)
		tag := `"` + hex.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "private, no-cache")
		}
		if tagged(r.Header.Get("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader is gone when this fails
	}
}

// tagged reports whether an If-None-Match field names a tag (RFC 9110, 13.1.2).
func tagged(field, tag string) bool {
	for one := range strings.SplitSeq(field, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}

// asset is a file under /static.
type asset struct {
	kind string
	data []byte
}

// assets are the files by name, which holds a hash of the content: a reader keeps
// them for ever.
type assets struct {
	byPath map[string]asset
	paths  map[string]string // plain name to path
}

func (a assets) href(name string) string { return a.paths[name] }

func loadAssets() (assets, error) {
	a := assets{byPath: map[string]asset{}, paths: map[string]string{}}
	for name, kind := range map[string]string{
		"style.css": "text/css; charset=utf-8", "strandline.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		data, err := files.ReadFile("assets/" + name)
		if err != nil {
			return a, err
		}
		if name == "style.css" {
			data = append(data, chart.Style()...)
		}
		sum := sha256.Sum256(data)
		base, ext, _ := strings.Cut(name, ".")
		at := "/static/" + base + "-" + hex.EncodeToString(sum[:6]) + "." + ext
		a.byPath[at], a.paths[name] = asset{kind, data}, at
	}
	return a, nil
}

func (s *Server) assetRoutes() []route {
	return []route{
		{"GET /static/{file}", s.asset, nobody, true},
		{"GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) error {
			http.Redirect(w, r, s.assets.href("icon.svg"), http.StatusFound)
			return nil
		}, nobody, true},
	}
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	f, ok := s.assets.byPath[r.URL.Path]
	if !ok {
		return notFound("There is no such file.")
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	s.send(w, r, http.StatusOK, f.kind, f.data)
	return nil
}
