package configs

import "strings"

// isToken reports whether the text is a token of RFC 9110, 5.6.2, as the name of a cookie must be.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// isCookieValue reports whether the text may be sent as the value of a cookie: cookie-octets of RFC 6265, 4.1.1.
func isCookieValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`",;\`, r)
	})
}
