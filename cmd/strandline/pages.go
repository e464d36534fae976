package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/strandlinehq/strandline/cmd/internal/web"
	"github.com/strandlinehq/strandline/configs"
)

// serve opens the address of the web pages, which run then answers on, and returns
// it as a person types it.
func (s *service) serve(ctx context.Context, listen string) (string, error) {
	access, err := access(&s.config.HTTP, listen)
	if err != nil {
		return "", err
	}
	version, _ := programVersion()
	s.pages, err = web.New(web.Options{
		Store: s.DB, Now: s.clock.Now, Logger: s.app.log, Access: access, Version: version, Ready: s.unready, Canonical: s.reader.Canonical, Metrics: s.metrics, Notice: s.notice,
	})
	if err != nil {
		return "", err
	}
	if s.listener, err = web.Listen(ctx, listen); err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/", nil
}

// access reads who may use the pages.
func access(h *configs.HTTP, listen string) (web.Access, error) {
	out := web.Access{UserHeader: h.UserHeader, Editors: h.Editors}
	for _, n := range h.TrustedProxies {
		out.TrustedProxies = append(out.TrustedProxies, n.Prefix)
	}
	for _, t := range []struct {
		file configs.SecretFile
		into *string
	}{{h.TokenFile, &out.ViewerToken}, {h.EditorTokenFile, &out.EditorToken}} {
		if t.file == "" {
			continue
		}
		secret, err := t.file.Read(os.Getenv("CREDENTIALS_DIRECTORY"))
		if err != nil {
			return out, usageError{err}
		}
		*t.into = secret.Reveal()
	}
	if host, _, err := net.SplitHostPort(listen); err == nil {
		if _, err := netip.ParseAddr(host); err != nil {
			out.Name = host
		}
	}
	return out, nil
}

// unready says why the daemon does not do its work now.
func (s *service) unready(context.Context) []string {
	h := s.daemon.Health()
	out := []string{}
	if !h.Ready() {
		if !h.AwaySince.IsZero() {
			out = append(out, fmt.Sprintf("the daemon has not reached the database since %s; %d fetches wait to be stored", stamp(h.AwaySince), h.Unstored))
		} else {
			out = append(out, "the daemon is starting")
		}
	}
	if reason := s.disk.Reason(); reason != "" {
		out = append(out, reason)
	}
	return out
}
