package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/app/e2e/tap"
)

// How long the tab stays idle.
const (
	idleTime      = 60 * time.Second
	idleTimeQuick = 10 * time.Second
)

// Idle measure what an idle tab costs.
func Idle() []report.Bench {
	return []report.Bench{{Rows: []string{"task.idle"}, Run: benchIdle}}
}

// idleCategories are what the browser traces: every timer, every requested frame,
// every message, and every entry into a script.
var idleCategories = []string{"devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "blink.user_timing"} //nolint:gochecknoglobals // a constant that Go cannot have

// idleKinds reports whether a trace event counts.
func idleKinds(name string) bool {
	switch name {
	case "TimerInstall", "TimerFire", "RequestAnimationFrame", "FireAnimationFrame", "RequestIdleCallback", "FireIdleCallback",
		"FunctionCall", "EvaluateScript", "EventDispatch", "HandlePostMessage", "SchedulePostMessage",
		"WebSocketSend", "WebSocketReceive", "ResourceSendRequest", "v8.callFunction", "v8.run":
		return true
	}
	return false
}

// traced is the part of a trace event that we need.
type traced struct {
	Name  string  `json:"name"`
	Phase string  `json:"ph"`
	PID   int     `json:"pid"`
	Time  float64 `json:"ts"`
}

// benchIdle leaves a tab idle whose panel shows Task, and counts, from the
// browser's trace, what runs in the page's process: timers, messages, scripts.
// What runs in the process of the panel and the worker is only noted.
func benchIdle(ctx context.Context, o report.Options) (rows []report.Row, err error) {
	wait := idleTime
	if o.Quick {
		wait = idleTimeQuick
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, taskPage)
	}))
	defer site.Close()
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := s.StartWith(ctx, func(config string) error { return writeModels(config, site.URL) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := p.Command(ctx, "t1", "goto", map[string]any{"url": site.URL + "/idle"}, nil); err != nil {
		return nil, err
	}
	if err := p.Eval(ctx, product.PanelScript+`;`+taskFieldScript, nil); err != nil {
		return nil, fmt.Errorf("showing Task: %w", err)
	}
	// Take a snapshot first, so that anything that it leaves in the page is
	// measured.
	if err := p.Command(ctx, "t1", "snapshot", nil, nil); err != nil {
		return nil, err
	}
	page, err := p.Client.Attach(ctx, site.URL+"/idle")
	if err != nil {
		return nil, err
	}
	events, err := recorded(ctx, page, func() error {
		for name, target := range map[string]*tap.Page{"page": page, "extension": p.Panel} {
			// A timer of ours proves that timers are traced there.
			script := fmt.Sprintf("performance.mark('bench-%s-control'), new Promise((done) => setTimeout(done, 1)).then(() => { performance.mark('bench-%[1]s-begin') })", name)
			if err := target.Eval(ctx, script, nil); err != nil {
				return err
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		return page.Eval(ctx, "performance.mark('bench-end')", nil)
	})
	if err != nil {
		return nil, err
	}
	found, err := idleCounts(events)
	if err != nil {
		return nil, err
	}
	r := report.Row{Name: "task.idle", Unit: "timers and messages", Limit: 0, Rule: report.ValueAtMost}
	var beside []string
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		said := fmt.Sprintf("%s %d", kind, found[kind])
		if strings.HasPrefix(kind, "page ") {
			r.Value += float64(found[kind])
			r.Notes = append(r.Notes, said)
		} else {
			beside = append(beside, said)
		}
	}
	// The panel's socket has a heartbeat; there is one socket, however many tabs.
	r.Notes = append(r.Notes, fmt.Sprintf("not of the tab, in %v: %s", wait, strings.Join(beside, ", ")))
	return []report.Row{r}, nil
}

// idleCounts counts what ran in the two processes between the marks.
func idleCounts(events []traced) (map[string]int, error) {
	begin, control, end := map[string]traced{}, map[string]traced{}, 0.0
	for _, e := range events {
		name, isMark := strings.CutPrefix(e.Name, "bench-")
		switch {
		case !isMark:
		case name == "end":
			end = e.Time
		case strings.HasSuffix(name, "-control"):
			control[strings.TrimSuffix(name, "-control")] = e
		default:
			begin[strings.TrimSuffix(name, "-begin")] = e
		}
	}
	if len(begin) != 2 || end == 0 {
		return nil, fmt.Errorf("the browser recorded the marks %v of %d records", begin, len(events))
	}
	// Events of the marks themselves, and late events of the start, are over by
	// then.
	const settle = 2e6
	found := map[string]int{}
	for name, mark := range begin {
		if !slices.ContainsFunc(events, func(e traced) bool {
			return e.Name == "TimerFire" && e.PID == mark.PID && e.Time > control[name].Time && e.Time <= mark.Time
		}) {
			return nil, fmt.Errorf("the browser did not record a timer of the %s", name)
		}
		for _, e := range events {
			if e.PID == mark.PID && idleKinds(e.Name) && e.Phase != "E" && e.Time > mark.Time+settle && e.Time < end-1e4 {
				found[name+" "+e.Name]++
			}
		}
	}
	return found, nil
}

// recorded returns the trace of the browser while do runs.
func recorded(ctx context.Context, page *tap.Page, do func() error) ([]traced, error) {
	var mu sync.Mutex
	var events []traced
	var unread error
	page.Hear("Tracing.dataCollected", func(params json.RawMessage) {
		var data struct {
			Value []traced `json:"value"`
		}
		err := json.Unmarshal(params, &data)
		mu.Lock()
		defer mu.Unlock()
		events, unread = append(events, data.Value...), errors.Join(unread, err)
	})
	complete := make(chan struct{})
	page.Hear("Tracing.tracingComplete", func(json.RawMessage) { close(complete) })
	config := map[string]any{"traceConfig": map[string]any{"includedCategories": idleCategories}, "transferMode": "ReportEvents"}
	if err := page.Call(ctx, "Tracing.start", config, nil); err != nil {
		return nil, err
	}
	err := errors.Join(do(), page.Call(ctx, "Tracing.end", nil, nil))
	if err != nil {
		return nil, err
	}
	select {
	case <-complete:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	mu.Lock()
	defer mu.Unlock()
	return events, unread
}
