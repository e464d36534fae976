package notify

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nicholas-fedor/shoutrrr"
	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/store"
)

// Service sends messages by mail, chat or push, as its URL names.
type Service struct {
	scheme  string
	send    func(text string, params *types.Params) []error
	secrets []string
	// markup: the library puts the text into a mail as HTML, as it is.
	markup bool
}

// serviceTimeout bounds a message to a service; it is below the timeout of an attempt.
const serviceTimeout = attemptTimeout - 5*time.Second

// NewService returns the service of a URL.
func NewService(address string) (*Service, error) {
	s := &Service{secrets: pieces(address)}
	var ok bool
	if s.scheme, _, ok = strings.Cut(address, "://"); !ok {
		return nil, errors.New("is not a service URL, such as smtp://host:25/?from=a@example.org&to=b@example.org")
	}
	// The library's logger would print URLs.
	sender, err := shoutrrr.NewSender(log.New(io.Discard, "", 0), address)
	if errors.Is(err, router.ErrUnknownService) {
		return nil, unknown(s.scheme)
	}
	if err != nil {
		return nil, errors.New(line(s.scheme+": "+cause(err).Error(), s.secrets...))
	}
	sender.Timeout = serviceTimeout
	s.send = sender.Send
	s.markup = asHTML(address)
	return s, nil
}

// unknown says which services there are, or which one was surely meant.
func unknown(scheme string) error {
	known := (&router.ServiceRouter{}).ListServices()
	if word := configs.Suggest(scheme, known); word != "" {
		return fmt.Errorf("%q is not a service; did you mean %s?", scheme, word)
	}
	slices.Sort(known)
	return fmt.Errorf("%q is not a service; allowed: %s", scheme, strings.Join(known, ", "))
}

// Send sends a message as text. The library knows no contexts; what ctx ends is
// the waiting, and the timeout of the library ends the attempt.
func (s *Service) Send(ctx context.Context, _ time.Time, n store.Notification) error {
	m, err := unpack(n)
	if err != nil {
		return err
	}
	subject := m.Subject()
	params := types.Params{}
	params.SetTitle(subject)
	text := subject + "\n" + m.Text()
	if s.markup {
		text = html.EscapeString(text) // nothing that a page says becomes markup of a mail
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(s.send(text, &params)...) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return errors.New(line(s.scheme+": "+err.Error(), s.secrets...))
	}
	return nil
}

// asHTML reports a mail service that is asked to send HTML (useHTML=yes).
func asHTML(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "smtp") {
		return false
	}
	for name, values := range u.Query() {
		if strings.EqualFold(name, "usehtml") && len(values) > 0 {
			switch strings.ToLower(values[len(values)-1]) {
			case "yes", "true", "1":
				return true
			}
		}
	}
	return false
}

// pieces are the parts of a service URL that may be secret, longest first: the URL,
// its user, path and query, each as written and decoded. Services put their keys in any of them,
// and into the place of the host.
func pieces(address string) []string {
	out := []string{address}
	if _, rest, ok := strings.Cut(address, "://"); ok {
		out = append(out, rest)
	}
	cut := strings.FieldsFunc(address, func(r rune) bool { return strings.ContainsRune(":/?&=@#,;", r) })
	for i, p := range cut {
		if i == 0 {
			continue // the scheme
		}
		out = append(out, p)
		if decoded, err := url.QueryUnescape(p); err == nil && decoded != p {
			out = append(out, decoded)
		}
	}
	return out
}
