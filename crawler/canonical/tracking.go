package canonical

import (
	"bytes"
	"strings"
)

// DefaultTracking returns the parameters removed by default: those that mail, advertising and
// statistics services add to links to recognise the click, and that no site needs to choose what
// it shows.
func DefaultTracking() []string {
	return []string{
		// Campaign names of analytics programs.
		"utm_*", "mtm_*", "matomo_*", "piwik_*", "pk_campaign", "pk_kwd", "pk_source", "pk_medium", "pk_content", "pk_cid",
		"_ga", "_gl", "_openstat", "xtor", "wt_zmc",
		// Click numbers of advertising networks.
		"gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "msclkid", "yclid", "ysclid", "s_kwcid", "zanpid",
		"fbclid", "twclid", "ttclid", "li_fat_id", "igsh", "igshid", "epik", "rb_clickid", "wickedid",
		// Recipients of mailings.
		"mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "mkt_tok",
		"vero_id", "vero_conv", "oly_anon_id", "oly_enc_id",
	}
}

// tracking is a set of parameter names, found by their first letter.
type tracking struct {
	byFirst [256][]pattern
	all     bool // the pattern "*"
}

type pattern struct {
	name   string // lower case
	prefix bool   // matches every name that begins so
}

func newTracking(patterns []string) *tracking {
	t := new(tracking)
	for _, s := range patterns {
		name, prefix := strings.CutSuffix(lowerASCII(s), "*")
		switch {
		case name != "":
			t.byFirst[name[0]] = append(t.byFirst[name[0]], pattern{name, prefix})
		case prefix:
			t.all = true
		}
	}
	return t
}

// strip removes the tracking parameters from a query, in place, each with the ampersand that
// joins it to the rest. Other parameters keep place and spelling, empty ones too.
func (t *tracking) strip(query []byte) []byte {
	out := query[:0]
	first := true
	for {
		param, rest, more := query, []byte(nil), false
		if i := bytes.IndexByte(query, '&'); i >= 0 {
			param, rest, more = query[:i], query[i+1:], true
		}
		if !t.matches(param) {
			if !first {
				out = append(out, '&')
			}
			out = append(out, param...)
			first = false
		}
		if !more {
			return out
		}
		query = rest
	}
}

// matches reports whether the name of a parameter, up to its equals sign, is in the set.
func (t *tracking) matches(param []byte) bool {
	if len(param) == 0 {
		return false
	}
	if t.all {
		return true
	}
	candidates := t.byFirst[lower(param[0])]
	if len(candidates) == 0 {
		return false
	}
	name := param
	if i := bytes.IndexByte(param, '='); i >= 0 {
		name = param[:i]
	}
	for _, p := range candidates {
		if len(name) < len(p.name) || len(name) > len(p.name) && !p.prefix {
			continue
		}
		i := 0
		for i < len(p.name) && lower(name[i]) == p.name[i] {
			i++
		}
		if i == len(p.name) {
			return true
		}
	}
	return false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// lowerASCII maps A to Z only, as parameter names are octets.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lower(c)
	}
	return string(b)
}
