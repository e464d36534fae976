// Package notify tells people and programs what happened: it judges measured changes
// by the conditions of their watches, puts messages into the store's outbox, and
// delivers what is in there.
//
// The main types are Judge, which writes messages, and Sender, which delivers them to
// Targets: webhooks, services by URL, programs and files. The two meet in the database
// only. A message is written in the transaction that takes its cause out of a queue,
// and its id is made of what it tells, so it is neither lost nor written twice. A
// sender that is killed between an attempt and its record makes the attempt again
// with the same id: a target sees a message once, or after a kill twice.
//
// # Where messages may go
//
// Targets come from the configuration alone; no page and no message can name one. So
// an address is as trustworthy as its operator, with two exceptions that a webhook
// closes: the name of a public host that is led to a private address, by whoever runs
// its zone, is refused when it is connected to, unless the target says private; and
// redirects are not followed. A literal address and the name localhost count as said. Services by URL are
// sent to as their library does it: what their URL names is reached.
//
// Left out: the rules themselves (package monitor/notice) and the tables (store).
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// Target is a place that takes messages.
type Target interface {
	// Send delivers a message, at the time now of the message's world. An error is in
	// one line and holds no secrets.
	Send(ctx context.Context, now time.Time, n store.Notification) error
}

// Refused is the error of a target that will never take a message; it is not tried again.
type Refused struct{ Reason string }

// Error gives the reason.
func (r *Refused) Error() string { return r.Reason }

// Later is the error of a target that asks for a pause.
type Later struct {
	Reason string
	After  time.Duration
}

// Error gives the reason.
func (l *Later) Error() string { return l.Reason }

// Outgoing packs a message for the outbox.
func Outgoing(m notice.Message, to []string) (store.Outgoing, error) {
	payload, err := json.Marshal(m)
	if err != nil {
		return store.Outgoing{}, fmt.Errorf("pack message: %w", err)
	}
	return store.Outgoing{ID: m.ID, Kind: m.Kind, Source: m.Source, URL: m.URL, Title: m.Subject(), Payload: payload, Targets: to}, nil
}

// Put writes a message for targets into the outbox. One with the id of an earlier
// message is left out. It is for what is no change of a watch, such as the summary of a topic.
func Put(ctx context.Context, db *store.DB, now time.Time, m notice.Message, to []string) error {
	out, err := Outgoing(m, to)
	if err != nil {
		return err
	}
	return db.Enqueue(ctx, now, out)
}

// envelope is what programs get (Standard Webhooks, "Payload").
type envelope struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Timestamp time.Time       `json:"timestamp"` // when the message was written
	Subject   string          `json:"subject"`
	Text      string          `json:"text"` // for a person
	Data      json.RawMessage `json:"data"`
}

// pack writes what programs get. It is the same in each attempt.
func pack(n store.Notification) ([]byte, error) {
	m, err := unpack(n)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{"strandline." + n.Kind, n.ID, n.Created.UTC(), m.Subject(), m.Text(), n.Payload})
}

func unpack(n store.Notification) (*notice.Message, error) {
	var m notice.Message
	if err := json.Unmarshal(n.Payload, &m); err != nil {
		return nil, &Refused{"the stored message cannot be read: " + err.Error()}
	}
	return &m, nil
}

// line makes an error fit to be shown: one line, not long, without the secrets.
func line(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) > 3 {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return notice.Shorten(text, 300)
}

// cause is what stands below the addresses that net/http and net put before an error.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
