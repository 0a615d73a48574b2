// Package tabs measures how soon an event of a tab is in the files that agents
// read.
package tabs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// Benches measure the two files that agents read.
func Benches() []report.Bench {
	return []report.Bench{{Rows: []string{"tabs.file"}, Run: benchTabsFile}}
}

// benchTabsFile measures from the moment when the browser reports an event of a
// tab until tabs.json, or active-tab.json, has it on disk. The tab opens, gets
// its page's title, navigates, comes to the front and closes. Then a command
// checks the file: commands accept the tab's id when the file has it, and report
// an unknown tab when the file no longer has it.
func benchTabsFile(ctx context.Context, o report.Options) ([]report.Row, error) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Port of %s</title><link rel=icon href='data:,'>", html.EscapeString(strings.Trim(r.URL.Path, "/")))
	}))
	defer site.Close()
	rounds := 40
	if o.Quick {
		rounds = 5
	}
	took := report.Samples{}
	err := product.Prompted(ctx, func(p *product.App) (err error) {
		w, err := newWitness(ctx, p)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.folder.close()) }()
		for i := range rounds {
			if err := w.round(ctx, took, fmt.Sprintf("%s/%d", site.URL, i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []float64
	var notes []string
	for _, kind := range []string{"opened", "titled", "moved", "fronted", "closed"} {
		all = append(all, took[kind]...)
		notes = append(notes, fmt.Sprintf("%s %.1f and %.1f", kind, report.Percentile(took[kind], 0.5), report.Percentile(took[kind], 0.99)))
	}
	r := report.Row{Name: "tabs.file", Unit: "ms", Value: report.Percentile(all, 0.5), Rule: report.Informs}.With99(report.Percentile(all, 0.99))
	r.Notes = []string{fmt.Sprintf("%d events; p50 and p99: %s", len(all), strings.Join(notes, ", "))}
	return []report.Row{r}, nil
}

// told is one message of the browser, with its time.
type told struct {
	at     time.Time
	method string
	target struct {
		ID    string `json:"targetId"`
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	id      string // the target that ended
	payload string // the worker's report
}

// witness observes both ends: what the browser reports to the app, and what the
// app writes.
type witness struct {
	p      *product.App
	folder *folder

	mu   sync.Mutex
	told []told
}

func newWitness(ctx context.Context, p *product.App) (*witness, error) {
	dir := filepath.Join(p.Home, "state", "sessions", string(protocol.DefaultSession), "agent")
	folder, err := watchFolder(dir)
	if err != nil {
		return nil, err
	}
	w := &witness{p: p, folder: folder}
	if err := p.Client.Overhear(ctx, w.hear); err != nil {
		return nil, errors.Join(err, folder.close())
	}
	return w, nil
}

func (w *witness) hear(at time.Time, message json.RawMessage) {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Target  json.RawMessage `json:"targetInfo"`
			ID      string          `json:"targetId"`
			Payload string          `json:"payload"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method == "" {
		return
	}
	t := told{at: at, method: m.Method, id: m.Params.ID, payload: m.Params.Payload}
	if len(m.Params.Target) > 0 && json.Unmarshal(m.Params.Target, &t.target) != nil {
		return
	}
	w.mu.Lock()
	w.told = append(w.told, t)
	w.mu.Unlock()
}

// round runs all events with one tab.
func (w *witness) round(ctx context.Context, took report.Samples, url string) error {
	var made struct {
		ID string `json:"targetId"`
	}
	count := len(w.folder.last().tabs)
	if err := w.event(ctx, took, "opened",
		func() error {
			return w.p.Client.Call(ctx, "", "Target.createTarget", map[string]any{"url": url, "background": true}, &made)
		},
		func(t told) bool { return t.method == "Target.targetCreated" && t.target.ID == made.ID },
		func(s fileState) bool { return len(s.tabs) == count+1 },
	); err != nil {
		return err
	}
	title := func(url string) string { return "Port of " + url[strings.LastIndex(url, "/")+1:] }
	// The page loads without further action, so count everything since the
	// beginning.
	if err := w.since(ctx, took, "titled", w.began(made.ID),
		func(t told) bool {
			return t.target.ID == made.ID && t.target.Title == title(url) || strings.Contains(t.payload, strconv.Quote(title(url)))
		},
		func(s fileState) bool { return s.tab(url).Title == title(url) },
	); err != nil {
		return err
	}
	id := w.folder.last().tab(url).ID
	if err := w.agrees(ctx, id, url); err != nil {
		return err
	}
	next := url + "0"
	page, err := w.p.Client.AttachTo(ctx, tap.Target{ID: made.ID})
	if err != nil {
		return err
	}
	if err := w.event(ctx, took, "moved",
		func() error { return page.Call(ctx, "Page.navigate", map[string]any{"url": next}, nil) },
		func(t told) bool { return t.target.ID == made.ID && t.target.URL == next },
		func(s fileState) bool { return s.tab(next).ID == id },
	); err != nil {
		return err
	}
	if err := w.agrees(ctx, id, next); err != nil {
		return err
	}
	if err := w.event(ctx, took, "fronted",
		func() error {
			return w.p.Client.Call(ctx, "", "Target.activateTarget", map[string]any{"targetId": made.ID}, nil)
		},
		func(t told) bool { return t.fronts(made.ID) },
		func(s fileState) bool { return s.active != nil && s.active.ID == id },
	); err != nil {
		return err
	}
	if err := w.event(ctx, took, "closed",
		func() error {
			return w.p.Client.Call(ctx, "", "Target.closeTarget", map[string]any{"targetId": made.ID}, nil)
		},
		func(t told) bool { return t.method == "Target.targetDestroyed" && t.id == made.ID },
		func(s fileState) bool { return s.tab(next).ID == "" },
	); err != nil {
		return err
	}
	if err := w.p.Command(ctx, id, "url", nil, nil); err == nil {
		return fmt.Errorf("tabs.json has no %s, and a command took it", id)
	}
	return nil
}

// fronts reports whether the worker says that a target is the active tab of its
// window.
func (t told) fronts(target string) bool {
	var report protocol.BridgeEvent
	if t.payload == "" || json.Unmarshal([]byte(t.payload), &report) != nil {
		return false
	}
	for _, tab := range report.Tabs {
		if tab.TargetID == target && tab.Active {
			return true
		}
	}
	return false
}

// agrees runs a command on a tab with the id that the file has.
func (w *witness) agrees(ctx context.Context, id protocol.TabID, url string) error {
	var reply protocol.CommandReply
	if err := w.p.Command(ctx, id, "url", nil, &reply); err != nil {
		return fmt.Errorf("tabs.json has %s, and a command does not: %w", id, err)
	}
	if !strings.Contains(reply.Text, url) {
		return fmt.Errorf("tabs.json has %s at %s, and a command says %s", id, url, reply.Text)
	}
	return nil
}

// event does something and records how long the file took.
func (w *witness) event(ctx context.Context, took report.Samples, kind string, do func() error, heard func(told) bool, written func(fileState) bool) error {
	began := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return w.since(ctx, took, kind, began, heard, written)
}

// since waits for the browser's message and for the file, and records the time
// between them.
func (w *witness) since(ctx context.Context, took report.Samples, kind string, began time.Time, heard func(told) bool, written func(fileState) bool) error {
	var from, to time.Time
	err := product.Until(ctx, func() error {
		from, to = w.first(began, heard), w.folder.first(began, written)
		if from.IsZero() {
			return fmt.Errorf("%s: the browser did not tell of it", kind)
		}
		if to.IsZero() {
			return fmt.Errorf("%s: the file does not have it: %+v", kind, w.folder.last())
		}
		return nil
	})
	if err == nil {
		took.Add(kind, max(0, product.Millis(to)-product.Millis(from)))
	}
	return err
}

// first returns the time after since of the first message that satisfies ok, or
// zero.
func (w *witness) first(since time.Time, ok func(told) bool) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.told {
		if !t.at.Before(since) && ok(t) {
			return t.at
		}
	}
	return time.Time{}
}

// began returns when the browser first mentioned a target.
func (w *witness) began(target string) time.Time {
	return w.first(time.Time{}, func(t told) bool { return t.target.ID == target })
}
