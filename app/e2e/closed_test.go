package e2e

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// closeBrowser closes the browser's window, as a user does.
func (p *product) closeBrowser() {
	p.t.Helper()
	window, err := p.desk.WaitWindow(p.ctx, "Chromium$")
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.desk.CloseWindow(p.ctx, window); err != nil {
		p.t.Fatal(err)
	}
}

// addresses are those of the open tabs by their ids.
func (p *product) addresses() (all []string) {
	for _, tab := range p.session(protocol.DefaultSession).Tabs {
		all = append(all, string(tab.ID)+" "+tab.URL)
	}
	slices.Sort(all)
	return all
}

// TestBrowserClosed closes the browser's window. While a program works in a terminal, the
// session goes on without a window, and the browser opens again beside the same program.
// While nothing works, the session stops. In both cases the tabs come back.
func TestBrowserClosed(t *testing.T) {
	pages := site(t)
	p, _, panel := shared(t)
	for _, page := range []string{"/second", "/third"} {
		p.made("newtab", pages+page)
	}
	p.cli("tab", "t1")
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "sed -u 's/^/got /;/end/q'")
	p.eventually("the program works", func() bool { return p.terminal().Status == protocol.AgentWorking })
	before, tabs, shown := p.terminal(), p.addresses(), notifications()

	p.closeBrowser()
	p.eventually("the session goes on without a window", func() bool {
		return p.session(protocol.DefaultSession).State == protocol.SessionBackground
	})
	if note, err := shown.WaitNote(p.ctx); err != nil || !strings.Contains(note.Title, "still at work") {
		t.Errorf("the user is told %+v, %v", note, err)
	}
	if now := p.addresses(); !slices.Equal(now, tabs) {
		t.Errorf("it has the tabs %q, not %q", now, tabs)
	}
	if out, err := p.cliRun("title", "--tab", "t1"); err == nil || !strings.Contains(out, "not running") || !strings.Contains(out, "start") {
		t.Errorf("a command without a browser says %q, %v", out, err)
	}
	p.cli("sessions", "start", "default")
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "sed -u")
	p.typeLine(panel, "the same program")
	p.untilScreen(panel, "got the same program")
	if after := p.terminal(); after.PID != before.PID || after.Epoch != before.Epoch || after.Tab != before.Tab {
		t.Errorf("the terminal was %+v, and is %+v", before, after)
	}
	p.eventually("the tabs are back", func() bool { return slices.Equal(p.addresses(), tabs) })

	p.typeLine(panel, "end")
	p.eventually("nothing works", func() bool { return p.terminal().Status == protocol.AgentIdle })
	p.closeBrowser()
	p.eventually("the session stops", func() bool { return p.session(protocol.DefaultSession).State == protocol.SessionStopped })
	p.cli("sessions", "start", "default")
	p.connectedPanel(p.browser(protocol.DefaultSession))
	p.eventually("the tabs are back after the stop", func() bool { return slices.Equal(p.addresses(), tabs) })
}
