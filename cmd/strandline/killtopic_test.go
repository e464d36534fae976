package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestKilledSummaries kills a daemon several times while it makes up for a hundred periods and tells them:
// in the end each period is there once, and each target has one message of it.
func TestKilledSummaries(t *testing.T) {
	t.Parallel()
	const kills = 3
	w := newTopicWorld(t)
	w.configure(fmt.Sprintf(floodTopic, w.dir))
	d := w.daemon()
	program := programPath(t)
	w.configure(strings.Replace(fmt.Sprintf(floodTopic, w.dir), "127.0.0.1:8080", "127.0.0.1:0", 1))
	// It was formed, of pages that are gone, and stopped a hundred days ago.
	if _, err := d.Pool().Exec(t.Context(), `
		update core.topic set clicks = 0, formed_at = x.day, starts_at = x.day, told_until = x.day
		from (select date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '100 days' as day) x`); err != nil {
		t.Fatal(err)
	}
	count := func(what string) (n int) {
		t.Helper()
		if err := d.Pool().QueryRow(t.Context(), `select count(*) from `+what).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	midway := 0
	limit := time.After(5 * time.Minute) // a busy machine
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for life := range kills + 1 {
		done := func() bool {
			return count("core.outbox") >= 200 && count("core.outbox where delivered_at is null") == 0
		}
		if life < kills { // the first dies among the periods, the others among the messages
			least, table := 30, "core.topic_period"
			if life > 0 {
				least, table = 60*life, "core.outbox"
			}
			done = func() bool { return count(table) >= least }
		}
		daemon := exec.CommandContext(t.Context(), program, "--config", w.config, "--database", w.database, "--state-dir", w.dir, "run")
		if err := daemon.Start(); err != nil {
			t.Fatal(err)
		}
		for !done() {
			select {
			case <-look.C:
			case <-limit:
				t.Fatalf("life %d: %d periods, %d messages", life, count("core.topic_period"), count("core.outbox"))
			}
		}
		if life < kills {
			_ = daemon.Process.Kill()
			_ = daemon.Wait()
			if n := count("core.topic_period"); n < 100 || count("core.outbox") < 200 {
				midway++
			}
			continue
		}
		_ = daemon.Process.Signal(os.Interrupt)
		if err := daemon.Wait(); err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	}
	d.want("periods, distinct starts and ends", []string{"100 100 100"},
		`select count(*) || ' ' || count(distinct period_start) || ' ' || count(distinct period_end) from core.topic_period`)
	d.want("messages of each target", []string{"desk 100 100", "log 100 100"},
		`select target || ' ' || count(*) || ' ' || count(distinct title) from core.outbox group by target order by 1`)
	if midway == 0 {
		t.Error("no kill came midway, so nothing was tested")
	}
	t.Logf("%d of %d kills came midway", midway, kills)
}
