package attention_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/attention"
	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/protocol"
)

// long is enough time for every notification that is due.
const long = time.Minute

// desk records what a desktop is asked to show.
type desk struct {
	mu     sync.Mutex
	next   uint32
	fails  error
	did    []string
	clicks []func()
}

func (d *desk) Notify(_ context.Context, n desktop.Notification) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, n.Title+": "+n.Body)
	if d.fails != nil {
		return 0, d.fails
	}
	d.clicks = append(d.clicks, n.Clicked)
	if n.Replaces != 0 {
		d.did = append(d.did, fmt.Sprint("replaces ", n.Replaces))
		return n.Replaces, nil
	}
	d.next++
	return d.next, nil
}

func (d *desk) Withdraw(_ context.Context, id uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, fmt.Sprint("withdraws ", id))
	return nil
}

func (d *desk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, "closes")
}

// world is a Manager that runs, with a terminal "a" beside a tab.
type world struct {
	*attention.Manager
	t        *testing.T
	desk     desk
	settings *config.Store
	info     protocol.TerminalInfo
	mu       sync.Mutex
	asks     bool
	showing  []string
	end      context.CancelFunc
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, info: protocol.TerminalInfo{
		ID: "a", Tab: "t1", Name: "Claude Code", State: protocol.TerminalLive, Status: protocol.AgentWorking, Epoch: 1,
	}}
	var err error
	if w.settings, err = config.Open(filepath.Join(t.TempDir(), "settings.toml")); err != nil {
		t.Fatal(err)
	}
	events := hub.New[any](1)
	events.Observe(func(event any) {
		e := event.(attention.Clicked)
		w.showing = append(w.showing, fmt.Sprint(e.Tab, " ", e.Terminal))
	})
	w.Manager = attention.New(attention.Config{
		Desktop:  &w.desk,
		Settings: w.settings,
		Asks:     func(protocol.TerminalID) bool { return w.read(&w.asks) },
		Tabs:     opentabs.New(protocol.Tab{ID: "t1", Title: "Shop"}),
		Events:   events,
		Logger:   slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.Run(ctx)
	}()
	w.end = func() {
		cancel()
		<-over
	}
	t.Cleanup(w.end)
	w.Changed(w.info)
	return w
}

func (w *world) read(b *bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *b
}

func (w *world) set(b *bool, to bool) {
	w.mu.Lock()
	*b = to
	w.mu.Unlock()
	w.Again()
}

// notices turns the notifications on or off.
func (w *world) notices(on bool) {
	settings := w.settings.Get()
	settings.TerminalNotices = on
	if _, err := w.settings.Save(settings); err != nil {
		w.t.Error(err)
	}
	w.Again()
}

// change changes the terminal and waits until everything has been shown.
func (w *world) change(f func(*protocol.TerminalInfo)) {
	f(&w.info)
	w.Changed(w.info)
	time.Sleep(long)
	synctest.Wait()
}

// did checks what the desktop was asked to show since the last call.
func (w *world) did(want ...string) {
	w.t.Helper()
	synctest.Wait()
	w.desk.mu.Lock()
	defer w.desk.mu.Unlock()
	if !slices.Equal(w.desk.did, want) {
		w.t.Errorf("the desktop did %q, want %q", w.desk.did, want)
	}
	w.desk.did = nil
}

const (
	bell  = "Claude Code beside “Shop”: It rang the bell."
	needs = "Claude Code beside “Shop”: Which colour?"
)

func rings(i *protocol.TerminalInfo) { i.Bells++ }

func asksUser(i *protocol.TerminalInfo) {
	i.Status, i.Message = protocol.AgentNeedsYou, "Which colour?"
}

func works(i *protocol.TerminalInfo) { i.Status, i.Message = protocol.AgentWorking, "" }

// A program that rings a thousand times makes one notification, until the user has
// looked at its terminal.
func TestBells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for range 1000 {
			rings(&w.info)
			w.Changed(w.info)
			time.Sleep(time.Second)
		}
		w.did(bell)
		w.change(func(i *protocol.TerminalInfo) { i.Seen = true })
		w.did("withdraws 1")
		w.change(rings) // the user looks on
		w.change(func(i *protocol.TerminalInfo) { i.Seen = false })
		w.did()
		w.change(func(i *protocol.TerminalInfo) {
			i.Bells++
			i.Title = "make\x1b\u202e “all”\n" + strings.Repeat("x", 500)
		})
		w.did("Claude Code beside “Shop”: It rang the bell: “make \"all\" " + strings.Repeat("x", 28) + "…”.")
		// A restarted program has rung no bell yet.
		w.change(func(i *protocol.TerminalInfo) { i.Epoch++; i.Bells = 0 })
		w.did("withdraws 2")
		w.change(func(i *protocol.TerminalInfo) { i.Bells++; i.Title = "" })
		w.did(bell)
		w.Gone("a")
		w.did("withdraws 3")
		w.end()
		w.did("closes")
	})
}

// An agent that needs its user is shown once, with what it says, also in place of its
// bell. The notification is withdrawn when the agent has its answer.
func TestNeedsYou(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.change(rings)
		w.change(func(i *protocol.TerminalInfo) { rings(i); asksUser(i) })
		w.change(rings)
		w.did(bell, needs, "replaces 1")
		w.change(func(i *protocol.TerminalInfo) { i.Message = "" })
		w.did("Claude Code beside “Shop”: It needs you.", "replaces 1")
		w.change(func(i *protocol.TerminalInfo) { works(i); i.Bells = 2 })
		w.did("withdraws 1")
		// The user reads the question, leaves without an answer, and is not notified again.
		w.info.Seen = true
		w.change(asksUser)
		w.change(func(i *protocol.TerminalInfo) { i.Seen = false })
		w.did()
		w.change(works)
		w.change(asksUser)
		w.did(needs)
		w.change(func(i *protocol.TerminalInfo) { i.State = protocol.TerminalEnded })
		w.did("withdraws 2")
		w.change(func(i *protocol.TerminalInfo) { i.State, i.Epoch = protocol.TerminalLive, 2 })
		w.did(needs)
		w.end()
		w.did("withdraws 3", "closes")
	})
}

// An agent that changes its status as fast as it can does not flood the desktop.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for range 300 { // a minute
			asksUser(&w.info)
			w.Changed(w.info)
			time.Sleep(150 * time.Millisecond)
			works(&w.info)
			w.Changed(w.info)
			time.Sleep(50 * time.Millisecond)
		}
		w.did() // it was never there long enough
		for range 60 {
			asksUser(&w.info)
			w.Changed(w.info)
			time.Sleep(900 * time.Millisecond)
			works(&w.info)
			w.Changed(w.info)
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		w.desk.mu.Lock()
		defer w.desk.mu.Unlock()
		shown := slices.DeleteFunc(w.desk.did, func(s string) bool { return s != needs })
		if len(shown) == 0 || len(shown) > 7 {
			t.Errorf("%d notifications in a minute", len(shown))
		}
	})
}

// What an agent asks as an approval is not shown a second time, whichever is known
// first; nor is its bell.
func TestApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		asksUser(&w.info)
		rings(&w.info)
		w.Changed(w.info)
		synctest.Wait()
		w.set(&w.asks, true)
		time.Sleep(long)
		w.did()
		w.set(&w.asks, false)
		w.change(works)
		w.did()
		// The approval ended without an answer, and the agent still asks in its terminal.
		w.set(&w.asks, true)
		w.change(asksUser)
		w.did()
		w.set(&w.asks, false)
		time.Sleep(long)
		w.did(needs)
	})
}

// A click shows the terminal beside the tab that it has then.
func TestClick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.change(rings)
		w.change(func(i *protocol.TerminalInfo) { i.Tab = "t2" })
		for range 3 {
			w.desk.clicks[0]()
			synctest.Wait()
		}
		w.Gone("a")
		synctest.Wait()
		w.desk.clicks[0]()
		synctest.Wait()
		if want := []string{"t2 a", "t2 a", "t2 a"}; !slices.Equal(w.showing, want) {
			t.Errorf("shown %q, want %q", w.showing, want)
		}
	})
}

// The user turns the notifications off; what happened meanwhile is not reported later. A
// desktop without notifications is not asked again and again.
func TestOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.change(rings)
		w.did(bell)
		w.notices(false)
		w.did("withdraws 1")
		w.change(rings)
		w.notices(true)
		time.Sleep(long)
		w.did()
		w.desk.fails = errors.New("no service")
		w.change(rings)
		w.change(rings)
		w.did(bell)
		w.change(func(i *protocol.TerminalInfo) { i.Seen = true })
		w.did()
	})
	quiet := attention.New(attention.Config{Logger: slog.New(slog.DiscardHandler)})
	quiet.Changed(protocol.TerminalInfo{ID: "a", Bells: 1})
	quiet.Gone("a")
	quiet.Run(t.Context()) // it returns at once
}
