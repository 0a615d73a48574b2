package e2e

import (
	"strings"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// hasLabel matches a menu in which an entry contains a text.
func hasLabel(part string) func([]desktop.Entry) bool {
	return func(entries []desktop.Entry) bool {
		for _, label := range desktop.Labels(entries) {
			if strings.Contains(label, part) {
				return true
			}
		}
		return false
	}
}

// TestTwoTabsTwoAgents runs an agent in each of two tabs: each controls its own
// tab, and the panel shows the one beside the page.
func TestTwoTabsTwoAgents(t *testing.T) {
	pages := site(t)
	p, browser, panel := shared(t)
	p.typeLine(panel, "echo I am beside $PILOTFISH_TAB")
	p.untilScreen(panel, "I am beside t1")

	second := p.made("newtab", pages+"/second")
	p.cli("tab", second)
	p.until(panel, "the empty tab offers to start its agent", `[...document.querySelectorAll('button')].some((b) => b.checkVisibility() && /^Start/.test(b.textContent.trim()))`)
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('button')].find((b) => b.checkVisibility() && /^Start/.test(b.textContent.trim())).click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo I am beside $PILOTFISH_TAB; pilotfish goto "+pages+"/two")
	p.untilScreen(panel, "I am beside "+second)
	p.page(browser, "/two")

	// The first agent navigates its own tab, which is in the background, and no
	// other.
	p.cli("tab", "t1")
	p.untilScreen(panel, "I am beside t1")
	p.typeLine(panel, "pilotfish goto "+pages+"/one; pilotfish goto --tab "+second+" "+pages+"/stolen; echo code $?")
	p.untilScreen(panel, "code 4")
	p.eventually("t1 is at /one and the other one still at /two", func() bool {
		urls := map[protocol.TabID]string{}
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			urls[tab.ID] = tab.URL
		}
		return strings.HasSuffix(urls["t1"], "/one") && strings.HasSuffix(urls[protocol.TabID(second)], "/two")
	})

	// A tab that its page opened belongs to the agent, too.
	one := p.page(browser, "/one")
	if err := one.Eval(p.ctx, `void window.open("/popup", "_blank", "noopener")`, nil); err != nil {
		t.Fatal(err)
	}
	p.page(browser, "/popup")
	popup := ""
	p.eventually("the app has the tab", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if strings.HasSuffix(tab.URL, "/popup") {
				popup = string(tab.ID)
			}
		}
		return popup != ""
	})
	p.cli("tab", "t1")
	p.untilScreen(panel, "I am beside t1")
	p.typeLine(panel, "clear; pilotfish title --tab "+popup+"; pilotfish goto --tab "+popup+" "+pages+"/followed; echo code $?")
	p.untilScreen(panel, "code 0")

	// A tab that never existed is an error, never another tab.
	if out, err := p.cliRun("goto", "--tab", "t9999", pages+"/ghost"); err == nil || !strings.Contains(out, "t9999") {
		t.Errorf("goto in t9999: %v %s", err, out)
	}
}
