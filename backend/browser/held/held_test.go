package held

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/keys"
	"pilotfish/backend/browser/page"
)

// said describes messages in short form.
func said(messages []effects.Message) []string {
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

func presses(t *testing.T, text string) []keys.Chord {
	t.Helper()
	all, err := keys.ReadPresses(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTake: everything that is held down goes up in the opposite order, once.
func TestTake(t *testing.T) {
	h := &State{}
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
