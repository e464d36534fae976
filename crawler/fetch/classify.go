package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// fault is an error whose reason is known where it arises.
type fault struct {
	reason Reason
	text   string
}

func (f *fault) Error() string { return f.text }

// The faults that the watch over time and size finds.
var (
	errTimeout  = &fault{Timeout, "the answer was not complete in time"}
	errSlowBody = &fault{SlowBody, "the body came too slowly"}
	errEndless  = &fault{Bomb, "the compressed body does not end"}
)

// reasonOf returns the reason of a request's error. Errors of net/http without a type are known by
// their text; the tests hold it.
func reasonOf(err error) Reason {
	if f, ok := errors.AsType[*fault](err); ok {
		return f.reason
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "awaiting response headers"):
		return HeaderTimeout
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork):
		return AddressRefused
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return NoHost
		}
		return DNS
	}
	if isCertificate(err) {
		return BadCertificate
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		switch op.Op {
		case "dial":
			return Unconnected
		case "proxyconnect", "socks connect":
			return ProxyFailed
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Cancelled // at last, since timeouts of the network pass for a context's too
	case strings.Contains(text, "TLS handshake"), strings.Contains(text, "tls: "):
		return TLS
	case strings.Contains(text, "response headers exceeded"):
		return HeaderTooLong
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), strings.Contains(text, "server closed idle connection"):
		return ClosedEarly
	case strings.Contains(text, "malformed"), strings.Contains(text, "Content-Length"),
		strings.Contains(text, "transfer encoding"), strings.Contains(text, "invalid header"), strings.Contains(text, "bad Content-Length"):
		return Malformed
	default:
		return Network
	}
}

func isCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

// bodyFault gives the error of a body its reason: what closed the connection early before the
// header, makes the body short behind it.
func bodyFault(err error) error {
	switch reasonOf(err) {
	case ClosedEarly:
		return &fault{ShortBody, "the body ended early: " + err.Error()}
	case Network, Malformed:
		return &fault{ShortBody, "the body broke off: " + err.Error()}
	}
	return err
}
