package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBellOfATerminal rings the bell of a terminal many times while the user is in
// another tab: they get one notification, a click on it shows the terminal, and then
// it is withdrawn. A bell that the user is there for is not one.
func TestBellOfATerminal(t *testing.T) {
	p, _, panel := shared(t)
	notes := notifications()
	p.eventually("the terminal is seen", func() bool { return p.terminal().Shown > 0 })
	p.typeLine(panel, `printf '\a'; echo rang "$((1+1))"`)
	p.untilScreen(panel, "rang 2")
	away := filepath.Join(shortDir(t), "away")
	p.typeLine(panel, `until [ -e '`+away+`' ]; do sleep 0.1; done; for i in $(seq 100); do printf '\a'; sleep 0.001; done; echo rang "$((1+2))"`)
	p.cli("newtab", "--front", "about:blank")
	p.until(panel, "the terminal is not in view", `document.querySelector('.terminal-view:not([hidden])') === null`)
	if len(notes.Shown) > 0 {
		t.Errorf("a bell that the user was there for: %+v", <-notes.Shown)
	}
	if err := os.WriteFile(away, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	note, err := notes.WaitNote(p.ctx)
	if err != nil || !strings.HasPrefix(note.Title, p.terminal().Name) || !strings.HasPrefix(note.Body, "It rang the bell") {
		t.Fatalf("the notification is %+v, %v", note, err)
	}
	if err := notes.Press(note.ID, note.Key("Show")); err != nil {
		t.Fatal(err)
	}
	select {
	case id := <-notes.Closed:
		if id != note.ID {
			t.Errorf("notification %d was withdrawn, not %d", id, note.ID)
		}
	case <-p.ctx.Done():
		t.Fatal("the notification stays although its terminal is before the user")
	}
	p.untilScreen(panel, "rang 3")
	if len(notes.Shown) > 0 {
		t.Errorf("there is another notification: %+v", <-notes.Shown)
	}
}
