package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/strandlinehq/strandline/configs"
)

// TestLogForms writes the same lines in each form, a secret among them.
func TestLogForms(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		logText:    "level=WARN msg=late pages=3\n",
		logJournal: "<6>msg=start url=[redacted]\n<4>msg=late pages=3\n<3>msg=broken daemon=2 error=\"no room\"\n",
	} {
		var b strings.Builder
		log := newLogger(form, false, &b)
		log.Debug("not seen")
		log.Info("start", "url", configs.Secret("postgres://u:hunter2@h/d"))
		log.Warn("late", "pages", 3)
		log.With("daemon", 2).Error("broken", "error", errors.New("no room"))
		if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "hunter2") || strings.Contains(b.String(), "not seen") {
			t.Errorf("%s:\n%s", form, b.String())
		}
	}
	var b strings.Builder
	newLogger(logJSON, true, &b).Debug("seen", "url", configs.Secret("hunter2"))
	var line struct{ Level, Msg, URL string }
	if err := json.Unmarshal([]byte(b.String()), &line); err != nil || line.Level != "DEBUG" || line.Msg != "seen" || line.URL != "[redacted]" {
		t.Errorf("%s: %+v, %v", b.String(), line, err)
	}
}
