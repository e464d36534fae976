package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	yaml "go.yaml.in/yaml/v4"
)

// readUrlwatch reads the jobs of urlwatch: a YAML document each.
func readUrlwatch(data []byte, d Defaults) (Plan, error) {
	p := Plan{Notes: []string{"urlwatch runs when cron starts it; set the schedules."}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for n := 1; ; n++ {
		var job map[string]any
		err := dec.Decode(&job)
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return p, fmt.Errorf("job %d: not a job of urlwatch: %w", n, err)
		}
		if len(job) == 0 {
			continue
		}
		if job["url"] == nil && job["navigate"] == nil && job["command"] == nil {
			return p, fmt.Errorf("job %d: not a job of urlwatch: it has none of url, navigate and command", n)
		}
		w := Watch{Name: fmt.Sprintf("job-%d", n), Schedule: d.Schedule}
		for _, key := range slices.Sorted(maps.Keys(job)) {
			w.urlwatch(key, job[key])
		}
		p.Watches = append(p.Watches, w)
	}
}

// urlwatch takes one key of a job.
func (w *Watch) urlwatch(key string, value any) {
	text, isText := value.(string)
	switch {
	case key == "name" && isText:
		w.Name = text
	case key == "url" && isText:
		w.URLs = append(w.URLs, text)
	case key == "navigate" && isText:
		w.URLs = append(w.URLs, text)
		w.note("navigate: the page was rendered by a browser; here it is read as it is sent")
	case key == "enabled" && value == false:
		w.Paused = true
	case key == "filter":
		steps, ok := value.([]any)
		if !ok {
			steps = []any{value}
		}
		for _, s := range steps {
			w.filter(s)
		}
	default:
		w.other(key, value)
	}
}

// filter takes one step of the filters of a job: what leaves parts out becomes an
// ignore rule.
func (w *Watch) filter(step any) {
	m, ok := step.(map[string]any)
	if !ok {
		// The name of a step alone, or steps of old as one text, which may start programs.
		if text, isText := step.(string); isText && plain("filter "+text) {
			w.note("filter is not taken over: %s", text)
		} else {
			w.other("filter", step)
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		text, isText := m[name].(string)
		options, _ := m[name].(map[string]any)
		exclude, excludes := options["exclude"].(string)
		switch {
		case name == "grepvi" && isText:
			w.Ignore = append(w.Ignore, "/.*(?:"+text+").*/")
		case name == "css" && excludes:
			w.Ignore = append(w.Ignore, exclude)
			w.other("filter css", options)
		default:
			w.other("filter "+name, m[name])
		}
	}
}

// other notes a setting that has no counterpart. Values may be secrets, and what was printed goes to a file that
// others may read: the value is shown of those settings alone that are known to hold none.
func (w *Watch) other(key string, value any) {
	if !plain(key) {
		if m, ok := value.(map[string]any); ok {
			w.note("%s is not taken over: %s", key, strings.Join(slices.Sorted(maps.Keys(m)), ", "))
		} else {
			w.note("%s is not taken over", key)
		}
		return
	}
	b, err := json.Marshal(value)
	if err != nil {
		b = fmt.Append(nil, value)
	}
	const most = 300
	if len(b) > most {
		b = append(b[:most:most], "..."...)
	}
	w.note("%s is not taken over: %s", key, b)
}

// plain reports a setting that holds no secret: how a page is read and what of it counts. Programs, headers, cookies,
// bodies, proxies, steps of a browser and addresses of messages are none of them.
func plain(key string) bool {
	switch key {
	// Of urlwatch; a step of a filter may also be a program (execute, shellpipe).
	case "filter css", "filter xpath", "filter element-by-id", "filter element-by-class", "filter element-by-style", "filter element-by-tag",
		"filter html2text", "filter grep", "filter grepvi", "filter strip", "filter striplines", "filter sort", "filter re.sub", "filter format-json",
		"filter beautify", "filter reverse", "filter remove-duplicate-lines", "kind", "timeout", "encoding", "max_tries", "compared_versions",
		"ignore_cached", "ignore_connection_errors", "ignore_http_error_codes", "ignore_timeout_errors", "ignore_too_many_redirects", "wait_until":
		return true
	// Of changedetection.io.
	case "tag", "tags", "fetch_backend", "method", "processor", "time_between_check", "include_filters", "css_filter", "trigger_text", "extract_text",
		"text_should_not_be_present", "filter_text_added", "filter_text_removed", "filter_text_replaced", "check_unique_lines", "sort_text_alphabetically",
		"trim_text_whitespace", "remove_duplicate_lines", "ignore_status_codes", "webdriver_delay":
		return true
	}
	return false
}

// readChangedetection reads url-watches.json of changedetection.io, or a backup
// that holds it.
func readChangedetection(data []byte, d Defaults) (Plan, error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		var err error
		if data, err = unzip(data, "url-watches.json"); err != nil {
			return Plan{}, err
		}
	}
	var doc struct {
		Watching map[string]map[string]any `json:"watching"`
		Settings struct {
			Requests struct {
				Every map[string]any `json:"time_between_check"`
			} `json:"requests"`
		} `json:"settings"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return Plan{}, fmt.Errorf("not url-watches.json of changedetection.io: %w", err)
	}
	if doc.Watching == nil {
		return Plan{}, errors.New(`not url-watches.json of changedetection.io: it has no "watching"`)
	}
	var p Plan
	if s, ok := every(doc.Settings.Requests.Every); ok {
		d.Schedule = s
	}
	for _, id := range slices.Sorted(maps.Keys(doc.Watching)) {
		job := doc.Watching[id]
		w := Watch{Name: "watch-" + id, Schedule: d.Schedule}
		if url, ok := job["url"].(string); ok {
			w.Name = strings.TrimPrefix(strings.TrimPrefix(withoutUser(url), "https://"), "http://")
		}
		for _, key := range slices.Sorted(maps.Keys(job)) {
			w.changedetection(key, job[key])
		}
		p.Watches = append(p.Watches, w)
	}
	return p, nil
}

// changedetection takes one key of a watch there.
func (w *Watch) changedetection(key string, value any) {
	if empty(value) {
		return // at its default
	}
	text, isText := value.(string)
	switch {
	case key == "url" && isText:
		w.URLs = append(w.URLs, text)
	case key == "title" && isText:
		w.Name = text
	case key == "time_between_check":
		m, _ := value.(map[string]any)
		if s, ok := every(m); ok {
			w.Schedule = s
		} else if slices.ContainsFunc(slices.Collect(maps.Values(m)), func(v any) bool { return !empty(v) }) {
			w.other(key, value)
		}
	case key == "subtractive_selectors":
		w.Ignore = append(w.Ignore, texts(value)...)
	case key == "ignore_text":
		for _, t := range texts(value) {
			if len(t) > 2 && t[0] == '/' && t[len(t)-1] == '/' {
				w.Ignore = append(w.Ignore, t)
				continue
			}
			w.Ignore = append(w.Ignore, "/(?i).*"+regexp.QuoteMeta(t)+".*/")
		}
	case key == "paused":
		w.Paused = true
	default:
		w.other(key, value)
	}
}

// empty tells values that say nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func texts(v any) []string {
	var out []string
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		if s, ok := item.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// every makes a schedule of a length of time given by units, written in the largest that it is a whole number of.
func every(units map[string]any) (string, bool) {
	const longest = 10 * 366 * 24 * time.Hour
	var sum float64
	for unit, length := range map[string]time.Duration{"weeks": 7 * 24 * time.Hour, "days": 24 * time.Hour, "hours": time.Hour, "minutes": time.Minute, "seconds": time.Second} {
		if n, ok := units[unit].(float64); ok && n > 0 {
			sum += n * length.Seconds()
		}
	}
	if sum < 1 || sum > longest.Seconds() {
		return "", false
	}
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"d", 24 * 60 * 60}, {"h", 60 * 60}, {"m", 60}} {
		if n := int64(sum); n%unit.seconds == 0 {
			return fmt.Sprintf("@every %d%s", n/unit.seconds, unit.name), true
		}
	}
	return fmt.Sprintf("@every %ds", int64(sum)), true
}

// unzip reads the file of a name from an archive, in whichever folder.
func unzip(data []byte, name string) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not a zip: %w", err)
	}
	for _, f := range z.File {
		if path.Base(f.Name) != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s in the zip: %w", f.Name, err)
		}
		b, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("%s in the zip: %w", f.Name, err)
		}
		if len(b) > MaxSize {
			return nil, fmt.Errorf("%s in the zip: more than %d MiB", f.Name, MaxSize>>20)
		}
		return b, nil
	}
	return nil, fmt.Errorf("the zip has no %s", name)
}
