package input

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

// The notation of presses, and which keys go down for them.
func TestReadPresses(t *testing.T) {
	for text, want := range map[string][]string{
		"Enter": {"Enter"}, "a": {"KeyA"}, "KeyW": {"KeyW"}, "Digit1": {"Digit1"}, "F5": {"F5"}, "numpad7": {"Numpad7"},
		"Control+Shift+K": {"ControlLeft", "ShiftLeft", "KeyK"}, "Cmd+c": {"MetaLeft", "KeyC"}, "ShiftRight+a": {"ShiftRight", "KeyA"},
		"Control++": {"ControlLeft", "Equal"}, "Escape Tab": {"Escape", "Tab"},
	} {
		presses, err := readPresses(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, p := range presses {
			for _, k := range p.Keys() {
				got = append(got, k.Code)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s is %q, not %q", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s is %q, not %q", text, got, want)
			}
		}
	}
	for _, text := range []string{"", "  ", "Hyper+a", "Nokey"} {
		if presses, err := readPresses(text); err == nil {
			t.Errorf("%q is read as %+v", text, presses)
		}
	}
}

// The name and the text of a key with modifiers held down.
func TestUnder(t *testing.T) {
	for _, c := range []struct {
		key  string
		mods int64
		want string
	}{{"a", 0, "a"}, {"a", shift, "A"}, {"K", control, "k"}, {"1", shift, "!"}, {"1", control, "1"}, {"Enter", shift, "Enter"}} {
		k, ok := readKey(c.key)
		if !ok {
			t.Fatalf("there is no key %s", c.key)
		}
		if got := k.Under(c.mods); got.Name != c.want {
			t.Errorf("%s with %d is %s, not %s", c.key, c.mods, got.Name, c.want)
		}
	}
}

// A key types text unless a modifier prevents it, and triggers an editing command
// with some modifiers.
func TestDown(t *testing.T) {
	a, ok := keyOf('a')
	if !ok {
		t.Fatal("there is no key for a")
	}
	if e := a.Down(0, false); e.Type != input.DispatchKeyEventTypeKeyDown || e.Text != "a" || e.AutoRepeat != nil {
		t.Errorf("a is %+v", e)
	}
	if e := a.Down(control, true); e.Type != input.DispatchKeyEventTypeRawKeyDown || e.Text != "" || e.AutoRepeat == nil || len(e.Commands) != 1 || e.Commands[0] != "SelectAll" {
		t.Errorf("Control+a, again, is %+v", e)
	}
	if _, ok := keyOf('ß'); ok {
		t.Error("the layout has a key for ß")
	}
}
