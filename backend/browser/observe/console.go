package observe

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureConsole = "console"

// consoleWatch records the entries of a tab's console. When watching begins, the
// browser repeats the entries that it still has.
type consoleWatch struct {
	since time.Time

	mu   sync.Mutex
	ring watch.Ring[protocol.ConsoleEntry]
	last int
	more chan struct{} // closed at the next entry
}

func newConsoleWatch() *consoleWatch {
	return &consoleWatch{since: time.Now(), ring: watch.Ring[protocol.ConsoleEntry]{Limit: ConsoleRing}, more: make(chan struct{})}
}

func (c *consoleWatch) Begin(ctx context.Context, s *devtools.Session, _ bool) error {
	if err := watch.Watched(ctx, s, cdp.Command[cdp.Empty, cdp.Empty]{Method: runtime.Enable.Method}); err != nil {
		return err
	}
	return watch.Watched(ctx, s, cdp.Command[cdp.Empty, cdp.Empty]{Method: log.Enable.Method})
}

func (c *consoleWatch) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, runtime.DiscardConsoleEntries, cdp.Empty{})
	_ = devtools.Post(ctx, s, log.Disable, cdp.Empty{})
}

func (c *consoleWatch) Event(_ context.Context, _ *devtools.Session, e devtools.Event) {
	switch e.Method {
	case runtime.ConsoleAPICalled.Method:
		if v, ok := devtools.Decode(e, runtime.ConsoleAPICalled); ok && v.Type != "clear" && v.Type != "endGroup" {
			c.add(calledEntry(&v))
		}
	case runtime.ExceptionThrown.Method:
		if v, ok := devtools.Decode(e, runtime.ExceptionThrown); ok && v.ExceptionDetails != nil {
			c.add(thrownEntry(&v))
		}
	case log.EntryAdded.Method:
		if v, ok := devtools.Decode(e, log.EntryAdded); ok && v.Entry != nil {
			l := v.Entry
			entry := protocol.ConsoleEntry{
				At: stamp(float64(l.Timestamp)), Level: levelOf(string(l.Level)), Source: string(l.Source), Text: l.Text, URL: l.URL,
			}
			if l.URL != "" && l.StackTrace != nil {
				entry.Line = int(l.LineNumber) + 1
			}
			c.add(entry)
		}
	}
}

func (c *consoleWatch) add(e protocol.ConsoleEntry) {
	if utf8.RuneCountInString(e.Text) > consoleText {
		e.Text = string([]rune(e.Text)[:consoleText]) + "…"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	e.N = c.last
	c.ring.Add(e)
	close(c.more)
	c.more = make(chan struct{})
}

// log returns the entries whose numbers are greater than after.
func (c *consoleWatch) log(after int) protocol.ConsoleLog {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := protocol.ConsoleLog{Since: c.since, Dropped: c.ring.Dropped, Entries: []protocol.ConsoleEntry{}}
	for _, e := range c.ring.Items {
		if e.N > after {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// next returns a channel that is closed at the next entry, and the number of the
// last one.
func (c *consoleWatch) next() (<-chan struct{}, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.more, c.last
}

func (c *consoleWatch) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring.Items, c.ring.Dropped = nil, 0
}

// stamp converts a time of the protocol, in milliseconds since 1970.
func stamp(ms float64) time.Time { return time.UnixMicro(int64(ms * 1000)).UTC() }

func levelOf(level string) string {
	switch level {
	case "error", "assert":
		return "error"
	case "warning":
		return "warning"
	case "info", "log", "debug":
		return level
	case "verbose":
		return "debug"
	default:
		return "log"
	}
}

func calledEntry(v *runtime.EventConsoleAPICalled) protocol.ConsoleEntry {
	words := make([]string, 0, len(v.Args))
	for _, a := range v.Args {
		words = append(words, objectText(a))
	}
	e := protocol.ConsoleEntry{At: stamp(float64(v.Timestamp)), Level: levelOf(string(v.Type)), Source: "console", Text: strings.Join(words, " ")}
	if v.Type == "assert" {
		e.Text = strings.TrimSpace("assertion failed: " + e.Text)
	}
	place(&e, v.StackTrace)
	if e.Level != "error" && e.Level != "warning" {
		e.Stack = nil
	}
	return e
}

func thrownEntry(v *runtime.EventExceptionThrown) protocol.ConsoleEntry {
	d := v.ExceptionDetails
	e := protocol.ConsoleEntry{
		At: stamp(float64(v.Timestamp)), Level: "error", Source: "exception", Text: d.Text,
		URL: d.URL, Line: int(d.LineNumber) + 1, Column: int(d.ColumnNumber) + 1,
	}
	if d.Exception != nil {
		text := objectText(d.Exception)
		first, _, _ := strings.Cut(text, "\n    at ") // the stack is kept separately
		e.Text = strings.TrimSpace(d.Text + " " + first)
	}
	at := protocol.ConsoleEntry{}
	place(&at, d.StackTrace)
	e.Stack = at.Stack
	if e.URL == "" {
		e.URL = at.URL
	}
	return e
}

// stackKept is how many frames of a stack are kept.
const stackKept = 8

func place(e *protocol.ConsoleEntry, st *runtime.StackTrace) {
	if st == nil {
		return
	}
	for i, f := range st.CallFrames {
		if i == 0 {
			e.URL, e.Line, e.Column = f.URL, int(f.LineNumber)+1, int(f.ColumnNumber)+1
		}
		if i == stackKept {
			break
		}
		name := f.FunctionName
		if name == "" {
			name = "(anonymous)"
		}
		e.Stack = append(e.Stack, name+" "+f.URL+":"+itoa(f.LineNumber+1)+":"+itoa(f.ColumnNumber+1))
	}
}

// objectText returns a value as the console shows it.
func objectText(o *runtime.RemoteObject) string {
	if o == nil {
		return "undefined"
	}
	if o.UnserializableValue != "" {
		return string(o.UnserializableValue)
	}
	if len(o.Value) > 0 {
		var s string
		if json.Unmarshal(o.Value, &s) == nil {
			return s
		}
		return string(o.Value)
	}
	if p := o.Preview; p != nil && o.Subtype != "error" {
		return previewText(p)
	}
	if o.Description != "" {
		return o.Description
	}
	return string(o.Type)
}

func previewText(p *runtime.ObjectPreview) string {
	var parts []string
	list := p.Subtype == "array"
	for _, f := range p.Properties {
		value := f.Value
		if f.Type == "string" {
			value = `"` + value + `"`
		}
		if f.ValuePreview != nil {
			value = previewText(f.ValuePreview)
		}
		if list {
			parts = append(parts, value)
		} else {
			parts = append(parts, f.Name+": "+value)
		}
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	switch {
	case list:
		return "[" + strings.Join(parts, ", ") + "]"
	case len(parts) == 0 && p.Description != "" && p.Description != "Object":
		return p.Description
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Console returns the entries of a tab's console after the entry with number
// after (0: all that are kept), and begins to watch the tab if it is not watched
// yet.
func (o *Observer) Console(ctx context.Context, id protocol.TabID, after int) (protocol.ConsoleLog, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return protocol.ConsoleLog{}, err
	}
	c, err := watch.Use(ctx, k, featureConsole, newConsoleWatch)
	if err != nil {
		return protocol.ConsoleLog{}, err
	}
	if err := k.CatchUp(ctx); err != nil {
		return protocol.ConsoleLog{}, o.tabs.Explain(ctx, id, err)
	}
	return c.log(after), nil
}

// ClearConsole removes the recorded entries of a tab's console, and continues to
// watch it.
func (o *Observer) ClearConsole(ctx context.Context, id protocol.TabID) error {
	if _, err := o.Console(ctx, id, 0); err != nil {
		return err
	}
	if c, ok := watch.Get[*consoleWatch](o.tabs.Kept(id), featureConsole); ok {
		c.clear()
	}
	return nil
}

// StopConsole stops watching a tab's console.
func (o *Observer) StopConsole(ctx context.Context, id protocol.TabID) error {
	if k := o.tabs.Kept(id); k != nil {
		return k.Stop(ctx, featureConsole)
	}
	return nil
}
