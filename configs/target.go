package configs

import (
	"net/url"
	"path/filepath"
	"strconv"
)

// Target is a place to which messages go. Exactly one of its five ways is set.
type Target struct {
	// The key by which notify names it.
	Name Name `yaml:"name" jsonschema:"required"`
	// Service URL for mail, chat or push, such as smtp://host:25/?from=a@example.org&to=b@example.org.
	URL Secret `yaml:"url"`
	// File that holds the service URL.
	URLFile SecretFile `yaml:"url_file"`
	// Address to which each message is posted as JSON.
	Webhook *Webhook `yaml:"webhook"`
	// Program and arguments; it gets each message as JSON on its standard input.
	Exec []string `yaml:"exec"`
	// File to which each message is appended as a line of JSON.
	File Path `yaml:"file"`
}

// Webhook is an address that takes JSON.
type Webhook struct {
	// The address.
	URL Secret `yaml:"url" jsonschema:"required"`
	// File with the key by which messages are signed as Standard Webhooks has it (whsec_ and base64, or any text; several while keys change); empty sends unsigned.
	SecretFile SecretFile `yaml:"secret_file"`
	// Whether the host's name may lead to a loopback, private or link-local address. Literal addresses and localhost need no leave.
	Private bool `yaml:"private"`
}

func (w *Webhook) check(s *section) {
	if w.URL == "" {
		s.fault("url", "", "is missing", "an http or https address")
		return
	}
	u, err := url.Parse(w.URL.Reveal())
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		s.fault("url", redacted, "is not a web address", "an http or https address")
	}
}

func (t *Target) check(s *section) {
	s.wantName(t.Name)
	ways := 0
	for _, set := range []bool{t.URL != "", t.URLFile != "", t.Webhook != nil, len(t.Exec) > 0, t.File != ""} {
		if set {
			ways++
		}
	}
	if ways != 1 && !s.failed("url") && !s.failed("url_file") && !s.failed("webhook") && !s.failed("exec") && !s.failed("file") {
		message := "says not where messages go"
		if ways > 1 {
			message = "says more than one way"
		}
		s.fault("", "", message, "one of url, url_file, webhook, exec and file")
	}
	if t.URL != "" {
		if u, err := url.Parse(t.URL.Reveal()); err != nil || u.Scheme == "" || (u.Host == "" && u.Opaque == "" && u.Path == "") {
			s.fault("url", redacted, "is not a service URL", "scheme://..., such as smtp://host:25/?from=..&to=..")
		} else if port, err := strconv.ParseUint(u.Port(), 10, 64); u.Port() != "" && (err != nil || port < 1 || port > 65535) {
			s.fault("url", redacted, "names the port "+u.Port()+", which there cannot be", "1 to 65535")
		}
	}
	if len(t.Exec) > 0 && !filepath.IsAbs(t.Exec[0]) {
		s.fault("exec[0]", t.Exec[0], "is not the full path of a program", "a path that starts with /")
	}
}
