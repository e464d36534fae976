package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// benchSite is the simulated web that a benchmark crawls.
type benchSite struct {
	proxy string
	pid   int // 0: not known
	urls  []string
	sizes [2]int64 // mean bytes of a page, plain and compressed; 0: not known
	// turn makes every page another one; round counts from 0.
	turn func(ctx context.Context, round int) error
	stop func() error
}

// ownSite starts this program once more as the server.
func ownSite(ctx context.Context, pages, rounds, size int) (*benchSite, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start the server of the pages: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, "bench-web", fmt.Sprint("--pages=", pages), fmt.Sprint("--rounds=", rounds), fmt.Sprint("--size=", size))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server of the pages: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server of the pages: %w", err)
	}
	stop := func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = cmd.Wait()                          // its status says that it was told to
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = stop()
		return nil, fmt.Errorf("start the server of the pages: %w", err)
	}
	s := &benchSite{proxy: strings.TrimSpace(line), pid: cmd.Process.Pid, stop: stop}
	list, err := askSite(ctx, http.MethodGet, s.proxy+"/pages")
	if err == nil {
		s.urls = strings.Fields(list)
		list, err = askSite(ctx, http.MethodGet, s.proxy+"/sizes")
	}
	if err == nil {
		_, err = fmt.Sscan(list, &s.sizes[0], &s.sizes[1])
	}
	if err != nil {
		_ = stop()
		return nil, fmt.Errorf("ask the server of the pages: %w", err)
	}
	s.turn = func(ctx context.Context, round int) error {
		_, err := askSite(ctx, http.MethodPost, fmt.Sprintf("%s/round/%d", s.proxy, round))
		return err
	}
	return s, nil
}

// foreignSite uses a simulated web that somebody else runs: a proxy that serves
// it, and an address under which GET /seeds?all=1 lists pages and GET
// /clock?set=TIME&speed=0 sets its time.
func foreignSite(ctx context.Context, proxy, admin string, pages int, at time.Time, step time.Duration) (*benchSite, error) {
	s := &benchSite{proxy: proxy, stop: func() error { return nil }}
	s.turn = func(ctx context.Context, round int) error {
		when := at.Add(time.Duration(round) * step).UTC().Format(time.RFC3339)
		_, err := askSite(ctx, http.MethodGet, admin+"/clock?speed=0&set="+url.QueryEscape(when))
		return err
	}
	if err := s.turn(ctx, 0); err != nil {
		return nil, err
	}
	list, err := askSite(ctx, http.MethodGet, admin+"/seeds?all=1")
	if err != nil {
		return nil, err
	}
	s.urls = inTurns(strings.Fields(list), pages)
	if len(s.urls) == 0 {
		return nil, fmt.Errorf("%s/seeds lists no pages", admin)
	}
	return s, nil
}

// inTurns takes a number of pages, one of each host after the other, as the daemon fetches one
// page of a host at a time and puts off what its queue of a host does not hold.
func inTurns(list []string, pages int) []string {
	var hosts []string
	byHost := map[string][]string{}
	for _, address := range list {
		u, err := url.Parse(address)
		if err != nil || strings.Contains(u.Path, "/private/") {
			continue
		}
		if byHost[u.Host] == nil {
			hosts = append(hosts, u.Host)
		}
		byHost[u.Host] = append(byHost[u.Host], address)
	}
	var out []string
	for round := 0; len(out) < pages; round++ {
		before := len(out)
		for _, h := range hosts {
			if round < len(byHost[h]) && len(out) < pages {
				out = append(out, byHost[h][round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

func askSite(ctx context.Context, method, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", address, resp.Status, strings.TrimSpace(string(b)))
	}
	return string(b), err
}
