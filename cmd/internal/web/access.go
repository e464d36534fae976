package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// role is what a reader may do. A role includes those before it.
type role uint8

const (
	nobody role = iota // what needs no right: files, health, logging in
	viewer             // may look
	editor             // may change things
)

// Access says who may read and change things. The zero Access lets in everybody
// who reaches the address, which is loopback by default, as an editor.
type Access struct {
	// ViewerToken and EditorToken are secrets that make a reader viewer or editor,
	// given as a bearer token or typed once; empty for none.
	ViewerToken, EditorToken string
	// UserHeader is the header in which a reverse proxy names the user it has let
	// in; empty for none. It is believed from TrustedProxies only, loopback without any.
	UserHeader     string
	TrustedProxies []netip.Prefix
	// Editors are the users who are editors; all others are viewers.
	Editors []string
	// Name is the host name that Listen was given, if it is one.
	Name string
}

// closed reports whether a reader has to prove something.
func (a *Access) closed() bool {
	return a.ViewerToken != "" || a.EditorToken != "" || a.UserHeader != ""
}

// sessionCookie holds a proof that its reader knew a token. It is made from the
// token, so that it ends when the token is changed.
const sessionCookie = "strandline_session"

// proof is what the cookie of a token's reader holds.
func proof(token string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte("strandline session"))
	return hex.EncodeToString(m.Sum(nil))
}

// equal compares secrets in a time that does not depend on them.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return a != "" && b != "" && subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// roleOf says what the sender of a request may do.
func (s *Server) roleOf(r *http.Request) role {
	a := &s.access
	if !a.closed() {
		return editor
	}
	if a.UserHeader != "" && s.fromProxy(r) {
		if user := r.Header.Get(a.UserHeader); user != "" {
			if slices.Contains(a.Editors, user) {
				return editor
			}
			return viewer
		}
	}
	given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	session := ""
	if c, err := r.Cookie(sessionCookie); err == nil {
		session = c.Value
	}
	for _, t := range []struct {
		token string
		role  role
	}{{a.EditorToken, editor}, {a.ViewerToken, viewer}} {
		if t.token != "" && (equal(given, t.token) || equal(session, proof(t.token))) {
			return t.role
		}
	}
	return nobody
}

func (s *Server) fromProxy(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	if len(s.access.TrustedProxies) == 0 {
		return ip.IsLoopback()
	}
	return slices.ContainsFunc(s.access.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// allow refuses readers who have not the role.
func (s *Server) allow(r *http.Request, need role) error {
	have := s.roleOf(r)
	switch {
	case have >= need:
		return nil
	case have == nobody && (s.access.ViewerToken != "" || s.access.EditorToken != ""):
		return fault{http.StatusUnauthorized, "A token is needed", "Type the token under “Log in”, or send it as a bearer token."}
	case have == nobody:
		return fault{http.StatusUnauthorized, "Nobody has let you in", "These pages are read through a reverse proxy that names its user; this request did not come through it."}
	}
	return fault{http.StatusForbidden, "Viewers may not do this", "Only editors may. The operator decides who is one, by http.editor_token_file or http.editors."}
}

func (s *Server) accessRoutes() []route {
	return []route{
		{"GET /login", s.loginForm, nobody, true},
		{"POST /login", s.login, nobody, true},
		{"POST /logout", s.logout, nobody, true},
	}
}

func (s *Server) loginForm(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, "login.html", "Log in", struct{ Wrong bool }{r.URL.Query().Has("wrong")})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkForm(r); err != nil {
		return err
	}
	token := strings.TrimSpace(r.PostForm.Get("token"))
	if !equal(token, s.access.EditorToken) && !equal(token, s.access.ViewerToken) {
		http.Redirect(w, r, "/login?wrong", http.StatusSeeOther)
		return nil
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: proof(token), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", MaxAge: 90 * 24 * 3600,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkForm(r); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
