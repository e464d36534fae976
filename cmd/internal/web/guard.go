package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy is the Content-Security-Policy of every page: our own style sheet, script
// and pictures, and nothing else; no inline script or style.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard sets the headers of all answers and refuses requests that other sites make
// through a reader's browser.
func (s *Server) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, fault{http.StatusForbidden, "Refused", "This request came from another site and would have changed something here."})
	}))
	checked := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if !s.ourName(r.Host) {
			s.fail(w, r, fault{http.StatusMisdirectedRequest, "Wrong name", "This program answers under localhost or an address only, unless http.token_file or http.user_header is set: otherwise any site could read it through your browser under a name of its own."})
			return
		}
		checked.ServeHTTP(w, r)
	})
}

// ourName reports whether a request may name us so. A site can make its own name
// point to 127.0.0.1 and read what answers there; it cannot do so with an address
// or localhost. With a token or a proxy's header the name does not matter.
func (s *Server) ourName(host string) bool {
	if s.access.closed() {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || name == strings.ToLower(s.access.Name) && name != ""
}
