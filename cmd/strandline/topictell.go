package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/strandlinehq/strandline/cmd/internal/digest"
	"github.com/strandlinehq/strandline/cmd/internal/notify"
	"github.com/strandlinehq/strandline/configs"
	"github.com/strandlinehq/strandline/monitor/notice"
	"github.com/strandlinehq/strandline/store"
)

// mostTold bounds the periods that are told in one look at a topic.
const mostTold = 100

// tellTopic puts the summaries of the periods that a topic has closed into the outbox, one
// message a period, for the targets that its configuration names. What has been told is noted in
// the same transaction, and the message's id is made of topic and period: however often and by
// whomever this is called, and wherever it is killed, a target has one message of a period. A topic that
// tells nobody passes its periods over, so that a target named later gets what is new from then on.
func (s *service) tellTopic(ctx context.Context, t store.Topic, c *configs.Topic, base string) error {
	periods, err := s.Untold(ctx, t.ID, mostTold)
	if err != nil {
		return err
	}
	for _, p := range periods {
		var messages []store.Outgoing
		if c.Notify != nil {
			sum, err := digest.Read(ctx, s.DB, t, p.From, digest.Options{Context: c.Summary.Context, Base: base})
			if errors.Is(err, store.ErrNotFound) {
				return nil // it is being computed anew; the next look tells it
			}
			if err != nil {
				return err
			}
			m, err := summaryMessage(t, sum)
			if err != nil {
				return err
			}
			out, err := notify.Outgoing(m, targetNames(c.Notify.To))
			if err != nil {
				return err
			}
			messages = append(messages, out)
		}
		if _, err := s.TellTopic(ctx, t.ID, p.To, s.clock.Now(), messages...); err != nil {
			return err
		}
	}
	return nil
}

// summaryMessage is a summary as a message.
func summaryMessage(t store.Topic, sum *digest.Summary) (notice.Message, error) {
	var text, page strings.Builder
	if err := sum.Text(&text); err != nil {
		return notice.Message{}, fmt.Errorf("write summary of %s: %w", t.Name, err)
	}
	if err := sum.HTML(&page); err != nil {
		return notice.Message{}, err
	}
	_, body, _ := strings.Cut(text.String(), "\n") // its first line is the subject
	return notice.Message{
		ID: notice.ID(notice.KindSummary, t.ID, t.Name, sum.From), Kind: notice.KindSummary, At: sum.To, Source: "topic " + t.Name,
		Title: sum.Topic + ": " + sum.Span(), Body: body, HTML: page.String(), Link: sum.Link(),
	}, nil
}
