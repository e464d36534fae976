package configs

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
)

// Name is the stable key of a watch, series, topic or target: a-z, 0-9 and -.
type Name string

// UnmarshalText reads a name.
func (n *Name) UnmarshalText(text []byte) error {
	for _, c := range text {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return &fault{"is not a name", "letters a-z, digits and -"}
		}
	}
	*n = Name(text)
	return nil
}

// URL is an absolute http or https address without user and password.
type URL string

// UnmarshalText reads an address. The text is kept as it is; its canonical form is the crawler's matter.
func (u *URL) UnmarshalText(text []byte) error {
	const allowed = "an http or https address such as https://example.org/news"
	parsed, err := url.Parse(string(text))
	switch {
	case err != nil:
		return &fault{"is not a URL", allowed}
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return &fault{"is not a web address", allowed}
	case parsed.Hostname() == "" || strings.ContainsAny(parsed.Host, " \t"):
		return &fault{"names no host", allowed}
	case parsed.User != nil:
		return &fault{"holds a user name or password, which would be stored and shown with the page", "an address without user@"}
	}
	*u = URL(text)
	return nil
}

// redact keeps a password out of messages about a refused address.
func redact(found string) string {
	scheme, rest, ok := strings.Cut(found, "://")
	if at := strings.LastIndex(rest, "@"); ok && at >= 0 {
		return scheme + "://" + redacted + rest[at:]
	}
	return found
}

// Pattern is a regular expression in Go's syntax (RE2), matched anywhere in a text.
type Pattern string

// UnmarshalText reads a regular expression.
func (p *Pattern) UnmarshalText(text []byte) error {
	if _, err := regexp.Compile(string(text)); err != nil {
		return &fault{"is not a regular expression (" + shorten(strings.TrimPrefix(err.Error(), "error parsing regexp: ")) + ")", "Go's RE2 syntax"}
	}
	*p = Pattern(text)
	return nil
}

// Regexp compiles the pattern; nil for the empty one. It panics on a Pattern that did not come from Load or UnmarshalText.
func (p Pattern) Regexp() *regexp.Regexp {
	if p == "" {
		return nil
	}
	return regexp.MustCompile(string(p))
}

// Rule says what of a page is passed over: a CSS selector, or a regular expression between slashes.
type Rule string

// UnmarshalText reads a rule.
func (r *Rule) UnmarshalText(text []byte) error {
	rule := Rule(text)
	if strings.HasPrefix(string(text), "/") {
		expr, ok := rule.expression()
		if !ok || expr == "" {
			return &fault{"is not a rule", "a CSS selector, or a regular expression between two slashes"}
		}
		if err := new(Pattern).UnmarshalText([]byte(expr)); err != nil {
			return err
		}
	} else if err := parseSelector(string(text)); err != nil {
		return &fault{"is not a CSS selector (" + shorten(err.Error()) + ")", "a CSS selector, or a regular expression between two slashes"}
	}
	*r = rule
	return nil
}

// expression gives what stands between the slashes, false when the rule is not of that form.
func (r Rule) expression() (string, bool) {
	if len(r) < 2 || r[0] != '/' || r[len(r)-1] != '/' {
		return "", false
	}
	return string(r[1 : len(r)-1]), true
}

// Selector gives the CSS selector, "" when the rule is a regular expression.
func (r Rule) Selector() string {
	if strings.HasPrefix(string(r), "/") {
		return ""
	}
	return string(r)
}

// Pattern gives the regular expression without its slashes, "" when the rule is a selector.
func (r Rule) Pattern() Pattern {
	expr, _ := r.expression()
	return Pattern(expr)
}

// parseSelector reports what is wrong with a CSS selector.
func parseSelector(text string) (err error) {
	defer func() { // a parser of someone else's, fed with text of someone else's
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("it is empty")
	}
	_, err = cascadia.ParseGroup(text)
	return err
}

// Network is a range of IP addresses in CIDR form; a single address is a range of one.
type Network struct{ netip.Prefix }

// UnmarshalText reads a range.
func (n *Network) UnmarshalText(text []byte) error {
	if addr, err := netip.ParseAddr(string(text)); err == nil && addr.Zone() == "" {
		n.Prefix = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	prefix, err := netip.ParsePrefix(string(text))
	if err != nil {
		return &fault{"is not a range of addresses", "CIDR form such as 10.0.0.0/8 or ::1/128"}
	}
	if prefix != prefix.Masked() {
		return &fault{"has bits set behind its mask", prefix.Masked().String()}
	}
	n.Prefix = prefix
	return nil
}

// Host is a host name in lower case, without scheme, port or path.
type Host string

// UnmarshalText reads a host name.
func (h *Host) UnmarshalText(text []byte) error {
	name := string(text)
	if _, err := netip.ParseAddr(name); err == nil {
		*h = Host(name)
		return nil
	}
	if name == "" || name != strings.ToLower(name) || strings.ContainsAny(name, "/:@?#*% \t\r\n\\\"'") || strings.Contains("."+name+".", "..") {
		return &fault{"is not a host name", "a name in small letters such as www.example.org"}
	}
	*h = Host(name)
	return nil
}

// Language is a language tag such as en, ja or pt-BR.
type Language string

// UnmarshalText reads a language tag.
func (l *Language) UnmarshalText(text []byte) error {
	if len(text) > 0 && !languageTag(string(text)) {
		return &fault{"is not a language tag", "two or three small letters, such as en, ja or pt-BR"}
	}
	*l = Language(text)
	return nil
}

// languageTag reports whether the tag has the form of BCP 47 as far as pages use it: a language of two or three small
// letters, then parts of two to eight letters or digits.
func languageTag(tag string) bool {
	for i, part := range strings.Split(tag, "-") {
		small := strings.Trim(part, "abcdefghijklmnopqrstuvwxyz") == ""
		plain := strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
		if i == 0 && (!small || len(part) < 2 || len(part) > 3) {
			return false
		}
		if !plain || len(part) < 2 || len(part) > 8 {
			return false
		}
	}
	return true
}
