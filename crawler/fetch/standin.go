package fetch

import (
	"slices"
	"strings"
)

// judge tells a page from the stand-ins that come with a good status. A page with enough text is
// always content, so that an article on error pages, whatever its title, stays one. Otherwise a
// title or heading must consist of a phrase, or begin with it, and the rest be short.
func (s *sketch) judge(r *Result) (Reason, string) {
	if s.isPage() {
		return "", ""
	}
	if phrase := s.notFound(); phrase != "" {
		return SoftNotFound, "the page says " + quote(phrase)
	}
	if phrase := s.blocked(); phrase != "" {
		return Blocked, "the page says " + quote(phrase)
	}
	if phrase := s.begins(errorPhrases()); phrase != "" {
		return ErrorPage, "the page says " + quote(phrase)
	}
	if s.login(r) {
		return LoginWall, "a form to log in, at " + r.FinalURL
	}
	return "", ""
}

// notFound returns the phrase if the page says that there is none.
func (s *sketch) notFound() string {
	phrases := notFoundPhrases()
	heading := plain(s.heading)
	if slices.Contains(phrases, heading) && len(s.text) <= shortPage {
		return heading
	}
	for _, part := range titleParts(s.title) {
		if !slices.Contains(phrases, part) {
			continue
		}
		// A longer page, with the menus of its site, must say so in its heading too. A bare number
		// is the name of many things.
		if heading == part || slices.Contains(phrases, heading) || part != "404" && len(s.text) <= shortPage || len(s.text) <= tinyPage {
			return part
		}
	}
	if text := plain(s.text); len(text) <= tinyPage/4 && slices.Contains(phrases, text) {
		return text
	}
	return ""
}

// blocked returns the phrase if the page keeps us out.
func (s *sketch) blocked() string {
	if s.isPage() {
		return ""
	}
	if phrase := s.begins(blockedPhrases()); phrase != "" {
		return phrase
	}
	if s.challenge && len(s.text) <= tinyPage && !s.password {
		return "(a check for robots)"
	}
	return ""
}

// begins returns the phrase with which title, heading or text of a short page begin. A title must
// be the phrase but for a few letters, such as "...": "Access denied: a history" is none.
func (s *sketch) begins(phrases []string) string {
	if len(s.text) > shortPage {
		return ""
	}
	heading, parts := plain(s.heading), titleParts(s.title)
	for _, p := range phrases {
		if heading == p || slices.Contains(parts, p) {
			return p
		}
		if len(s.text) <= tinyPage && (begins(s.text, p) || begins(heading, p) || begins(s.title, p)) {
			return p
		}
	}
	return ""
}

// begins reports whether a text begins with a phrase as a whole.
func begins(text, phrase string) bool {
	rest, ok := strings.CutPrefix(text, phrase)
	return ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
}

// login reports whether the page is a form to log in and little else: it has a field for a
// password, and the address that it was redirected to, its title or its heading says so.
func (s *sketch) login(r *Result) bool {
	if !s.password || len(s.text) > shortPage {
		return false
	}
	if len(r.Redirects) > 0 && isLoginPath(r.FinalURL) && !isLoginPath(r.Redirects[0].URL) {
		return true
	}
	// A page whose address names the form was meant to be the form.
	if isLoginPath(r.FinalURL) {
		return false
	}
	phrases := loginPhrases()
	return slices.Contains(phrases, plain(s.heading)) || slices.ContainsFunc(titleParts(s.title), func(p string) bool { return slices.Contains(phrases, p) })
}

func isLoginPath(address string) bool {
	_, path, _ := strings.Cut(strings.ToLower(address), "://")
	path, _, _ = strings.Cut(path, "?")
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '.' }) {
		switch segment {
		case "login", "log-in", "logon", "signin", "sign-in", "sign_in", "auth", "sso", "oauth", "oauth2", "authenticate", "idp", "saml", "anmelden", "connexion", "wp-login":
			return true
		}
	}
	return false
}

// titleParts splits a title at the signs between a page's name and its site's.
func titleParts(title string) []string {
	var parts []string
	for _, separator := range []string{" | ", " - ", " – ", " — ", " · ", " » ", " « ", " :: ", " / "} {
		title = strings.ReplaceAll(title, separator, "\x00")
	}
	for part := range strings.SplitSeq(title, "\x00") {
		if part = plain(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// plain takes signs off both ends, and exclamations off the start.
func plain(s string) string {
	const signs = " .,!?:;-–—…\"'()[]|*#。！"
	s = strings.Trim(strings.ReplaceAll(s, "’", "'"), signs)
	for _, exclamation := range []string{"oops", "whoops", "uh oh", "sorry", "error"} {
		if rest, ok := strings.CutPrefix(s, exclamation); ok && rest != "" && strings.ContainsRune("!.,:… ", rune(rest[0])) {
			if rest = strings.Trim(rest, signs); rest != "" && rest[0] != '4' && rest[0] != '5' {
				return rest
			}
		}
	}
	return s
}
