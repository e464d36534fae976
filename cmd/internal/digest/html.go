package digest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/atom"
)

// page is parsed once.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("digest").Funcs(template.FuncMap{"clean": clean}).Parse(`{{define "body"}}<p>{{.Lead}}</p>
{{range $it := .Items}}<p>{{if and $.Context $it.Before}}<small>{{clean $it.Before}}</small> {{end}}<b>{{clean $it.Sentence}}</b>{{if and $.Context $it.After}} <small>{{clean $it.After}}</small>{{end}}<br>
<small>{{$it.LabelWords}}, <a href="{{$it.URL}}">{{clean $it.Source}}</a>, {{$it.At.UTC.Format "2 Jan 15:04"}}{{with $.VersionLink $it}}, <a href="{{.}}">the version</a>{{end}}{{with $.DiffLink $it}}, <a href="{{.}}">what changed</a>{{end}}{{if and (eq $it.Label "update") $it.Earlier}}; before: {{clean $it.Earlier}}{{end}}</small></p>
{{end}}{{if .Figures}}<h2>Figures of tables</h2>
<ul>{{range .Figures}}<li>{{clean .Sentence}} (before {{clean .Earlier}}), <a href="{{$.Place .}}">{{clean .Host}}</a></li>
{{end}}</ul>
{{end}}{{if .Retracted}}<h2>Taken back</h2>
<ul>{{range .Retracted}}<li><del>{{clean .Sentence}}</del> <a href="{{$.Place .}}">{{clean .Host}}</a></li>
{{end}}</ul>
{{end}}{{end}}<!DOCTYPE html>
<html lang="{{or .Language "en"}}"><head><meta charset="utf-8"><title>{{.Topic}}: {{.Span}}</title></head>
<body><h1>{{.Topic}}: {{.Span}}</h1>
{{template "body" .}}</body></html>
`))
})

// HTML writes the summary as a document of its own, for a mail or a file. All text
// of the web is escaped, and no address but http and https becomes a link.
func (s *Summary) HTML(w io.Writer) error {
	if err := page().Execute(w, s); err != nil {
		return fmt.Errorf("write summary of %s: %w", s.Topic, err)
	}
	return nil
}

// JSON writes the summary as one document.
func (s *Summary) JSON(w io.Writer) error {
	type item struct {
		Rank     int       `json:"rank"`
		Label    string    `json:"label"`
		Sentence string    `json:"sentence"`
		Before   string    `json:"before"`
		After    string    `json:"after"`
		Earlier  string    `json:"earlier,omitempty"`
		Weight   float64   `json:"weight"`
		Pages    int       `json:"pages"`
		Hosts    int       `json:"hosts"`
		PageID   int64     `json:"page_id"`
		URL      string    `json:"url"`
		Version  int32     `json:"version"`
		At       time.Time `json:"at"`
		Cluster  int       `json:"cluster"`
	}
	items := func(list []Item) []item {
		out := []item{}
		for _, i := range list {
			out = append(out, item{
				i.Rank, i.Label, i.Sentence, i.Before, i.After, i.Earlier, i.Weight, i.Pages, i.Hosts, int64(i.Page), i.URL, i.Version, i.At.UTC(), i.Cluster,
			})
		}
		return out
	}
	terms := []map[string]any{}
	for _, t := range s.Terms {
		terms = append(terms, map[string]any{"rank": t.Rank, "term": t.Word, "weight": t.Weight, "pages": t.Pages, "hosts": t.Hosts, "trend": t.Trend})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(map[string]any{
		"topic": s.Topic, "query": s.Query, "language": s.Language, "mode": s.Mode, "period_start": s.From.UTC(), "period_end": s.To.UTC(),
		"pages": s.Pages, "pages_checked": s.Checked, "pages_changed": s.Changed, "new_sentences": s.TopicPeriod.Sentences, "repeats": s.Repeats,
		"note": s.Note, "sentences": items(s.Items), "figures": items(s.Figures), "retracted": items(s.Retracted), "terms": terms,
	})
}

// Entry is the summary as an entry of a feed. It keeps its id when the period is
// computed anew.
func (s *Summary) Entry(id string) atom.Entry {
	e := atom.Entry{ID: id, Title: s.Topic + ": " + s.Span(), Published: s.To, Updated: s.To, Link: s.Link(), Summary: s.Lead()}
	if s.ComputedAt.After(s.To) {
		e.Updated = s.ComputedAt
	}
	for _, it := range s.Items {
		link := cmp.Or(s.DiffLink(it), s.Place(it))
		if s.Context > 0 && it.Before != "" {
			e.Content = append(e.Content, atom.Block{Text: it.Before})
		}
		e.Content = append(e.Content, atom.Block{Text: it.Sentence})
		if s.Context > 0 && it.After != "" {
			e.Content = append(e.Content, atom.Block{Text: it.After})
		}
		if it.Label == "update" && it.Earlier != "" {
			e.Content = append(e.Content, atom.Block{Text: "before: " + it.Earlier})
		}
		e.Content = append(e.Content, atom.Block{Text: it.LabelWords() + ", " + it.Source(), Href: link})
	}
	for _, it := range s.Figures {
		e.Content = append(e.Content, atom.Block{Kind: atom.Item, Text: it.Sentence + " (before " + it.Earlier + "), " + it.Host, Href: s.Place(it)})
	}
	for _, it := range s.Retracted {
		e.Content = append(e.Content, atom.Block{Kind: atom.Removed, Text: it.Sentence, Href: s.Place(it)})
	}
	if len(e.Content) == 0 {
		e.Content = atom.Content{{Text: s.Lead()}}
	}
	return e
}
