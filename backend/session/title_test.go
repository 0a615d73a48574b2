package session

import (
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// A session can have any name; its folder gets a safe one.
func TestASessionHasAnyName(t *testing.T) {
	m := withActivity(t)
	for _, c := range []struct {
		title string
		name  protocol.SessionName
	}{
		{"work", "work"},
		{"My work", "my-work"},
		{"my-work!", "my-work-2"},
		{"  Größe   ändern ", "gr-e-ndern"},
		{"東京", "session"},
		{"🐟", "session-2"},
		{"../../etc/passwd", "etc-passwd"},
		{strings.Repeat("long name ", 6), "long-name-long-name-long-nam"},
	} {
		name, err := m.CreateTitled(t.Context(), c.title)
		if err != nil || name != c.name {
			t.Errorf("%q: %q, %v", c.title, name, err)
			continue
		}
		if _, err := protocol.ParseSessionName(string(name)); err != nil {
			t.Error(err)
		}
		s, err := m.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(strings.Fields(c.title), " "); s.called() != want {
			t.Errorf("%q is called %q", c.title, s.called())
		}
		if got := config.ReadTitle(m.cfg.Dirs, name); got != s.title {
			t.Errorf("%q: %q is on the disk", c.title, got)
		}
	}
	for _, title := range []string{"", "  ", "My work", "a\u202eb", "a\x00b", strings.Repeat("x", 65)} {
		if name, err := m.CreateTitled(t.Context(), title); err == nil {
			t.Errorf("%q became %q", title, name)
		}
	}
}
