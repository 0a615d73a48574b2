package peers

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestRefsOfEverySnapshot(t *testing.T) {
	for _, c := range []struct{ snap, name, want string }{
		{"page \"Bench\" http://x 1280x713 [↑0 ↓0]\ne16 btn Add [focused]\nf2e3 edit Name", "Add", "e16"},
		{"e16 btn Add\n f2e3 edit Name", "Name", "f2e3"},
		{"- button \"Add\" [ref=e2]\n- textbox \"Name\" [ref=e4]", "Name", "e4"},
		{"  - button \"Add\" [active] [ref=f1e2] [cursor=pointer]", "Add", "f1e2"},
		{"- textbox \"Name\" [disabled, ref=e9]", "Name", "e9"},
		{"uid=1_0 RootWebArea \"Add\" url=\"x\"\n  uid=1_2 button \"Name\" focused", "Name", "1_2"},
	} {
		if got, err := RefIn(c.snap, c.name); err != nil || got != c.want {
			t.Errorf("%s in %q: %q, %v", c.name, c.snap, got, err)
		}
	}
	if _, err := RefIn("e1 btn Address", "Add"); err == nil {
		t.Error("a longer name was taken")
	}
}

// A peer that fails is left out with a note; a failure of ours is an error.
func TestAPeerThatFailsIsLeftOut(t *testing.T) {
	c := &Group{Drivers: []Driver{&Program{called: Ours}, &Program{called: "a", end: func(context.Context) error { return nil }}, &Program{called: "b"}}}
	took := Samples{}
	err := c.Turns(t.Context(), 4, func(_ context.Context, d Driver, i int) error {
		if d.Name() == "a" && i == 1 {
			return errors.New("it hangs")
		}
		took.Add(d.Name(), 1)
		return nil
	})
	if err != nil || len(c.Only(took)) != 2 || len(took[Ours]) != 4 || len(took["b"]) != 4 {
		t.Errorf("%v, %v", took, err)
	}
	if len(c.Missing) != 1 || !strings.Contains(c.Missing[0], "it hangs") {
		t.Errorf("missing = %v", c.Missing)
	}
	if err := c.Turns(t.Context(), 1, func(context.Context, Driver, int) error { return errors.New("no") }); err == nil {
		t.Error("our own failure was passed over")
	}
}
