package dom

import (
	"strconv"
	"strings"
)

// step is one element of a full path.
type step struct {
	tag string
	nth int // among siblings of the tag, from 0
}

// stepText returns the text of a step in a full path.
func stepText(tag string, nth int) string {
	return "/" + escapeTag(tag) + "[" + strconv.Itoa(nth) + "]"
}

const special = "%[]"

// escapeTag makes a tag fit for a path.
func escapeTag(tag string) string {
	if !strings.ContainsAny(tag, special) {
		return tag
	}
	return strings.NewReplacer("%", "%25", "[", "%5B", "]", "%5D").Replace(tag)
}

func unescapeTag(tag string) string {
	return strings.NewReplacer("%25", "%", "%5B", "[", "%5D", "]").Replace(tag)
}

// parsePath takes a full path apart.
func parsePath(p string) ([]step, bool) {
	var out []step
	for p != "" {
		end := strings.IndexByte(p, ']')
		open := strings.IndexByte(p, '[')
		if p[0] != '/' || open < 2 || end < open+2 || strings.IndexByte(p[1:open], '/') >= 0 {
			return nil, false
		}
		n, err := strconv.ParseUint(p[open+1:end], 10, 31)
		if err != nil {
			return nil, false
		}
		out = append(out, step{unescapeTag(p[1:open]), int(n)})
		p = p[end+1:]
	}
	return out, len(out) > 0
}

// parentOf cuts the last step off a full path.
func parentOf(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// XPath turns a full path into the XPath of the same element, whose indices
// count from 1. ok is false for what is no full path, and for one with a tag
// whose name XPath cannot write.
func XPath(fullPath string) (xpath string, ok bool) {
	steps, ok := parsePath(fullPath)
	if !ok {
		return "", false
	}
	var b strings.Builder
	for _, s := range steps {
		if !isName(s.tag) {
			return "", false
		}
		b.WriteString("/" + s.tag + "[" + strconv.Itoa(s.nth+1) + "]")
	}
	return b.String(), true
}

// isName reports whether XPath takes s for a name; of what is not ASCII it is
// believed.
func isName(s string) bool {
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_', r >= 0x80:
		case i > 0 && ('0' <= r && r <= '9' || r == '-' || r == '.'):
		default:
			return false
		}
	}
	return s != ""
}
