package digest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"time"
)

var page = template.Must(template.New("digest").Funcs(template.FuncMap{"clean": clean}).Parse(`{{define "body"}}<p>{{.Lead}}</p>
{{range $it := .Items}}<p>{{if and $.Context $it.Before}}<small>{{clean $it.Before}}</small> {{end}}<b>{{clean $it.Sentence}}</b>{{if and $.Context $it.After}} <small>{{clean $it.After}}</small>{{end}}<br>
<small>{{$it.LabelWords}}, <a href="{{$it.URL}}">{{clean $it.Source}}</a>, {{$it.At.UTC.Format "2 Jan 15:04"}}{{with $.DiffLink $it}}, <a href="{{.}}">what changed</a>{{end}}{{if and (eq $it.Label "update") $it.Earlier}}; before: {{clean $it.Earlier}}{{end}}</small></p>
{{end}}{{if .Figures}}<h2>Figures of tables</h2>
<ul>{{range .Figures}}<li>{{clean .Sentence}} (before {{clean .Earlier}}), <a href="{{.URL}}">{{clean .Host}}</a></li>
{{end}}</ul>
{{end}}{{if .Retracted}}<h2>Taken back</h2>
<ul>{{range .Retracted}}<li><del>{{clean .Sentence}}</del> <a href="{{.URL}}">{{clean .Host}}</a></li>
{{end}}</ul>
{{end}}{{end}}<!DOCTYPE html>
<html lang="{{or .Language "en"}}"><head><meta charset="utf-8"><title>{{.Topic}}: {{.Span}}</title></head>
<body><h1>{{.Topic}}: {{.Span}}</h1>
{{template "body" .}}</body></html>
`))

// HTML writes the summary as a document of its own, for a mail or a file. All text
// of the web is escaped, and no address but http and https becomes a link.
func (s *Summary) HTML(w io.Writer) error {
	if err := page.Execute(w, s); err != nil {
		return fmt.Errorf("write summary of %s: %w", s.Topic, err)
	}
	return nil
}

// Fragment gives the inner HTML of the summary, as an entry of a feed has it.
func (s *Summary) Fragment() (string, error) {
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, "body", s); err != nil {
		return "", fmt.Errorf("write summary of %s: %w", s.Topic, err)
	}
	return b.String(), nil
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

// feed is an Atom feed (RFC 4287).
type feed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  author   `xml:"author"`
	Links   []link   `xml:"link"`
	Entries []entry  `xml:"entry"`
}

type author struct {
	Name string `xml:"name"`
}

type link struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type entry struct {
	ID        string  `xml:"id"`
	Title     string  `xml:"title"`
	Published string  `xml:"published"`
	Updated   string  `xml:"updated"`
	Links     []link  `xml:"link"`
	Content   content `xml:"content"`
}

type content struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// Atom writes a feed of summaries of one topic, the newest first. id is a URI that
// names the topic for good and self the address of the feed. An entry keeps its id
// when its period is computed anew.
func Atom(w io.Writer, topic, id, self string, since time.Time, list []*Summary) error {
	f := feed{
		ID: id, Title: clean(topic), Updated: since.UTC().Format(time.RFC3339), Author: author{"Strandline"},
		Links: []link{{Rel: "self", Type: "application/atom+xml", Href: self}},
	}
	for i, s := range list {
		body, err := s.Fragment()
		if err != nil {
			return err
		}
		e := entry{
			ID: id + "/" + Stamp(s.From), Title: clean(topic) + ": " + s.Span(), Published: s.To.UTC().Format(time.RFC3339),
			Updated: later(s.To, s.ComputedAt).UTC().Format(time.RFC3339), Content: content{"html", body},
		}
		if to := s.Link(); to != "" {
			e.Links = append(e.Links, link{Rel: "alternate", Type: "text/html", Href: to})
		}
		if i == 0 || e.Updated > f.Updated {
			f.Updated = e.Updated
		}
		f.Entries = append(f.Entries, e)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	if err := e.Encode(f); err != nil {
		return fmt.Errorf("write feed of topic %s: %w", topic, err)
	}
	return e.Close()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
