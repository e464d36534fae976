package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/strandlinehq/strandline/store"
)

// Webhook posts messages as JSON, with the headers of Standard Webhooks.
type Webhook struct {
	url    *url.URL
	keys   [][]byte
	agent  string
	client *http.Client
}

// errPrivate is the error of a connection that leads to a private address unasked.
var errPrivate = errors.New("leads to a private address; set private: true on the webhook if that is meant")

// NewWebhook returns a webhook. The secret holds one key or, while keys are changed,
// several with white space between them: each signs. A key that starts with whsec_ is
// base64 behind it; any other is taken as it stands. No secret sends unsigned. Private
// allows a host name that leads to a private address.
func NewWebhook(address, secret, agent string, private bool) (*Webhook, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("webhook: the address is not that of a web server")
	}
	w := &Webhook{url: u, agent: agent}
	for i, s := range strings.Fields(secret) {
		key := []byte(s)
		if rest, ok := strings.CutPrefix(s, "whsec_"); ok {
			if key, err = base64.StdEncoding.DecodeString(rest); err != nil || len(key) == 0 {
				return nil, fmt.Errorf("webhook: key %d of its secret file starts with whsec_ and is not base64 behind it", i+1)
			}
		}
		w.keys = append(w.keys, key)
	}
	host := u.Hostname()
	_, err = netip.ParseAddr(host)
	private = private || err == nil || strings.EqualFold(host, "localhost")
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if !private && (err != nil || inside(ap.Addr())) {
			return errPrivate
		}
		return nil
	}}
	w.client = &http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect is an answer other than 2xx
		},
	}
	return w, nil
}

// inside reports whether an address is none of the public web.
func inside(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast() || a.IsMulticast() || a.IsUnspecified() || shared().Contains(a)
}

// shared is the range of carriers' inner networks (RFC 6598).
func shared() netip.Prefix { return netip.MustParsePrefix("100.64.0.0/10") }

// Sign gives the signature of a body (Standard Webhooks, "Signature scheme"):
//
//	v1,base64(HMAC-SHA256(key, id + "." + timestamp + "." + body))
//
// with the timestamp in seconds since 1970, for each key, with spaces between them.
func Sign(keys [][]byte, id string, at time.Time, body []byte) string {
	all := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
		mac.Write(body)
		all[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(all, " ")
}

// Send posts a message. Answers other than 2xx are failures; 410 ends the message.
func (w *Webhook) Send(ctx context.Context, now time.Time, n store.Notification) error {
	body, err := pack(n)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.String(), bytes.NewReader(body))
	if err != nil {
		return &Refused{"the webhook's address cannot be used"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", w.agent)
	req.Header.Set("Webhook-Id", n.ID)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	if len(w.keys) > 0 {
		req.Header.Set("Webhook-Signature", Sign(w.keys, n.ID, now, body))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		if errors.Is(err, errPrivate) {
			return fmt.Errorf("%s %w", w.url.Hostname(), errPrivate)
		}
		return errors.New(line(fmt.Sprintf("%s: %v", w.url.Hostname(), cause(err)), w.url.String(), w.url.RequestURI()))
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	switch {
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusGone:
		return &Refused{w.url.Hostname() + " answered 410: it wants no more messages"}
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("%s answered %d; redirects are not followed: set the address that it leads to", w.url.Hostname(), resp.StatusCode)
	}
	reason := fmt.Sprintf("%s answered %d", w.url.Hostname(), resp.StatusCode)
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		return &Later{reason, min(time.Duration(min(seconds, 86400))*time.Second, maxPause)}
	}
	return errors.New(reason)
}
