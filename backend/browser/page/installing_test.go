package page

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/protocol"
)

// A call into a frame of another process waits until runtime events are enabled
// for that process. Without that, a snapshot reported "not loaded yet" for a
// frame that came back with its page.
func TestWorldOfAFrameThatComes(t *testing.T) {
	for range 50 {
		b := fake.New()
		var mu sync.Mutex
		tells := map[target.SessionID]bool{}
		b.Answer(runtime.Enable.Method, func(c fake.Call) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			tells[c.Session] = true
			return struct{}{}, nil
		})
		b.Answer(cdppage.CreateIsolatedWorld.Method, func(c fake.Call) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			if tells[c.Session] {
				b.Emit(c.Session, runtime.ExecutionContextCreated.Method, map[string]any{"context": map[string]any{
					"id": 7, "name": WorldName, "uniqueId": "world", "origin": "", "auxData": map[string]string{"frameId": "FRAME"},
				}})
			}
			return map[string]int{"executionContextId": 7}, nil
		})
		b.Answer(cdppage.GetFrameTree.Method, func(fake.Call) (any, error) { return nil, errors.New("none") })
		c := devtools.New(b, slog.New(slog.DiscardHandler), nil)
		go func() { _ = c.Serve(t.Context()) }() // ends with the browser
		s, err := c.Attach(t.Context(), "MAIN")
		if err != nil {
			t.Fatal(err)
		}
		p := New(s, Host{Log: slog.New(slog.DiscardHandler), Equipped: func(context.Context, *devtools.Session) error { return nil }}).For(protocol.Caller{})
		p.Frames = newFrames(&Space{Next: 1}, s)
		came := make(chan struct{})
		s.Follow(func(e devtools.Event) {
			p.follow(s, e)
			close(came)
		})
		b.Emit(s.ID, target.AttachedToTarget.Method, target.EventAttachedToTarget{SessionID: "CHILD", TargetInfo: &target.Info{TargetID: "FRAME", Type: "iframe", ParentFrameID: "MAIN"}})
		<-came
		if _, _, err := p.Ready(t.Context(), p.Frames.byID["FRAME"]); err != nil {
			t.Fatal(err)
		}
		_ = b.Close()
		<-c.Done
	}
}
