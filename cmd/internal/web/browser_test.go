package web_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/strandlinehq/strandline/internal/need"
)

// screenshotsVar names the environment variable with a folder for screenshots.
const screenshotsVar = "STRANDLINE_SCREENSHOTS"

// chromium finds the browser. A machine without it skips the test; if the
// environment variable CI is set, it fails instead.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	need.Missing(t, "no Chromium was found; scripts/install-chromium installs it")
	return ""
}

// action is a step in the browser.
type action = chromedp.Action[chromedp.Void]

// browser is one tab with what went wrong in it.
type browser struct {
	context.Context
	base string

	mu     sync.Mutex // guards faults
	faults []string
}

// newBrowser starts one browser for the whole test.
func newBrowser(t *testing.T, base string) *browser {
	t.Helper()
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 900))
	ctx, cancel := context.WithTimeout(t.Context(), 240*time.Second)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, base: base}
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.fault("exception: " + e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			words := ""
			for _, a := range e.Args {
				words += " " + string(a.Value)
			}
			b.fault(fmt.Sprintf("console.%s%s", e.Type, words))
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				b.fault(fmt.Sprintf("%s: %s", e.Entry.Text, e.Entry.URL))
			}
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, base+"/") {
				b.fault("request to " + e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	call(t, ctx, network.Enable, network.EnableParams{})
	call(t, ctx, log.Enable, cdp.Empty{})
	call(t, ctx, runtime.Enable, cdp.Empty{})
	return b
}

// call runs a command of the browser's protocol.
func call[P, R any](t *testing.T, ctx context.Context, cmd cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(ctx, cmd, params); err != nil {
		t.Fatal(err)
	}
}

func (b *browser) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// do runs actions and fails on whatever went wrong in the browser.
func (b *browser) do(t *testing.T, what string, actions ...action) {
	t.Helper()
	if err := chromedp.Do(b, actions...); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		t.Errorf("%s: %s", what, f)
	}
	b.faults = nil
}

// open goes to an address and waits for it.
func (b *browser) open(address string) action {
	return chromedp.Steps(chromedp.Navigate(b.base+address), chromedp.WaitReady("footer"))
}

// want evaluates an expression that must be true.
func want(t *testing.T, what, expression string) action {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		ok, err := chromedp.Evaluate[bool](expression)(ctx, tab)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if !ok {
			where, err := chromedp.Evaluate[string](`location.pathname + location.search + " at " + innerWidth + " px"`)(ctx, tab)
			t.Errorf("not so: %.200s: %s %v", what, where, err)
		}
		return nil
	})
}

// shoot keeps a screenshot of the whole page where the environment asks for it.
func shoot(name string) action {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		dir := os.Getenv(screenshotsVar)
		if dir == "" {
			return nil
		}
		png, err := chromedp.FullScreenshot(100)(ctx, tab)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	})
}

// sound are what every page must be: one heading of the first order, labels on all
// fields, names on all links, figures with marks, and no wider than the window.
func sound(t *testing.T) action {
	return chromedp.Steps(
		want(t, "one h1", `document.querySelectorAll("h1").length === 1`),
		want(t, "a language", `document.documentElement.lang === "en"`),
		want(t, "labels", `[...document.querySelectorAll("input:not([type=hidden]), select")].every(e => e.labels.length > 0 || e.getAttribute("aria-label"))`),
		want(t, "names of links and buttons", `[...document.querySelectorAll("a, button")].every(e => e.textContent.trim() || e.getAttribute("aria-label"))`),
		want(t, "unique ids", `(ids => new Set(ids).size === ids.length)([...document.querySelectorAll("[id]")].map(e => e.id))`),
		want(t, "figures with marks", `[...document.querySelectorAll("figure svg")].every(s => s.querySelectorAll("path, rect, circle, line, text").length > 1 && (s.getBoundingClientRect().height > 20 || getComputedStyle(s.parentElement).display === "none") && s.querySelector("title").textContent)`),
		want(t, "no column cut off", `[...document.querySelectorAll("table.rows")].every(t => t.parentElement.scrollWidth <= t.parentElement.clientWidth + 1)`),
		want(t, "heads or captions of tables", `[...document.querySelectorAll("table")].every(t => t.tHead && t.querySelectorAll("thead th").length > 0)`),
		want(t, "levels of headings in order", `[...document.querySelectorAll("h1, h2, h3")].map(h => +h.tagName[1]).every((l, i, all) => i === 0 ? l === 1 : l <= all[i - 1] + 1)`),
		want(t, "no wider than the window", `document.documentElement.scrollWidth <= innerWidth`),
		want(t, "nothing of the pages ran", `window.pwned === undefined`),
		want(t, "contrast of text", contrast),
	)
}

// contrast is true if all visible text has at least 7:1 on the page, links in
// the accent 4.5:1 (WCAG 2.2, 1.4.3 and 1.4.6).
const contrast = `(function () {
	function lum(c) {
		var v = c.match(/[\d.]+/g).slice(0, 3).map(function (x) { x = x / 255; return x <= .03928 ? x / 12.92 : Math.pow((x + .055) / 1.055, 2.4); });
		return .2126 * v[0] + .7152 * v[1] + .0722 * v[2];
	}
	function ground(e) {
		for (; e; e = e.parentElement) { var c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c) && c !== "transparent") { return c; } }
		return "rgb(255, 255, 255)";
	}
	var bad = [];
	document.querySelectorAll("main *").forEach(function (e) {
		if (e.closest("svg, option, select, .hidden") || ![...e.childNodes].some(function (n) { return n.nodeType === 3 && n.textContent.trim(); })) { return; }
		var a = lum(getComputedStyle(e).color), b = lum(ground(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < (e.closest("a, button") ? 4.5 : 7)) { bad.push(e.tagName + " " + ratio.toFixed(1)); }
	});
	if (bad.length) { console.log(bad.slice(0, 5).join()); }
	return bad.length === 0;
})()`

// TestBrowser opens every page in Chromium, as a reader would.
func TestBrowser(t *testing.T) {
	t.Parallel()
	chromium(t)
	fx := fill(t, open(t))
	server := httptest.NewUnstartedServer(newServer(t, fx.DB, nil))
	var err error
	if server.Listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	server.Start()
	defer server.Close()
	b := newBrowser(t, server.URL)
	busy := fmt.Sprintf("/pages/%d", fx.page(t, fx.urls[0]))
	svg := fmt.Sprintf("/pages/%d", fx.page(t, fx.urls[2]))
	list := []struct{ name, address string }{
		{"home", "/"},
		{"list", "/pages"},
		{"page", busy},
		{"attack", svg},
		{"diff", busy + "/diff?b=5"},
		{"side", busy + "/diff?b=5&view=side&by=sentences"},
		{"headers", busy + "/diff?b=5&by=headers&view=side"},
		{"version", busy + "/versions/3"},
		{"figure", busy + "/lifespans"},
		{"schedule", "/schedule"},
		{"topics", "/topics"},
		{"topic", "/topics/the%20hours"},
		{"paper", "/topics/the%20hours/" + noon.Add(-2*time.Hour).Format("20060102T150405Z") + "?mode=paper"},
		{"snapshots", "/snapshots"},
		{"series", "/snapshots/hourly%20web?threshold=0.5"},
		{"search", "/search?q=hour"},
		{"searched", "/search?q=hour+OR+long&series=hourly+web"},
		{"share", "/search?q=hour+OR+text&series=hourly+web&by=share&sort=novelty"},
		{"tide", "/search?q=tide&series=hourly+web"},
	}
	for _, look := range []struct {
		name, scheme string
		width        int64
		scale        float64
	}{{"light", "light", 1280, 1}, {"dark", "dark", 1280, 1}, {"phone-dark", "dark", 390, 1}, {"phone", "light", 390, 2}} {
		call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}})
		b.do(t, look.name, chromedp.EmulateViewport(look.width, 900, chromedp.EmulateScale(look.scale)))
		for _, p := range list {
			if look.name == "phone-dark" && !slices.Contains([]string{"page", "series", "topic", "searched"}, p.name) {
				continue // those whose figures are pictures of their own
			}
			b.do(t, look.name+" "+p.name, b.open(p.address), sound(t), shoot(look.name+"-"+p.name))
		}
	}
	for _, width := range []int64{500, 900} { // between the widths above
		b.do(t, "width", chromedp.EmulateViewport(width, 900))
		for _, address := range []string{"/", "/pages", "/schedule", "/topics/the%20hours"} {
			b.do(t, fmt.Sprintf("%d px %s", width, address), b.open(address), sound(t))
		}
	}
	b.do(t, "novelty on a phone", chromedp.EmulateViewport(390, 900), b.open("/search?q=tide&series=hourly+web"),
		want(t, "one figure", `[...document.querySelectorAll("#novelty svg")].filter(s => s.getClientRects().length).length === 1`),
		want(t, "within the window", `(r => r.left >= 0 && r.right <= innerWidth && r.width > 300)(document.querySelector("#novelty figure.narrow svg").getBoundingClientRect())`),
		want(t, "words of 10 px and more, none cut off", `[...document.querySelectorAll("#novelty figure.narrow svg text")].every(e => (r => r.height >= 10 && r.left >= 0 && r.right <= innerWidth)(e.getBoundingClientRect()))`),
		want(t, "marks", `document.querySelectorAll("#novelty figure.narrow svg path[class^=f-]").length > 0`))
	b.do(t, "wide again", chromedp.EmulateViewport(1280, 900))

	b.do(t, "skip link", b.open("/pages"), chromedp.KeyEvent(kb.Tab),
		want(t, "it is seen", `document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().height > 10`),
		chromedp.KeyEvent(kb.Enter), want(t, "it leads to the content", `location.hash === "#main"`))
	b.do(t, "visible focus", b.open("/pages"))
	for range 25 {
		b.do(t, "visible focus", chromedp.KeyEvent(kb.Tab),
			want(t, "an outline", `(e => e === document.body || getComputedStyle(e).outlineStyle !== "none" && parseFloat(getComputedStyle(e).outlineWidth) >= 1)(document.activeElement)`))
	}

	b.do(t, "theme", b.open("/"), chromedp.Click("[data-theme-switch]"), want(t, "dark", `document.documentElement.dataset.theme === "dark"`),
		b.open("/pages"), want(t, "remembered", `document.documentElement.dataset.theme === "dark"`), chromedp.Click("[data-theme-switch]"))
	b.do(t, "review of a topic", b.open("/topics/the%20hours"), chromedp.Click(`button[value=accept]`), chromedp.WaitNotPresent(`button[value=accept]`), chromedp.WaitReady("footer"),
		want(t, "accepted", `location.hash === "#review" && !document.querySelector("button[value=accept]") && document.body.textContent.includes("evil.test/proposed")`))
	b.do(t, "sorting", b.open("/pages"), chromedp.Click(`//th/a[text()="Changes every"]`), chromedp.WaitReady(`th[aria-sort="ascending"]`),
		want(t, "sorted", `location.search.includes("sort=every")`), chromedp.Click(`th[aria-sort] a`),
		chromedp.WaitReady(`th[aria-sort="descending"]`))
	b.do(t, "paging", b.open("/pages"), chromedp.Click(`a[rel=next]`), chromedp.WaitReady(`//a[text()="First rows"]`),
		want(t, "the rest", `document.querySelectorAll("tbody tr").length > 5 && !document.querySelector("a[rel=next]")`))
	b.do(t, "keys of a list", b.open("/pages"), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"),
		want(t, "first row", `document.querySelector("tbody tr").getAttribute("aria-selected") === "true" && document.activeElement.closest("tr") === document.querySelector("tbody tr")`),
		chromedp.KeyEvent(kb.Enter), chromedp.WaitReady("#versions"))
	b.do(t, "the field by its key", b.open("/pages"), chromedp.KeyEvent("/"), want(t, "focus", `document.activeElement.id === "find"`),
		chromedp.SendKeys("#find", "evil.test/data"+kb.Enter), chromedp.WaitReady(`//tbody[count(tr)=1]//span[contains(text(), "evil.test/data")]`),
		want(t, "found one", `document.querySelectorAll("tbody tr").length === 1`))
	b.do(t, "comparing", b.open(busy), chromedp.Click(`input[name=a][value="3"]`), chromedp.Click(`input[name=b][value="7"]`),
		chromedp.Click(`#versions button`), chromedp.WaitReady(".flow"),
		want(t, "versions 3 and 7", `document.querySelector("h1").textContent === "Versions 3 and 7" && document.querySelectorAll("ins").length > 1`))
	b.do(t, "next and previous change", b.open(busy+"/diff?b=5"), chromedp.KeyEvent("n"), chromedp.WaitReady(`//h1[text()="Versions 5 and 6"]`),
		chromedp.KeyEvent("p"), chromedp.WaitReady(`//h1[text()="Versions 4 and 5"]`))
	b.do(t, "zoom and hover", b.open(busy), chromedp.Focus("#curve svg"), chromedp.KeyEvent("+"),
		want(t, "nearer", `document.querySelector("#curve svg").viewBox.baseVal.width < 700`), chromedp.KeyEvent("0"),
		want(t, "all", `document.querySelector("#curve svg").viewBox.baseVal.width > 900`),
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#changes svg circle:has(title)").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, clientX: 50, clientY: 50}))`),
		want(t, "a value", `document.querySelector(".hover") !== null && document.querySelector(".hover").textContent.includes("Dice")`))
	b.do(t, "sorting a whole table", b.open("/schedule"), chromedp.Click(`//th/a[text()="Late"]`), chromedp.WaitReady(`//th[@aria-sort="descending"]/a[text()="Late"]`),
		chromedp.Click(`//th/a[text()="Late"]`), chromedp.WaitReady(`//th[@aria-sort="ascending"]/a[text()="Late"]`))
	b.do(t, "periods by keys", b.open("/topics/the%20hours"), chromedp.KeyEvent("p"), chromedp.WaitReady(`a[data-key="n"]`), chromedp.KeyEvent("n"), chromedp.WaitNotPresent(`a[data-key="n"]`), chromedp.WaitReady("footer"))
	for address, figures := range map[string][]string{ // that the fixture fills
		busy:                      {"calendar", "curve", "changes", "lifespans", "blocks"},
		"/":                       {"load"},
		"/schedule":               {"next"},
		"/snapshots/hourly%20web": {"sizes"},
		"/topics/the%20hours":     {"periods", "terms"},
	} {
		actions := []action{b.open(address)}
		for _, name := range figures {
			actions = append(actions, want(t, "the figure "+name, fmt.Sprintf(`document.querySelectorAll("#%s figure svg path, #%[1]s figure svg rect, #%[1]s figure svg circle").length > 0`, name)))
		}
		b.do(t, "figures of "+address, actions...)
	}
	b.do(t, "keys of results", b.open("/search?q=tide&series=hourly+web"),
		want(t, "the figure of novel pages", `document.querySelectorAll("#novelty figure.wide svg path[class^=f-]").length > 0 && document.querySelectorAll("#novelty figure.wide svg rect title").length > 3 && document.querySelector("figure.narrow").getClientRects().length === 0`), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"),
		want(t, "second result", `document.querySelectorAll("ol[data-list] > li")[1].getAttribute("aria-selected") === "true"`))
	b.do(t, "searching", b.open("/search"), chromedp.SendKeys("#words", "hour -opened\r"), chromedp.WaitReady("#results li"),
		want(t, "a hit marked", `document.querySelector("#results mark").textContent.toLowerCase() === "hour"`))
	b.do(t, "svg alone", chromedp.Navigate(b.base+busy+"/curve.svg"), want(t, "styled", `getComputedStyle(document.querySelector("text")).fill !== "rgb(0, 0, 0)"`))
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	for _, p := range list {
		b.do(t, "without scripts "+p.name, b.open(p.address), want(t, "a heading and its content", `document.querySelector("main h1") !== null && document.querySelector("main").innerText.length > 60`))
	}
	b.do(t, "no script runs", b.open("/pages"), chromedp.KeyEvent("j"), want(t, "no row chosen", `document.querySelector("tr[aria-selected=true]") === null`))
	b.do(t, "figures without scripts", b.open(busy), want(t, "figures", `document.querySelectorAll("#curve svg path, #changes svg circle").length > 2`),
		chromedp.Click(`#versions button`), chromedp.WaitReady(".flow"))
	b.do(t, "searching without scripts", b.open("/search"), chromedp.SendKeys("#words", "hour -opened\r"), chromedp.WaitReady("#results li"))
}
