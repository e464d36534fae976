package notify

import (
	"bufio"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// mailServer takes one mail as an SMTP server does (RFC 5321) and gives its lines.
func mailServer(t *testing.T) (address string, mail <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	got := make(chan string, 1)
	go func() {
		defer close(got)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewScanner(conn)
		fmt.Fprint(conn, "220 mail.test\r\n")
		for in.Scan() {
			switch verb, _, _ := strings.Cut(strings.ToUpper(in.Text()), " "); verb {
			case "DATA":
				fmt.Fprint(conn, "354 go on\r\n")
				var b strings.Builder
				for in.Scan() && in.Text() != "." {
					b.WriteString(in.Text() + "\n")
				}
				got <- b.String()
				fmt.Fprint(conn, "250 taken\r\n")
			case "QUIT":
				fmt.Fprint(conn, "221 bye\r\n")
				return
			default:
				fmt.Fprint(conn, "250 ok\r\n")
			}
		}
	}()
	return l.Addr().String(), got
}

// TestMail sends what a page says by mail: as text it stands as it is, and in a mail of
// HTML nothing of it becomes markup.
func TestMail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, query string
		want, never string
	}{
		{"text", "", "<img src=x onerror=alert(1)>", "&lt;img"},
		{"html", "&usehtml=yes", "&lt;img src=x onerror=alert(1)&gt;", "<img"},
		{"html by another spelling", "&useHTML=true", "&lt;img src=x onerror=alert(1)&gt;", "<img"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address, mail := mailServer(t)
			s, err := NewService("smtp://" + address + "/?fromaddress=strandline@mail.test&toaddresses=someone@mail.test&auth=None&encryption=None&usestarttls=no" + c.query)
			if err != nil {
				t.Fatal(err)
			}
			out, err := Outgoing(notice.Message{ID: "msg_1", Kind: notice.KindTest, At: epoch, Title: "A title <img src=x onerror=alert(1)> of a page"}, []string{"mail"})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Send(t.Context(), epoch, store.Notification{ID: out.ID, Kind: out.Kind, Title: out.Title, Payload: out.Payload, Created: epoch, Attempt: 1}); err != nil {
				t.Fatal(err)
			}
			head, body, _ := strings.Cut(<-mail, "\n\n")
			if strings.Contains(strings.ToLower(head), "quoted-printable") {
				plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))
				if err != nil {
					t.Fatal(err)
				}
				body = string(plain)
			}
			if !strings.Contains(body, c.want) || strings.Contains(body, c.never) {
				t.Errorf("the mail has to say %q and not %q:\n%s\n\n%s", c.want, c.never, head, body)
			}
		})
	}
}
