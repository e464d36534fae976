package archive

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/strandlinehq/strandline/crawler/fetch"
)

// origPrefix marks the fields that the watched site sent, in the answers of
// archives that keep them apart from their own.
const origPrefix = "X-Archive-Orig-"

// kept are the fields of an answer that speak of the payload, where an archive
// does not tell its own from those of the site.
var kept = [...]string{"Content-Type", "Content-Language", "Last-Modified", "Etag"}

func statusLine(status int) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n\r\n", status, http.StatusText(status))
}

// archivedHead is the head that the site sent, as far as the archive's answer
// tells it. Codings and lengths go: the payload is stored without codings.
func archivedHead(res *fetch.Result) []byte {
	head := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", res.Status, http.StatusText(res.Status))
	field := func(name, value string) { head = fmt.Appendf(head, "%s: %s\r\n", name, value) }
	found := false
	typed := false
	for line := range strings.SplitSeq(string(res.Head), "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		if !ok || len(name) <= len(origPrefix) || !strings.EqualFold(name[:len(origPrefix)], origPrefix) {
			continue
		}
		found = true
		switch name = http.CanonicalHeaderKey(name[len(origPrefix):]); name {
		case "Content-Encoding", "Transfer-Encoding", "Content-Length":
		default:
			typed = typed || name == "Content-Type"
			field(name, strings.TrimSpace(value))
		}
	}
	for _, name := range kept {
		if value := res.Header.Get(name); value != "" && (!found || name == "Content-Type" && !typed) {
			field(name, value)
		}
	}
	return append(head, "\r\n"...)
}
