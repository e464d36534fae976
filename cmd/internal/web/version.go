package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/compare"
	"github.com/strandlinehq/strandline/store"
)

// versionBody is one version: its header as received and its text.
type versionBody struct {
	*looked
	Heading string
	V       store.Version
	Head    string
	Lines   []string
	Cut     bool
}

func (s *Server) version1(w http.ResponseWriter, r *http.Request) error {
	p, err := s.look(r, false)
	if err != nil {
		return err
	}
	v, err := s.versionNamed(r, p.Page, r.PathValue("version"))
	if err != nil {
		return err
	}
	text, err := compare.Text(r.Context(), s.db, v)
	if err != nil {
		return err
	}
	b := versionBody{looked: p, Heading: headingOf(p.PageView), V: v, Head: string(v.Head)}
	size := 0
	for line := range strings.SplitSeq(text.Text(), "\n") {
		if size += len(line); size > mostShown {
			b.Cut = true
			break
		}
		b.Lines = append(b.Lines, line)
	}
	return s.show(w, r, "version.html", fmt.Sprintf("%s: version %d", b.Heading, v.Number), b)
}
