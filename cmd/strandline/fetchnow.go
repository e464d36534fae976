package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/strandlinehq/strandline/cmd/internal/control"
	"github.com/strandlinehq/strandline/crawler/canonical"
	"github.com/strandlinehq/strandline/store"
)

const (
	// holdWait is how long a fetch by hand waits for the daemon to have its leases, and measureWait how
	// long for the change that it brought to be measured; both in the machine's time.
	holdWait    = 15 * time.Second
	measureWait = 10 * time.Second
	handLook    = 50 * time.Millisecond // how often it looks
)

// Fetch fetches a page for a person who asks on the control socket. It passes the gate and the cache of
// robots.txt of all other fetches of the daemon, and what it brings is measured with them.
func (s *service) Fetch(ctx context.Context, r control.FetchRequest) control.Fetched {
	own := databaseKey(s.url)
	if s.server != nil {
		own = ""
	}
	if r.Database != own {
		return control.Fetched{Elsewhere: true}
	}
	report, err := s.fetchNow(ctx, r.URL)
	if err != nil {
		return control.Fetched{Error: err.Error()}
	}
	text, err := json.Marshal(report)
	if err != nil {
		return control.Fetched{Error: err.Error()}
	}
	return control.Fetched{Report: text}
}

func (s *service) fetchNow(ctx context.Context, asked string) (*fetchReport, error) {
	if reason := s.disk.Reason(); reason != "" {
		return nil, errors.New(reason)
	}
	url, err := s.reader.Canonical(asked)
	if err != nil {
		return nil, err
	}
	facts, err := canonical.FactsOf(url)
	if err != nil {
		return nil, err
	}
	bucket := int32(facts.Bucket)
	if err := s.holdFor(ctx, bucket, facts.Host); err != nil {
		return nil, err
	}
	defer s.daemon.Free(bucket)
	res, stored, err := s.fetchByHand(ctx, s.fetcher, url)
	if err != nil {
		return nil, err
	}
	if stored.Outcome == store.Changed {
		err := until(ctx, measureWait, func() (bool, error) {
			v, err := s.VersionNumber(ctx, stored.Page, stored.Version)
			return v.Dice != nil, err
		})
		if err != nil && !errors.Is(err, errWaited) {
			return nil, err
		}
	}
	return s.report(ctx, url, res, stored)
}

// holdFor holds the bucket of a host, once the daemon has leases; another daemon's it does not get.
func (s *service) holdFor(ctx context.Context, bucket int32, host string) error {
	err := until(ctx, holdWait, func() (bool, error) {
		if s.daemon.Hold(bucket) {
			return true, nil
		}
		owner, err := s.BucketOwner(ctx, bucket, s.clock.Now())
		switch {
		case errors.Is(err, store.ErrNotFound):
			return false, nil
		case err != nil:
			return false, err
		case owner.ID != s.daemon.Health().Daemon && lives(owner):
			return false, crawledBy(host, owner)
		}
		return false, nil
	})
	if errors.Is(err, errWaited) {
		return errors.New("the daemon has no lease of the page's host yet; try again")
	}
	return err
}

// errWaited is the error of a wait that was too long.
var errWaited = errors.New("waited too long")

// until asks again and again, for a time of the machine, until the answer is true or an error.
func until(ctx context.Context, limit time.Duration, ask func() (bool, error)) error {
	over := time.After(limit)
	look := time.NewTicker(handLook)
	defer look.Stop()
	for {
		if ok, err := ask(); ok || err != nil {
			return err
		}
		select {
		case <-look.C:
		case <-over:
			return errWaited
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
