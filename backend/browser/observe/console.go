package observe

import (
	"context"
	"errors"
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
	since  time.Time
	tab    protocol.TabID
	values *values

	mu   sync.Mutex
	main *devtools.Session // of the tab, not of a frame of another site
	ring watch.Ring[protocol.ConsoleItem]
	last int
	more chan struct{} // closed at the next entry

	changes                // the entries of ring in the order of their numbers
	page, errors, warnings int
	group                  int // how many groups are open
}

// newConsoleWatch returns the function that makes the watch of a tab.
func (o *Observer) newConsoleWatch(id protocol.TabID) func() *consoleWatch {
	return func() *consoleWatch {
		return &consoleWatch{
			since: time.Now(), tab: id, values: o.values, ring: watch.Ring[protocol.ConsoleItem]{Limit: ConsoleRing},
			more: make(chan struct{}), changes: newChanges(),
		}
	}
}

func (c *consoleWatch) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if !child {
		c.mu.Lock()
		c.main = s
		c.mu.Unlock()
	}
	return errors.Join(devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}), devtools.Post(ctx, s, log.Enable, cdp.Empty{}))
}

// Workers implements watch.ForWorkers.
func (*consoleWatch) Workers() {}

func (c *consoleWatch) End(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s, runtime.DiscardConsoleEntries, cdp.Empty{})
	_ = devtools.Post(ctx, s, log.Disable, cdp.Empty{})
}

func (c *consoleWatch) Event(_ context.Context, s *devtools.Session, e devtools.Event) {
	switch e.Method {
	case runtime.ConsoleAPICalled.Method:
		if v, ok := devtools.Decode(e, runtime.ConsoleAPICalled); ok {
			c.called(s, &v)
		}
	case runtime.ExceptionThrown.Method:
		if v, ok := devtools.Decode(e, runtime.ExceptionThrown); ok && v.ExceptionDetails != nil {
			item := protocol.ConsoleItem{Entry: thrownEntry(&v), Stack: stackOf(v.ExceptionDetails.StackTrace)}
			if x := v.ExceptionDetails.Exception; x != nil && x.ObjectID != "" {
				item.Args = []protocol.PageValue{c.values.Of(c.tab, s, x)}
			}
			c.add(item)
		}
	case log.EntryAdded.Method:
		// What a worker prints is read on its own session, with its values.
		if v, ok := devtools.Decode(e, log.EntryAdded); ok && v.Entry != nil && v.Entry.WorkerID == "" {
			l := v.Entry
			entry := protocol.ConsoleEntry{
				At: stamp(float64(l.Timestamp)), Level: levelOf(string(l.Level)), Source: string(l.Source), Text: l.Text, URL: l.URL,
			}
			if l.URL != "" && l.StackTrace != nil {
				entry.Line = int(l.LineNumber) + 1
			}
			c.add(protocol.ConsoleItem{Entry: entry, Stack: stackOf(l.StackTrace)})
		}
	case runtime.ExecutionContextsCleared.Method:
		c.navigated(s)
	}
}

// called records a call of the page's console.
func (c *consoleWatch) called(s *devtools.Session, v *runtime.EventConsoleAPICalled) {
	item := protocol.ConsoleItem{Stack: stackOf(v.StackTrace)}
	switch v.Type {
	case runtime.ConsoleAPICalledTypeEndGroup:
		c.mu.Lock()
		c.group = max(0, c.group-1)
		c.mu.Unlock()
		return
	case runtime.ConsoleAPICalledTypeClear:
		item.Clears = true
		item.Entry = protocol.ConsoleEntry{At: stamp(float64(v.Timestamp)), Level: "info", Source: "console"}
		c.show(item)
		return
	case runtime.ConsoleAPICalledTypeStartGroup:
		item.Begins = "group"
	case runtime.ConsoleAPICalledTypeStartGroupCollapsed:
		item.Begins = "collapsed"
	}
	for _, a := range v.Args[:min(len(v.Args), argsKept)] {
		item.Args = append(item.Args, c.values.Of(c.tab, s, a))
	}
	item.Entry = calledEntry(v)
	c.add(item)
}

// argsKept is how many arguments of one call are kept.
const argsKept = 50

// navigated records that the tab, and not only a frame of another site, shows another
// document.
func (c *consoleWatch) navigated(s *devtools.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A page in another process is reported twice, with nothing in between.
	if n := len(c.ring.Items); s != c.main || (n > 0 && c.ring.Items[n-1].Navigated) {
		return
	}
	c.page++
	c.errors, c.warnings, c.group = 0, 0, 0
	c.put(protocol.ConsoleItem{Navigated: true, Entry: protocol.ConsoleEntry{At: time.Now().UTC(), Level: "info", Source: "pilotfish"}})
}

// add records an entry of the page.
func (c *consoleWatch) add(item protocol.ConsoleItem) {
	e := &item.Entry
	if utf8.RuneCountInString(e.Text) > consoleText {
		e.Text = string([]rune(e.Text)[:consoleText]) + "…"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	e.N = c.last
	switch e.Level {
	case "error":
		c.errors++
	case "warning":
		c.warnings++
	}
	c.put(item)
	if item.Begins != "" {
		c.group = min(c.group+1, groupsKept)
	}
	close(c.more)
	c.more = make(chan struct{})
}

// groupsKept is how deep groups are nested; what is deeper is shown at that depth.
const groupsKept = 16

// show records what is not an entry of the page but changes how they are shown.
func (c *consoleWatch) show(item protocol.ConsoleItem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors, c.warnings = 0, 0
	c.put(item)
}

// put adds an item to the ring; c.mu is held.
func (c *consoleWatch) put(item protocol.ConsoleItem) {
	item.Page, item.Group = c.page, c.group
	c.ring.Add(item)
	c.changed()
}

// ofPage reports whether an item is an entry that the page made.
func ofPage(i *protocol.ConsoleItem) bool { return !i.Navigated && !i.Clears }

// log returns the entries whose numbers are greater than after.
func (c *consoleWatch) log(after int) protocol.ConsoleLog {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := protocol.ConsoleLog{Since: c.since, Dropped: c.ring.Dropped, Entries: []protocol.ConsoleEntry{}}
	for i := range c.ring.Items {
		if item := &c.ring.Items[i]; ofPage(item) && item.Entry.N > after {
			out.Entries = append(out.Entries, item.Entry)
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
	c.errors, c.warnings = 0, 0
	c.reset()
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
		words = append(words, valueText(a))
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
		text := valueText(d.Exception)
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

// Console returns the entries of a tab's console after the entry with number
// after (0: all that are kept), and begins to watch the tab if it is not watched
// yet.
func (o *Observer) Console(ctx context.Context, id protocol.TabID, after int) (protocol.ConsoleLog, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return protocol.ConsoleLog{}, err
	}
	c, err := watch.Use(ctx, k, featureConsole, o.newConsoleWatch(id))
	if err != nil {
		return protocol.ConsoleLog{}, err
	}
	o.leases.keep(k, featureConsole)
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
