package input

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// said describes messages in short form.
func said(messages []message) []string {
	out := make([]string, 0, len(messages))
	for _, m := range messages {
		switch q := m.Params.(type) {
		case input.DispatchKeyEventParams:
			out = append(out, fmt.Sprintf("%s %s %d", q.Type, q.Code, q.Modifiers))
		case input.DispatchMouseEventParams:
			out = append(out, fmt.Sprintf("%s %s %g,%g", q.Type, q.Button, q.X, q.Y))
		default:
			out = append(out, m.Method)
		}
	}
	return out
}

func presses(t *testing.T, text string) []chord {
	t.Helper()
	all, err := readPresses(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestChord: the modifiers of a key combination go down before its key and up after
// it; what is held down stays down.
func TestChord(t *testing.T) {
	press := presses(t, "Control+Shift+k")[0]
	want := []string{
		"rawKeyDown ControlLeft 2", "rawKeyDown ShiftLeft 10", "rawKeyDown KeyK 10",
		"keyUp KeyK 10", "keyUp ShiftLeft 2", "keyUp ControlLeft 0",
	}
	if got := said(chordMessages(press, &heldInput{})); !slices.Equal(got, want) {
		t.Errorf("it is %q", got)
	}
	h := &heldInput{}
	h.Push(presses(t, "Control")[0].Key)
	want = []string{"rawKeyDown ShiftLeft 10", "rawKeyDown KeyK 10", "keyUp KeyK 10", "keyUp ShiftLeft 2"}
	if got := said(chordMessages(press, h)); !slices.Equal(got, want) {
		t.Errorf("with Control held down it is %q", got)
	}
}

// TestCallers: what one caller holds down does not affect another caller.
func TestCallers(t *testing.T) {
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	t1, ok := open.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	if !ok {
		t.Fatal("there is no tab")
	}
	in := New(nil, Config{Open: open})
	ada, bob := protocol.Caller{Name: "ada"}, protocol.Caller{Name: "bob"}
	in.heldBy(ada, t1.ID).Move(page.Point{X: 1.5, Y: 2})
	if got := in.Pointer(ada, t1.ID); got != "1.5,2" {
		t.Errorf("Ada's pointer is at %q", got)
	}
	if got := in.Pointer(bob, t1.ID); got != "" {
		t.Errorf("Bob's pointer is at %q", got)
	}
	open.Destroyed("T1")
	open.Settle(true)
	if got := in.Pointer(ada, t1.ID); got != "" {
		t.Errorf("in a tab that is closed it is at %q", got)
	}
}

// noTabs are the tabs of a browser in which nothing may be done.
type noTabs struct {
	page.Tabs
	t *testing.T
}

func (n noTabs) Beside(_ context.Context, _ protocol.Caller, id protocol.TabID, _ bool, _ func(context.Context, *page.Page) error) error {
	n.t.Errorf("something is done in %s", id)
	return nil
}

// TestLoseHeld: after the browser process died, nothing is held down in the next one,
// and no release events are sent.
func TestLoseHeld(t *testing.T) {
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	t1, _ := open.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	in := New(noTabs{t: t}, Config{Open: open})
	ada, bob := protocol.Caller{Name: "ada"}, protocol.Caller{Name: "bob"}
	for _, who := range []protocol.Caller{ada, bob} {
		in.heldBy(who, t1.ID).Push(presses(t, "Shift")[0].Key)
		in.heldBy(who, t1.ID).Move(page.Point{X: 1, Y: 2})
	}
	in.LoseHeld()
	if h := in.heldBy(ada, t1.ID); len(h.Names()) > 0 || in.Pointer(ada, t1.ID) != "" || h.Mods() != 0 {
		t.Errorf("held: %q, the pointer at %q", h.Names(), in.Pointer(ada, t1.ID))
	}
	if lost := in.heldBy(ada, t1.ID).TakeLost(); !slices.Equal(lost, []string{"Shift"}) {
		t.Errorf("the caller is told of %q", lost)
	}
	in.ReleaseInput(t.Context(), "bob")
}

// TestDropHeld: when a tab navigates to another document, what is held down is
// released, and the caller is informed.
func TestDropHeld(t *testing.T) {
	b, c := fake.Connect(t, nil)
	s, err := c.Attach(t.Context(), "T1")
	if err != nil {
		t.Fatal(err)
	}
	open := tabs.New(0)
	open.TargetInfo(&target.Info{TargetID: "T1", Type: "page", URL: "https://example.com/"})
	t1, _ := open.Find(func(e *tabs.Entry) bool { return e.Target == "T1" })
	in := New(nil, Config{Open: open, Log: slog.New(slog.DiscardHandler)})
	h := in.heldBy(protocol.Caller{}, t1.ID)
	h.Push(presses(t, "Shift")[0].Key)
	went := func(frame string) devtools.Event {
		return devtools.Event{Method: cdppage.FrameNavigated.Method, Params: jsonv2.Value(`{"frame":` + frame + `,"type":"Navigation"}`)}
	}
	released := b.Await(t, input.DispatchKeyEvent.Method)
	p := page.New(s, page.Host{})
	in.DropHeld(p, went(`{"id":"F2","parentId":"T1","loaderId":"L","url":"https://example.com/in"}`))
	if !h.Has(presses(t, "Shift")[0].Key) {
		t.Error("a frame inside went on, and the key is up")
	}
	in.DropHeld(p, went(`{"id":"T1","loaderId":"L","url":"https://example.com/2"}`))
	released()
	if lost := h.TakeLost(); !slices.Equal(lost, []string{"Shift"}) {
		t.Errorf("the caller is told of %q", lost)
	}
}

// TestTake: everything that is held down goes up in the opposite order, once.
func TestTake(t *testing.T) {
	h := &heldInput{}
	for _, k := range presses(t, "Control+Shift+a")[0].Keys() {
		if h.Push(k) {
			t.Errorf("%s was down already", k.Name)
		}
	}
	h.Move(page.Point{X: 3, Y: 4})
	h.Button(1, true)
	if got := h.Names(); !slices.Equal(got, []string{"Control", "Shift", "a", "left mouse button"}) {
		t.Errorf("it holds %q", got)
	}
	if h.Mods() != 2|8 {
		t.Errorf("the modifiers are %d", h.Mods())
	}
	want := []string{"mouseReleased left 3,4", input.SetInterceptDrags.Method, "keyUp KeyA 10", "keyUp ShiftLeft 2", "keyUp ControlLeft 0"}
	if got := said(h.Take()); !slices.Equal(got, want) {
		t.Errorf("it goes up by %q", got)
	}
	if got := h.Take(); len(got) != 0 || h.Idle() { // the pointer position is kept
		t.Errorf("again by %q", said(got))
	}
}
