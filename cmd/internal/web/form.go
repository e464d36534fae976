package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// Every form that changes something carries a token, which only a page of ours can
// have given its reader; a form that another site made has none. It stands behind
// http.CrossOriginProtection, for browsers that send neither Sec-Fetch-Site nor
// Origin.

// formField is the name of the token in a form; templates write it by formToken.
const formField = "form_token"

// formToken is the token for the reader who sent r. It is good until the program
// is started anew, or the reader logs in.
func (s *Server) formToken(r *http.Request) string {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte("form "))
	if c, err := r.Cookie(sessionCookie); err == nil {
		m.Write([]byte(c.Value))
	}
	return hex.EncodeToString(m.Sum(nil))
}

// checkForm parses a form and refuses one without the right token.
func (s *Server) checkForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	if !equal(r.PostForm.Get(formField), s.formToken(r)) {
		return fault{http.StatusForbidden, "This form is too old", "The program was started anew since the form was shown, or it is not ours. Nothing was changed; load the page again and repeat."}
	}
	return nil
}
