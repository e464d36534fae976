package atom

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// node is an element of a document.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

func (n node) all(name string) []node {
	var out []node
	for _, c := range n.Children {
		if c.XMLName.Space == namespace && c.XMLName.Local == name {
			out = append(out, c)
		}
	}
	return out
}

// Check holds a document against RFC 4287: the elements that must be there, how
// often each may be, the forms of times, ids, texts and addresses, and that no
// two entries share an id. It returns all mistakes, joined; nil means that there
// are none. It knows what Write writes, and calls elements beyond that foreign.
func Check(document []byte) error {
	var root node
	d := xml.NewDecoder(strings.NewReader(string(document)))
	if err := d.Decode(&root); err != nil {
		return fmt.Errorf("atom: %w", err)
	}
	if rest := strings.TrimSpace(string(document[d.InputOffset():])); rest != "" {
		return errors.New("atom: something stands behind the feed")
	}
	if root.XMLName != (xml.Name{Space: namespace, Local: "feed"}) {
		return fmt.Errorf("atom: the document is a %s of %q", root.XMLName.Local, root.XMLName.Space)
	}
	// The form of a time (RFC 4287, 3.3): RFC 3339 with capital T and Z.
	c := &checker{date: regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)}
	c.counts("feed", root, map[string][2]int{
		"id": {1, 1}, "title": {1, 1}, "updated": {1, 1}, "subtitle": {0, 1}, "generator": {0, 1}, "author": {0, many}, "link": {0, many}, "entry": {0, many},
	})
	c.parts("feed", root)
	self := 0
	for _, l := range root.all("link") {
		if l.attr("rel") == "self" {
			self++
		}
	}
	if self != 1 {
		c.wrong("feed: %d links to itself, want one", self)
	}
	authored := len(root.all("author")) > 0
	ids := map[string]bool{}
	for i, e := range root.all("entry") {
		name := fmt.Sprintf("entry %d", i)
		c.counts(name, e, map[string][2]int{
			"id": {1, 1}, "title": {1, 1}, "updated": {1, 1}, "published": {0, 1}, "summary": {0, 1}, "content": {0, 1}, "author": {0, many}, "link": {0, many}, "category": {0, many},
		})
		c.parts(name, e)
		if !authored && len(e.all("author")) == 0 {
			c.wrong("%s: neither it nor the feed has an author", name)
		}
		if id := e.all("id"); len(id) == 1 {
			if ids[id[0].Text] {
				c.wrong("%s: the id %s is that of another", name, id[0].Text)
			}
			ids[id[0].Text] = true
		}
		alternate := map[string]bool{}
		for _, l := range e.all("link") {
			if rel := l.attr("rel"); rel == "" || rel == "alternate" {
				if alternate[l.attr("type")+l.attr("hreflang")] {
					c.wrong("%s: two alternate links of one kind", name)
				}
				alternate[l.attr("type")+l.attr("hreflang")] = true
			}
		}
		if len(alternate) == 0 && len(e.all("content")) == 0 {
			c.wrong("%s: neither an alternate link nor a content", name)
		}
	}
	return errors.Join(c.errs...)
}

const many = 1 << 30

type checker struct {
	date *regexp.Regexp
	errs []error
}

func (c *checker) wrong(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("atom: "+format, args...))
}

// counts checks how often each child stands there.
func (c *checker) counts(name string, n node, allowed map[string][2]int) {
	found := map[string]int{}
	for _, child := range n.Children {
		if child.XMLName.Space != namespace {
			c.wrong("%s: the foreign element %s", name, child.XMLName.Local)
			continue
		}
		found[child.XMLName.Local]++
	}
	for child, bounds := range allowed {
		if n := found[child]; n < bounds[0] || n > bounds[1] {
			c.wrong("%s: %d of %s", name, n, child)
		}
		delete(found, child)
	}
	for child := range found {
		c.wrong("%s: %s does not belong there", name, child)
	}
}

// parts checks the forms of the children that feeds and entries share.
func (c *checker) parts(name string, n node) {
	for _, child := range n.Children {
		local := child.XMLName.Local
		switch local {
		case "id":
			if u, err := url.Parse(child.Text); err != nil || !u.IsAbs() || strings.TrimSpace(child.Text) != child.Text {
				c.wrong("%s: the id %q is no absolute IRI", name, child.Text)
			}
		case "updated", "published":
			if _, err := time.Parse(time.RFC3339, child.Text); err != nil || !c.date.MatchString(child.Text) {
				c.wrong("%s: %s is %q", name, local, child.Text)
			}
		case "title", "subtitle", "summary", "content":
			switch kind := child.attr("type"); {
			case kind != "" && kind != "text" && kind != "html":
				c.wrong("%s: %s of type %q", name, local, kind)
			case len(child.Children) > 0:
				c.wrong("%s: %s has elements in it", name, local)
			case local == "title" && strings.TrimSpace(child.Text) == "":
				c.wrong("%s: an empty title", name)
			}
		case "author":
			if names := child.all("name"); len(names) != 1 || strings.TrimSpace(names[0].Text) == "" {
				c.wrong("%s: an author without a name", name)
			}
		case "link":
			if u, err := url.Parse(child.attr("href")); err != nil || !u.IsAbs() {
				c.wrong("%s: the link %q is not absolute", name, child.attr("href"))
			}
		case "category":
			if child.attr("term") == "" {
				c.wrong("%s: a category without a term", name)
			}
		}
	}
}
