package e2e

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// TestNewTab opens a tab as a user does: the page is ours, the address bar has
// the keyboard focus, and commands work on the tab without access to the
// extension.
func TestNewTab(t *testing.T) {
	pages := site(t)
	p, browser, _ := shared(t)
	p.pressKey("ctrl+t")
	fresh := p.page(browser, "chrome://newtab")
	p.until(fresh, "the page is ours", `document.querySelector('h1').textContent === 'Where to?'`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "newtab.png")); err != nil {
		t.Error(err)
	}
	var has string
	if err := fresh.Eval(p.ctx, `[self.origin, typeof globalThis.chrome?.runtime, typeof globalThis.chrome?.storage].join(' ')`, &has); err != nil {
		t.Fatal(err)
	}
	if has != "null undefined undefined" {
		t.Errorf("the page has %s", has)
	}
	if tabs := p.cli("tabs"); !strings.Contains(tabs, "chrome://newtab/") {
		t.Errorf("the tabs are %s", tabs)
	}
	if text := p.cli("text", "--tab", string(p.newestTab())); !strings.Contains(text, "Where to?") {
		t.Errorf("its text is %s", text)
	}

	// Typed text is an address.
	if _, err := p.desk.Command(p.ctx, "xdotool", "type", pages+"/typed\n"); err != nil {
		t.Fatal(err)
	}
	p.page(browser, "/typed")

	// A command navigates the tab to another page.
	p.pressKey("ctrl+t")
	p.eventually("there is a third tab", func() bool { return len(p.session(protocol.DefaultSession).Tabs) == 3 })
	p.cli("goto", "--tab", string(p.newestTab()), pages+"/commanded")
	p.page(browser, "/commanded")
}

// newestTab returns the tab that was opened last.
func (p *product) newestTab() protocol.TabID {
	p.t.Helper()
	number := func(tab protocol.Tab) int {
		n, err := strconv.Atoi(strings.TrimPrefix(string(tab.ID), "t"))
		if err != nil {
			p.t.Fatal(err)
		}
		return n
	}
	return slices.MaxFunc(p.session(protocol.DefaultSession).Tabs, func(a, b protocol.Tab) int { return number(a) - number(b) }).ID
}
