package devtools_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/protocol"
)

// connect returns an in-memory browser and a connection to it whose Serve is
// running.
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

// When a caller gives up, its late answer must not reach the next call.
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

// When a target closes, the pending calls of its session fail at once, and so do
// the sessions that were attached through it. Other sessions continue.
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

// When the pipe ends, every call fails and every session ends.
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

// Events arrive in order, only on their own session and only at subscribers to
// their method.
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

// A reader that is too slow learns that its queue overflowed; no event is dropped
// silently.
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
	// The reader calls the hook before it fills the queues, so this answer comes
	// after the last event was queued.
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

// A released queue starts empty: the next owner does not receive what the last
// owner left unread.
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
	first.Cancel() // a second time, after Release
	next := s.Events(cdppage.LoadEventFired.Method)
	b.Emit(s.ID, cdppage.FrameResized.Method, struct{}{})
	b.Emit(s.ID, cdppage.LoadEventFired.Method, struct{}{})
	settle()
	if e := <-next.C; e.Method != cdppage.LoadEventFired.Method || len(next.C) != 0 {
		t.Errorf("%+v, and %d more", e, len(next.C))
	}
	b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: s.ID})
	<-s.Done
	next.Release() // it is closed, so it is not reused
	if _, open := <-next.C; open {
		t.Error("the queue of a session that ended is open")
	}
}

// The sent callback receives each command right after it was written, in order.
func TestSent(t *testing.T) {
	b := fake.New()
	var heard []any
	c := devtools.New(b, slog.New(slog.DiscardHandler), func(_ context.Context, _ *devtools.Session, params any) { heard = append(heard, params) })
	for i := range 3 {
		if err := devtools.Post(t.Context(), c.Root, target.ActivateTarget, target.ActivateTargetParams{TargetID: target.ID(fmt.Sprint(i))}); err != nil {
			t.Fatal(err)
		}
	}
	if len(heard) != 3 || heard[2] != (target.ActivateTargetParams{TargetID: "2"}) || len(b.Calls()) != 3 {
		t.Errorf("%v", heard)
	}
}

// An answer that no command of ours waits for is an alarm, once for a connection. A
// late one, for a caller that gave up or a target that closed, is none.
func TestAnswerThatWasNotAskedFor(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply func(b *fake.Browser, asked int64)
		want  int
	}{
		{"late, to a caller that gave up", func(b *fake.Browser, asked int64) { b.Reply(asked - 2) }, 0},
		{"late, of a target that closed", func(b *fake.Browser, asked int64) { b.Reply(asked - 1) }, 0},
		{"once more", func(b *fake.Browser, asked int64) { b.Reply(asked) }, 1},
		{"late, and once more", func(b *fake.Browser, asked int64) { b.Reply(asked - 2); b.Reply(asked - 2) }, 1},
		{"never asked", func(b *fake.Browser, _ int64) { b.Reply(1 << 40); b.Reply(-7); b.Reply(1<<40 + 1) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := fake.New()
			b.Answer(cdppage.Reload.Method, func(fake.Call) (any, error) { return nil, fake.ErrSilence })
			var said bytes.Buffer
			c := devtools.New(b, slog.New(slog.NewTextHandler(&said, nil)), nil)
			served := make(chan error, 1)
			go func() { served <- c.Serve(context.WithoutCancel(t.Context())) }()
			s := attach(t, c, "T1")
			unread, _, err := c.Send(t.Context(), c.Root, cdppage.Reload.Method, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Forget(unread)
			if _, _, err := c.Send(t.Context(), s, cdppage.Reload.Method, nil); err != nil {
				t.Fatal(err)
			}
			b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: s.ID})
			<-s.Done
			asked, p, err := c.Send(t.Context(), c.Root, target.ActivateTarget.Method, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Root.Await(t.Context(), target.ActivateTarget.Method, asked, p, nil); err != nil {
				t.Fatal(err)
			}
			test.reply(b, asked)
			// What is asked last is answered when everything before it was read.
			if _, err := cdp.Call(t.Context(), c.Root, target.ActivateTarget, target.ActivateTargetParams{}); err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-served; !errors.Is(err, devtools.ErrPipeEnded) {
				t.Fatal(err)
			}
			if got := strings.Count(said.String(), "level=ERROR"); got != test.want {
				t.Errorf("%d alarms, want %d:\n%s", got, test.want, said.String())
			}
		})
	}
}

// What another program sends passes as it is, and its answer comes in the order of the events.
func TestRelay(t *testing.T) {
	b, c := connect(t)
	s := attach(t, c, "T1")
	var got []string
	done := make(chan struct{})
	s.Follow(func(e devtools.Event) { got = append(got, string(e.Params)) })
	b.Answer("Some.method", func(call fake.Call) (any, error) {
		b.Emit(s.ID, "Some.event", map[string]int{"n": 1})
		return map[string]string{"was": string(call.Params)}, nil
	})
	if err := s.Relay(t.Context(), "Some.method", []byte(`{"x":[1]}`), nil, func(result jsonv2.Value, err error) {
		got = append(got, string(result), fmt.Sprint(err))
	}); err != nil {
		t.Fatal(err)
	}
	b.Answer("Some.other", func(fake.Call) (any, error) { return nil, errors.New("no") })
	if err := s.Relay(t.Context(), "Some.other", nil, nil, func(_ jsonv2.Value, err error) {
		got = append(got, err.Error())
		close(done)
	}); err != nil {
		t.Fatal(err)
	}
	<-done
	want := []string{`{"n":1}`, `{"was":"{\"x\":[1]}"}`, "<nil>", "Some.other: no"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	ended := make(chan error, 1)
	b.Answer("Some.silent", func(fake.Call) (any, error) { return nil, fake.ErrSilence })
	if err := s.Relay(t.Context(), "Some.silent", nil, nil, func(_ jsonv2.Value, err error) { ended <- err }); err != nil {
		t.Fatal(err)
	}
	c.Fail(devtools.ErrPipeEnded)
	if err := <-ended; !errors.Is(err, devtools.ErrPipeEnded) {
		t.Errorf("%v", err)
	}
}
