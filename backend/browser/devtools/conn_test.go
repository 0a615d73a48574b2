package devtools_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/protocol"
)

// connect returns a browser in memory and a connection to it that is served.
func connect(t *testing.T) (*fake.Browser, *devtools.Conn) {
	t.Helper()
	return fake.Connect(t, nil)
}

// attach opens a session to a target.
func attach(t *testing.T, c *devtools.Conn, id target.ID) *devtools.Session {
	t.Helper()
	s, err := c.Attach(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCall(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	if s.Target != "T1" || s.Address != "about:blank" || s.Parent != c.Root {
		t.Errorf("%+v", s)
	}
	b.Answer(cdppage.Navigate.Method, func(call fake.Call) (any, error) {
		return map[string]any{"frameId": "F", "loaderId": string(call.Session)}, nil
	})
	res, err := cdp.Call(t.Context(), s, cdppage.Navigate, cdppage.NavigateParams{URL: "https://example.com"})
	if err != nil || res.FrameID != "F" || string(res.LoaderID) != string(s.ID) {
		t.Errorf("%+v, %v", res, err)
	}
	calls := b.Calls()
	if last := calls[len(calls)-1]; string(last.Params) != `{"url":"https://example.com"}` {
		t.Errorf("%s", last.Params)
	}
}

func TestCallThatIsRefused(t *testing.T) {
	b, c := connect(t)
	b.Answer(cdppage.Reload.Method, func(fake.Call) (any, error) { return nil, errors.New("not now") })
	_, err := cdp.Call(t.Context(), attach(t, c, "T1"), cdppage.Reload, cdppage.ReloadParams{})
	refused, ok := errors.AsType[*devtools.MethodError](err)
	if !ok || refused.Method != cdppage.Reload.Method || refused.Message != "not now" {
		t.Errorf("%v", err)
	}
}

// A caller that gives up leaves nothing behind that a late answer could meet.
func TestCallThatIsGivenUp(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	asked := make(chan struct{})
	b.Answer(cdppage.Reload.Method, func(fake.Call) (any, error) { close(asked); return nil, fake.ErrSilence })
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-asked; stop() }()
	if _, err := cdp.Call(ctx, s, cdppage.Reload, cdppage.ReloadParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := cdp.Call(t.Context(), s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// What waits on a session whose target closes fails at once, and what was attached
// through it ends with it; the others go on.
func TestSessionThatEnds(t *testing.T) {
	b, c := connect(t)
	s, other := attach(t, c, "T1"), attach(t, c, "T2")
	b.Emit(s.ID, target.AttachedToTarget.Method, target.EventAttachedToTarget{
		SessionID: "FRAME", TargetInfo: &target.Info{TargetID: "T3", Type: "iframe"},
	})
	events := s.Events(cdppage.LoadEventFired.Method)
	if _, err := cdp.Call(t.Context(), s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	frame := c.Session("FRAME")
	asked := make(chan struct{})
	b.Answer(cdppage.Reload.Method, func(fake.Call) (any, error) { close(asked); return nil, fake.ErrSilence })
	go func() {
		<-asked
		b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: s.ID})
	}()
	if _, err := cdp.Call(t.Context(), s, cdppage.Reload, cdppage.ReloadParams{}); !errors.Is(err, devtools.ErrSessionEnded) {
		t.Errorf("what waited: %v", err)
	}
	<-s.Done
	if _, open := <-events.C; open || events.Overflowed() {
		t.Error("its events go on")
	}
	<-frame.Done
	if c.Session("FRAME") != nil || !s.Ended() {
		t.Error("what was attached through it is still there")
	}
	if _, err := cdp.Call(t.Context(), s, cdppage.Reload, cdppage.ReloadParams{}); !errors.Is(err, devtools.ErrSessionEnded) {
		t.Errorf("a later call: %v", err)
	}
	if _, err := cdp.Call(t.Context(), other, cdppage.Enable, cdppage.EnableParams{}); err != nil || other.Ended() {
		t.Errorf("another session: %v", err)
	}
}

// When the pipe ends, every call fails and every session is over.
func TestPipeThatEnds(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	asked := make(chan struct{})
	b.Answer(cdppage.Reload.Method, func(fake.Call) (any, error) { close(asked); return nil, fake.ErrSilence })
	go func() {
		<-asked
		_ = b.Close() // it never fails
	}()
	if _, err := cdp.Call(t.Context(), s, cdppage.Reload, cdppage.ReloadParams{}); !errors.Is(err, devtools.ErrPipeEnded) {
		t.Errorf("what waited: %v", err)
	}
	<-c.Done
	if _, err := c.Attach(t.Context(), "T2"); !errors.Is(err, devtools.ErrPipeEnded) {
		t.Errorf("a later call: %v", err)
	}
	late := s.Events()
	if _, open := <-late.C; open {
		t.Error("a queue of a session that ended is open")
	}
}

// Events come in their order, to the session that they are of, and to whom asked
// for their method.
func TestEvents(t *testing.T) {
	b, c := connect(t)
	s, other := attach(t, c, "T1"), attach(t, c, "T2")
	all, loads, others := s.Events(), s.Events(cdppage.LoadEventFired.Method), other.Events()
	defer all.Cancel()
	defer loads.Cancel()
	for i := range 10 {
		b.Emit(s.ID, network.DataReceived.Method, map[string]any{"requestId": fmt.Sprint(i)})
		b.Emit(s.ID, cdppage.LoadEventFired.Method, map[string]any{"timestamp": i})
	}
	b.Emit(other.ID, cdppage.FrameResized.Method, struct{}{})
	for i := range 10 {
		if e, ok := devtools.Decode(<-all.C, network.DataReceived); !ok || e.RequestID != network.RequestID(fmt.Sprint(i)) {
			t.Errorf("%d: %+v", i, e)
		}
		if e := <-all.C; e.Method != cdppage.LoadEventFired.Method {
			t.Errorf("%d: %s", i, e.Method)
		}
		if e := <-loads.C; e.Method != cdppage.LoadEventFired.Method {
			t.Errorf("%d: %s", i, e.Method)
		}
	}
	if e := <-others.C; e.Method != cdppage.FrameResized.Method {
		t.Errorf("another session's: %s", e.Method)
	}
}

// A reader that is too slow is told so; nothing is left out in silence.
func TestEventsOverflow(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	slow := s.Events()
	var seen sync.WaitGroup
	seen.Add(protocol.BrowserEventQueue + 1)
	s.Follow(func(devtools.Event) { seen.Done() })
	go func() {
		for range protocol.BrowserEventQueue + 1 {
			b.Emit(s.ID, cdppage.FrameResized.Method, struct{}{})
		}
	}()
	seen.Wait()
	// The reader hands an event to the queue behind the follower: this comes after the last.
	if _, err := cdp.Call(t.Context(), s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if !slow.Overflowed() {
		t.Error("nothing says that events were lost")
	}
	n := 0
	for range slow.C {
		n++
	}
	if n != protocol.BrowserEventQueue {
		t.Errorf("%d events were kept", n)
	}
}

// A queue that was given back begins empty, and what its last owner did not read
// is nobody's.
func TestReleasedQueue(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	settle := func() {
		if _, err := cdp.Call(t.Context(), s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
			t.Fatal(err)
		}
	}
	first := s.Events(cdppage.FrameResized.Method)
	b.Emit(s.ID, cdppage.FrameResized.Method, struct{}{})
	settle()
	first.Release()
	b.Emit(s.ID, cdppage.FrameResized.Method, struct{}{})
	settle()
	first.Cancel() // once more, and late
	next := s.Events(cdppage.LoadEventFired.Method)
	b.Emit(s.ID, cdppage.FrameResized.Method, struct{}{})
	b.Emit(s.ID, cdppage.LoadEventFired.Method, struct{}{})
	settle()
	if e := <-next.C; e.Method != cdppage.LoadEventFired.Method || len(next.C) != 0 {
		t.Errorf("%+v, and %d more", e, len(next.C))
	}
	b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: s.ID})
	<-s.Done
	next.Release() // it is closed, and not used again
	if _, open := <-next.C; open {
		t.Error("the queue of a session that ended is open")
	}
}

// What follows each command right behind it hears of it, in order.
func TestSent(t *testing.T) {
	b := fake.New()
	var heard []any
	c := devtools.New(b, func(_ context.Context, _ *devtools.Session, params any) { heard = append(heard, params) })
	for i := range 3 {
		if err := devtools.Post(t.Context(), c.Root, target.ActivateTarget, target.ActivateTargetParams{TargetID: target.ID(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(heard) != 3 || heard[2] != (target.ActivateTargetParams{TargetID: "2"}) || len(b.Calls()) != 3 {
		t.Errorf("%v", heard)
	}
}
