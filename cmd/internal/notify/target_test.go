package notify

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

func sample(t testing.TB) store.Notification {
	t.Helper()
	out, err := Outgoing(notice.Message{ID: "msg_1", Kind: notice.KindTest, At: epoch, Source: "test", Title: "Title", Added: []string{"A sentence <b>."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store.Notification{ID: "msg_1", Kind: notice.KindTest, Payload: out.Payload, Created: epoch, Attempt: 1}
}

// TestSign holds the signature against the example of the Standard Webhooks libraries; openssl dgst -mac HMAC gives the same.
func TestSign(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := Sign([][]byte{key}, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	status := http.StatusNoContent
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7200")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	hook, err := NewWebhook(server.URL+"/secret-path", "first whsec_c2Vjb25k", "test/1", false)
	if err != nil {
		t.Fatal(err)
	}
	n := sample(t)
	if err := hook.Send(t.Context(), epoch, n); err != nil {
		t.Fatal(err)
	}
	want := Sign([][]byte{[]byte("first"), []byte("second")}, "msg_1", epoch, body)
	if got := header.Get("webhook-signature"); got != want || header.Get("webhook-id") != "msg_1" || header.Get("webhook-timestamp") != "1772366400" {
		t.Errorf("headers %v, want the signature %s", header, want)
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || e.ID != "msg_1" || e.Type != "strandline.test" || !strings.Contains(e.Text, "+ A sentence <b>.") {
		t.Errorf("body %s, %v", body, err)
	}
	var refused *Refused
	var later *Later
	status = http.StatusGone
	if err := hook.Send(t.Context(), epoch, n); !errors.As(err, &refused) {
		t.Errorf("410: %v", err)
	}
	status = http.StatusServiceUnavailable
	if err := hook.Send(t.Context(), epoch, n); !errors.As(err, &later) || later.After != 2*time.Hour {
		t.Errorf("503: %v", err)
	}
	status = http.StatusFound
	if err := hook.Send(t.Context(), epoch, n); err == nil || !strings.Contains(err.Error(), "redirects are not followed") {
		t.Errorf("302: %v", err)
	}
	server.Close()
	if err := hook.Send(t.Context(), epoch, n); err == nil || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("no server: %v", err)
	}
}

// TestPrivateAddress leads a public name to the machine itself.
func TestPrivateAddress(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []bool{false, true} {
		hook, err := NewWebhook("http://hooks.example.org:"+port+"/", "", "test/1", private)
		if err != nil {
			t.Fatal(err)
		}
		transport, ok := hook.client.Transport.(*http.Transport)
		if !ok {
			t.Fatal("no transport")
		}
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dial(ctx, network, "127.0.0.1:"+port) // as a resolver would
		}
		err = hook.Send(t.Context(), epoch, sample(t))
		if (err == nil) != private || reached != private {
			t.Errorf("private %v: reached %v, error %v", private, reached, err)
		}
		if !private && (err == nil || !strings.Contains(err.Error(), "private: true")) {
			t.Errorf("the error says not what to do: %v", err)
		}
	}
}

func TestBadSecret(t *testing.T) {
	t.Parallel()
	if _, err := NewWebhook("https://a.example/", "whsec_###", "", false); err == nil || strings.Contains(err.Error(), "###") {
		t.Errorf("error %v", err)
	}
}

// script writes a program.
func script(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgram(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	if err := NewProgram([]string{script(t, `cat > "$1"`), out}).Send(t.Context(), epoch, sample(t)); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || !json.Valid(got) {
		t.Errorf("got %s, %v", got, err)
	}
	err = NewProgram([]string{script(t, "echo wrong >&2\nexit 3")}).Send(t.Context(), epoch, sample(t))
	if err == nil || err.Error() != "program: exit status 3: wrong" {
		t.Errorf("exit 3: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := NewProgram([]string{script(t, "sleep 60 & wait")}).Send(ctx, epoch, sample(t)); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("a program that hangs: %v", err)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.ndjson")
	for range 2 {
		if err := NewFile(path).Send(t.Context(), epoch, sample(t)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if lines := strings.Split(string(got), "\n"); err != nil || len(lines) != 3 || lines[0] != lines[1] || !json.Valid([]byte(lines[0])) {
		t.Errorf("file %q, %v", got, err)
	}
}

// TestServiceKeepsSecrets sends to services that do not answer or do not exist.
func TestServiceKeepsSecrets(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"gotify://127.0.0.1:9/Aaa.bbb.ccc.ddd?disabletls=yes", "generic://user:hunter2@127.0.0.1:9/Aaa.bbb.ccc.ddd?disabletls=yes",
		"nothing://hunter2/Aaa.bbb.ccc.ddd", "slack://hunter2-Aaa.bbb.ccc.ddd",
	} {
		s, err := NewService(address)
		if err == nil {
			err = s.Send(t.Context(), epoch, sample(t))
		}
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "Aaa") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestServiceSends sends by the library to a server of ours.
func TestServiceSends(t *testing.T) {
	t.Parallel()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) }))
	defer server.Close()
	s, err := NewService("generic://" + server.Listener.Addr().String() + "/?disabletls=yes&template=json")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), epoch, sample(t)); err != nil || !strings.Contains(string(body), "A sentence") {
		t.Errorf("body %s, %v", body, err)
	}
}
