package devtools_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
)

// A page or a worker that several sessions hold runs when all of them are ready, and not before: the
// first would let it go while the rules of the others do not hold yet.
func TestResume(t *testing.T) {
	// started makes a browser that has attached two sessions to a target.
	started := func(t *testing.T, kind string) (b *fake.Browser, first, second *devtools.Session) {
		t.Helper()
		b, c := connect(t)
		var sessions []*devtools.Session
		for i := range 2 {
			id := target.SessionID(fmt.Sprintf("W%d", i))
			b.Emit("", target.AttachedToTarget.Method, target.EventAttachedToTarget{
				SessionID: id, WaitingForDebugger: true, TargetInfo: &target.Info{TargetID: "T", Type: kind},
			})
			if _, err := cdp.Call(t.Context(), c.Root, target.GetTargets, target.GetTargetsParams{}); err != nil {
				t.Fatal(err) // its answer comes after the event
			}
			sessions = append(sessions, c.Session(id))
		}
		return b, sessions[0], sessions[1]
	}
	// run are the sessions that the target was resumed on, after all commands of s.
	run := func(t *testing.T, b *fake.Browser, s *devtools.Session) (on []target.SessionID) {
		t.Helper()
		if s != nil {
			if _, err := cdp.Call(t.Context(), s, network.Enable, network.EnableParams{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, call := range b.Calls() {
			if call.Method == runtime.RunIfWaitingForDebugger.Method {
				on = append(on, call.Session)
			}
		}
		slices.Sort(on)
		return on
	}
	both := []target.SessionID{"W0", "W1"}
	// resumed answers when the target was resumed n times.
	resumed := func(b *fake.Browser, n int32) <-chan struct{} {
		all := make(chan struct{})
		var count atomic.Int32
		b.Answer(runtime.RunIfWaitingForDebugger.Method, func(fake.Call) (any, error) {
			if count.Add(1) == n {
				close(all)
			}
			return struct{}{}, nil
		})
		return all
	}
	for _, kind := range []string{"shared_worker", "service_worker"} {
		t.Run(kind, func(t *testing.T) {
			b, first, second := started(t, kind)
			all := resumed(b, 2)
			asked := make(chan struct{}, 2)
			b.Answer(runtime.GetIsolateID.Method, func(fake.Call) (any, error) { asked <- struct{}{}; return struct{}{}, nil })
			devtools.Resume(t.Context(), first)
			<-asked
			if on := run(t, b, first); len(on) > 0 {
				t.Errorf("the first let it run: %v", on)
			}
			devtools.Resume(t.Context(), second)
			<-all
			if on := run(t, b, nil); !slices.Equal(on, both) {
				t.Errorf("it was resumed on %v", on)
			}
		})
	}
	t.Run("the other ends", func(t *testing.T) {
		b, first, second := started(t, "shared_worker")
		all := resumed(b, 1)
		devtools.Resume(t.Context(), first)
		b.Emit("", target.DetachedFromTarget.Method, target.EventDetachedFromTarget{SessionID: second.ID})
		<-all
	})
	t.Run("the first lets go", func(t *testing.T) {
		b, first, second := started(t, "service_worker")
		all := resumed(b, 2)
		gone := make(chan struct{})
		b.Answer(target.DetachFromTarget.Method, func(fake.Call) (any, error) {
			close(gone)
			return struct{}{}, nil
		})
		devtools.LetGo(t.Context(), first)
		if on := run(t, b, first); len(on) > 0 {
			t.Errorf("the first let it run: %v", on)
		}
		devtools.Resume(t.Context(), second)
		<-all
		<-gone // when it runs
	})
	t.Run("a page", func(t *testing.T) {
		b, first, second := started(t, "page")
		all := resumed(b, 2)
		devtools.Resume(t.Context(), first)
		if _, err := cdp.Call(t.Context(), first.Parent, target.GetTargets, target.GetTargetsParams{}); err != nil {
			t.Fatal(err)
		}
		if on := run(t, b, first); len(on) > 0 {
			t.Errorf("the first let it run: %v", on)
		}
		devtools.LetGo(t.Context(), second)
		<-all
	})
	t.Run("a frame", func(t *testing.T) {
		b, first, _ := started(t, "iframe") // Chromium waits for each of its sessions
		devtools.Resume(t.Context(), first)
		if on := run(t, b, first); !slices.Equal(on, both[:1]) {
			t.Errorf("it was resumed on %v", on)
		}
	})
}
