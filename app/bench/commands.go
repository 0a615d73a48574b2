package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// The limits of acting on pages, in ms where nothing else is said. References
// are a bare protocol's in the same run; peers stand beside them where they are
// installed.
const (
	cliActMost       = 12
	cliGotoMost      = 95
	snapshotFormMost = 14
	snapshot1000Most = 60
	// snapshotChars is what Playwright MCP's snapshot of the page of 1,000 had;
	// ours has at most snapshotCharsPart of it.
	snapshotChars     = 34266
	snapshotCharsPart = 0.6
	clickCoveredMost  = 25
	screenshotMost    = 45
	memoryTabs20      = 120 // MB
)

// actBenches measure looks and actions.
func actBenches() []bench {
	return []bench{
		{rows: []string{"cli.click", "cli.fill", "cli.goto", "click.covered"}, run: cliActs},
		{rows: []string{"snapshot.form", "snapshot.1000", "snapshot.1000.chars", "screenshot.viewport"}, run: looks},
		{rows: []string{"memory.tabs20"}, run: memoryTabs},
	}
}

// actPages are the pages that are measured.
func actPages() *httptest.Server {
	var form, many strings.Builder
	for i := range 15 {
		fmt.Fprintf(&form, "<label>Field %d <input name=f%d></label><br>", i, i)
	}
	for i := range 1000 {
		fmt.Fprintf(&many, "<button>Button %d</button>\n", i)
	}
	pages := map[string]string{
		"/":     `<button id=b onclick="n.textContent++">Add</button> <output id=n>0</output> <input id=f aria-label=Name> <button id=c>Under</button><div style="position:absolute;left:0;top:200px;width:300px;height:100px"><button id=u style="width:100%;height:100%">Covered</button></div><div role=dialog aria-label=Cookies style="position:absolute;left:0;top:200px;width:300px;height:100px;background:#fff"></div>`,
		"/form": "<form>" + form.String() + "<select name=s><option>A<option>B</select><label><input type=checkbox>Yes</label><button>Send</button><button type=reset>Clear</button></form>",
		"/1000": many.String(),
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Bench</title><link rel=icon href='data:,'>", pages[r.URL.Path])
	}))
}

// shell is an app without a window and the command line for it.
type shell struct{ home string }

func newShell() (*shell, error) {
	home, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a home: %w", err)
	}
	return &shell{home: home}, nil
}

// run runs one command and returns what the whole process took, in ms.
func (s *shell) run(ctx context.Context, args ...string) (string, float64, error) {
	cmd := exec.CommandContext(ctx, cliProgram(), args...)
	cmd.Env = append(os.Environ(), protocol.EnvHome+"="+s.home)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := float64(time.Since(start)) / float64(time.Millisecond)
	if err != nil {
		err = fmt.Errorf("pilotfish %s: %w: %.300s", args[0], err, out)
	}
	return string(out), took, err
}

// reply runs a command and returns what it took in the backend, in ms.
func (s *shell) reply(ctx context.Context, args ...string) (protocol.CommandReply, error) {
	var r protocol.CommandReply
	out, _, err := s.run(ctx, append(args, "--json")...)
	if err != nil {
		return r, err
	}
	err = json.Unmarshal([]byte(out), &r)
	return r, err
}

func (s *shell) close() error {
	err := quitAndWait(s.home, func(args ...string) ([]byte, error) {
		out, _, err := s.run(context.Background(), args...)
		return []byte(out), err
	})
	return errors.Join(err, os.RemoveAll(s.home))
}

// cliActs measures whole processes, each by turns with the bare protocol.
func cliActs(ctx context.Context, o options) (rows []row, err error) {
	runs := 50
	if o.quick {
		runs = 10
	}
	site := actPages()
	defer site.Close()
	s, err := newShell()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }() //nolint:contextcheck // it ends after ctx has, too
	ref, err := startBare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	var click, fill, open, covered, bareClick, bareOpen []float64
	for i := range runs + 2 {
		_, took, err := s.run(ctx, "goto", site.URL+"/")
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := ref.open(site.URL + "/"); err != nil {
			return nil, err
		}
		bareOpened := millisSince(began)
		_, clicked, err := s.run(ctx, "click", "#b")
		if err != nil {
			return nil, err
		}
		began = time.Now()
		if err := ref.click(20, 15); err != nil {
			return nil, err
		}
		bareClicked := millisSince(began)
		out, filled, err := s.run(ctx, "fill", "#f", fmt.Sprintf("Name %d", i))
		if err == nil && !strings.Contains(out, fmt.Sprintf("Name %d", i)) {
			err = fmt.Errorf("fill answered %.200s", out)
		}
		if err != nil {
			return nil, err
		}
		out, refused, err := s.run(ctx, "click", "#u")
		if err == nil || !strings.Contains(out, "Cookies") {
			return nil, fmt.Errorf("a covered button was clicked: %.200s", out)
		}
		if text, _, err := s.run(ctx, "text"); err != nil || !strings.Contains(text, "1") {
			return nil, fmt.Errorf("the page saw no click: %.200s: %w", text, err)
		}
		if i < 2 {
			continue // the first ones warm the browser
		}
		open, click, fill, covered = append(open, took), append(click, clicked), append(fill, filled), append(covered, refused)
		bareOpen, bareClick = append(bareOpen, bareOpened), append(bareClick, bareClicked)
	}
	at := func(name string, values []float64, most float64) row {
		return row{Name: name, Unit: "ms", Value: percentile(values, 0.5), Limit: most, Rule: valueAtMost}.with99(percentile(values, 0.99))
	}
	return []row{
		at("cli.click", click, cliActMost).beside(percentile(bareClick, 0.5)),
		at("cli.fill", fill, cliActMost),
		at("cli.goto", open, cliGotoMost).beside(percentile(bareOpen, 0.5)),
		at("click.covered", covered, clickCoveredMost),
	}, nil
}

func millisSince(t time.Time) float64 { return float64(time.Since(t)) / float64(time.Millisecond) }

// naive is a walk that names nothing, checks nothing and sees one document.
const naive = `[...document.querySelectorAll('a,button,input,select,textarea')].map((e) => e.tagName + ' ' + (e.getAttribute('aria-label') ?? e.innerText ?? '') + (e.getBoundingClientRect().width > 0)).join('\n')`

// looks measures snapshots and pictures in the backend.
func looks(ctx context.Context, o options) (rows []row, err error) {
	runs := 50
	if o.quick {
		runs = 10
	}
	site := actPages()
	defer site.Close()
	s, err := newShell()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }() //nolint:contextcheck // it ends after ctx has, too
	ref, err := startBare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ref.close()) }()
	measure := func(path, expect string, args []string, beside func() error) (ours, theirs []float64, text string, err error) {
		if _, _, err := s.run(ctx, "goto", site.URL+path); err != nil {
			return nil, nil, "", err
		}
		if err := ref.open(site.URL + path); err != nil {
			return nil, nil, "", err
		}
		for i := range runs + 1 {
			r, err := s.reply(ctx, args...)
			if err == nil && !strings.Contains(r.Text, expect) {
				err = fmt.Errorf("%v answered %.300s", args, r.Text)
			}
			if err != nil {
				return nil, nil, "", err
			}
			began := time.Now()
			if err := beside(); err != nil {
				return nil, nil, "", err
			}
			if i > 0 {
				ours, theirs, text = append(ours, r.DurationMS), append(theirs, millisSince(began)), r.Text
			}
		}
		return ours, theirs, text, nil
	}
	add := func(name, path, expect string, most float64, args []string, beside func() error) (string, error) {
		ours, theirs, text, err := measure(path, expect, args, beside)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		r := row{Name: name, Unit: "ms", Value: percentile(ours, 0.5), Limit: most, Rule: valueAtMost}
		rows = append(rows, r.with99(percentile(ours, 0.99)).beside(percentile(theirs, 0.5)))
		return text, nil
	}
	walk := func() error { return ref.eval(naive) }
	if _, err := add("snapshot.form", "/form", "Field 14", snapshotFormMost, []string{"snapshot"}, walk); err != nil {
		return rows, err
	}
	text, err := add("snapshot.1000", "/1000", "Button 999", snapshot1000Most, []string{"snapshot"}, walk)
	if err != nil {
		return rows, err
	}
	chars := row{Name: "snapshot.1000.chars", Unit: "chars", Value: float64(utf8.RuneCountInString(text)), Limit: snapshotCharsPart, Rule: ratioAtMost}
	rows = append(rows, chars.beside(snapshotChars))
	picture := func() error {
		return ref.call("Page.captureScreenshot", map[string]any{"format": "png"}, nil)
	}
	_, err = add("screenshot.viewport", "/form", ".png", screenshotMost, []string{"screenshot"}, picture)
	return rows, err
}

// memoryTabs measures the backend with twenty tabs that were looked at.
func memoryTabs(ctx context.Context, _ options) (rows []row, err error) {
	site := actPages()
	defer site.Close()
	s, err := newShell()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }() //nolint:contextcheck // it ends after ctx has, too
	for i := range 20 {
		args := []string{"newtab", site.URL + "/1000"}
		if i == 0 {
			args[0] = "goto"
		}
		if _, _, err := s.run(ctx, args...); err != nil {
			return nil, err
		}
		if _, _, err := s.run(ctx, "snapshot", "--tab", fmt.Sprintf("t%d", i+1)); err != nil {
			return nil, err
		}
	}
	raw, err := os.ReadFile(filepath.Join(s.home, "state", "pilotfish.json"))
	if err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	var at protocol.Endpoint
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, fmt.Errorf("finding the backend: %w", err)
	}
	size, err := residentOf(at.PID)
	if err != nil {
		return nil, err
	}
	return []row{{Name: "memory.tabs20", Unit: "MB", Value: size, Limit: memoryTabs20, Rule: valueAtMost}}, nil
}
