package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// firstConversation and secondConversation are conversations that the tests create.
const (
	firstConversation  = protocol.ConversationID("5f0c8c3a-61c1-4c3e-9a36-3b1f0f6a0001")
	secondConversation = protocol.ConversationID("5f0c8c3a-61c1-4c3e-9a36-3b1f0f6a0002")
)

// scripted returns the command line of the agent that does what a prompt says.
func (p *product) scripted(args ...string) string {
	p.t.Helper()
	path := filepath.Join(p.bin, "scripted")
	if _, err := os.Stat(path); err != nil {
		build := exec.CommandContext(p.ctx, "go", "build", "-o", path, "./backend/chat/acp/fakes/scripted")
		build.Dir = repoRoot(p.t)
		if out, err := build.CombinedOutput(); err != nil {
			p.t.Fatalf("building the scripted agent: %v\n%s", err, out)
		}
	}
	return strings.Join(append([]string{path}, args...), " ")
}

// begin creates a conversation with the scripted agent beside a tab.
func (p *product) begin(id protocol.ConversationID, tab protocol.TabID, title string, args ...string) {
	p.t.Helper()
	p.request("/chat/start", protocol.ChatStartRequest{Conversation: id, Tab: tab, Agent: protocol.AgentCustom, Command: p.scripted(args...), Title: title}, nil)
}

// history returns a conversation from the journal.
func (p *product) history(id protocol.ConversationID) protocol.ChatPage {
	p.t.Helper()
	var page protocol.ChatPage
	p.request("/chat/history", protocol.ChatHistoryRequest{Conversation: id, Limit: protocol.ChatPageMax}, &page)
	return page
}

// toChat opens the Chat face.
func (p *product) toChat(panel *tap.Page) {
	p.t.Helper()
	p.until(panel, "the faces are there", `document.querySelector('[aria-label=Faces] [role=tab]:nth-child(2)')`)
	if err := panel.Eval(p.ctx, `document.querySelector('[aria-label=Faces] [role=tab]:nth-child(2)').click()`, nil); err != nil {
		p.t.Fatal(err)
	}
	p.until(panel, "there is something to write into", composer)
}

// composer is the expression for the input of Chat; that of Task may be there, too.
const composer = `document.querySelector('form textarea[aria-label^="Message to "]')`

// say types a message and sends it.
func (p *product) say(panel *tap.Page, text string) {
	p.t.Helper()
	p.until(panel, "a message can be written", composer)
	if err := panel.Eval(p.ctx, composer+".focus()", nil); err != nil {
		p.t.Fatal(err)
	}
	if err := panel.Type(p.ctx, text+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// saidText is a script for the text of the conversation in view.
const saidText = `[...document.querySelectorAll('article')].map((one) => one.innerText).join('\n')`

// untilSaid waits until the conversation in view contains a text.
func (p *product) untilSaid(panel *tap.Page, text string) {
	p.t.Helper()
	p.until(panel, fmt.Sprintf("the conversation says %q", text), fmt.Sprintf("(%s).includes(%s)", saidText, strconv.Quote(text)))
}

// press clicks the button with a name once it can be clicked: a click on a button that is
// disabled for a moment has no effect.
func (p *product) press(panel *tap.Page, name string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll('button:enabled')].find((b) => b.checkVisibility() && (b.ariaLabel ?? b.textContent.trim()) === %s)`, strconv.Quote(name))
	// The click is in the same round as the look, so that the button cannot go between them.
	p.until(panel, "there is a button "+name, fmt.Sprintf(`(() => { const b = %s; b?.click(); return b !== undefined })()`, find))
}

// TestChatFirstMessage is the first use of Chat: without account or agent, an
// instruction is carried out.
func TestChatFirstMessage(t *testing.T) {
	pages := site(t)
	p, browser, panel := shared(t)
	p.toChat(panel)
	p.say(panel, "go to "+pages+"/first")
	p.page(browser, "/first")
	p.untilSaid(panel, "Done in")
	p.say(panel, "what does this mean for me?")
	p.until(panel, "Pilot says that it does not understand", fmt.Sprintf(`(%s).match(/Done in/g).length === 2`, saidText))
}

// TestChatTwoTabs: agents stream in two tabs at the same time, and nothing is
// mixed up.
func TestChatTwoTabs(t *testing.T) {
	pages := site(t)
	p, _, panel := shared(t)
	p.toChat(panel)
	other := p.made("newtab", pages+"/second")
	p.begin(firstConversation, "t1", "One")
	p.begin(secondConversation, protocol.TabID(other), "Two")
	for id, name := range map[protocol.ConversationID]string{firstConversation: "alpha", secondConversation: "omega"} {
		p.request("/chat/send", protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(id) + "m", Text: "say " + name + "-begins ; slow 150 10 ; say " + name + "-ends"}, nil)
	}
	p.cli("tab", "t1")
	p.untilSaid(panel, "alpha-begins")
	p.cli("tab", other)
	p.untilSaid(panel, "omega-begins")
	p.untilSaid(panel, "omega-ends")
	p.cli("tab", "t1")
	p.untilSaid(panel, "alpha-ends")
	var said string
	if err := panel.Eval(p.ctx, saidText, &said); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ReplaceAll(said, "say alpha", ""), "omega") {
		t.Errorf("the conversation of t1 has words of the other one: %s", said)
	}
}

// TestChatReopened closes the panel in the middle of an answer and opens it
// again: nothing is lost or duplicated.
func TestChatReopened(t *testing.T) {
	p, browser, panel := shared(t)
	p.toChat(panel)
	p.begin(firstConversation, "t1", "One")
	p.request("/chat/send", protocol.ChatSendRequest{Conversation: firstConversation, Message: "m1", Text: "say begin ; slow 400 10 ; say finis"}, nil)
	p.chooseConversation(panel, "One")
	p.untilSaid(panel, "the quick brown fox")
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		t.Fatal(err)
	}
	p.eventually("the panel is gone", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelAbsent })
	p.openPanel()
	panel = p.panel(browser)
	p.untilSaid(panel, "finis")
	p.untilSaid(panel, "Done in")
	p.saidAsWritten(panel)

	// The panel's document is reloaded repeatedly while the answer continues, and
	// a message is sent from each.
	p.say(panel, "say over ; slow 500 10 ; ask go on ; say omega")
	for i := 1; i <= 3; i++ {
		p.until(panel, "it is being said", `[...document.querySelectorAll('article.text')].at(-1)?.innerText.includes('over')`)
		if err := panel.Call(p.ctx, "Page.reload", nil, nil); err != nil {
			t.Fatal(err)
		}
		p.say(panel, fmt.Sprintf("say waited %d", i))
		p.until(panel, "it waits", fmt.Sprintf(`document.querySelectorAll('[aria-label="Queued messages"] li').length === %d`, i))
	}
	p.allow(panel)
	p.until(panel, "the last has its end", lastHasItsEnd)
	p.drawnAsWritten(panel, firstConversation)
	kinds := map[protocol.ChatEntryKind]int{}
	for _, e := range p.history(firstConversation).Entries {
		kinds[e.Kind]++
	}
	if kinds[protocol.EntryUser] != 5 || kinds[protocol.EntryEnd] != 5 {
		t.Errorf("five messages were sent; the conversation has %d, with %d ends", kinds[protocol.EntryUser], kinds[protocol.EntryEnd])
	}
}

// lastHasItsEnd is true when the last entry is the end of the turn that says "waited 3". An
// end without a look at its place may be that of the turn before.
const lastHasItsEnd = `[...document.querySelectorAll('article.text')].at(-1)?.innerText.includes('waited 3') && [...document.querySelectorAll('article')].at(-1)?.matches('.end') && [...document.querySelectorAll('article.end')].at(-1).innerText.includes('Done in')`

// drawnAsWritten compares the entries that the panel draws, which are those near
// its viewport, with the journal.
func (p *product) drawnAsWritten(panel *tap.Page, id protocol.ConversationID) {
	p.t.Helper()
	var drawn []struct{ ID, Text string }
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('article.text')].map((one) => ({ id: one.dataset.entry, text: one.innerText }))`, &drawn); err != nil {
		p.t.Fatal(err)
	}
	written := map[string]string{}
	for _, e := range p.history(id).Entries {
		written[e.ID] = e.Text
	}
	if len(drawn) == 0 {
		p.t.Error("the panel draws nothing that was said")
	}
	for _, one := range drawn {
		text, ok := written[one.ID]
		delete(written, one.ID) // so that a duplicate is not found
		if got, want := strings.Fields(one.Text), strings.Fields(text); !ok || strings.Join(got, " ") != strings.Join(want, " ") {
			p.t.Errorf("entry %s is drawn as\n%s\nand written as\n%s", one.ID, one.Text, text)
		}
	}
}

// saidAsWritten compares the agent's text in firstConversation in the panel with the
// journal: nothing is lost or duplicated.
func (p *product) saidAsWritten(panel *tap.Page) {
	p.t.Helper()
	want := ""
	for _, e := range p.history(firstConversation).Entries {
		if e.Kind == protocol.EntryText {
			want += e.Text + " "
		}
	}
	var said string
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('article.text')].map((one) => one.innerText).join(' ')`, &said); err != nil {
		p.t.Fatal(err)
	}
	if got, want := strings.Fields(said), strings.Fields(want); strings.Join(got, " ") != strings.Join(want, " ") {
		p.t.Errorf("the panel shows %d words, the journal has %d:\n%s\n%s", len(got), len(want), said, want)
	}
}

// allow answers the question of the conversation in view.
func (p *product) allow(panel *tap.Page) {
	p.t.Helper()
	// A press right after the question was drawn does not count.
	p.eventually("the question is answered", func() bool {
		var answered bool
		const focus = `(() => {
			[...document.querySelectorAll('article.permission section button')].find((b) => b.textContent.trim() === 'Allow')?.focus();
			return document.querySelector('article.permission details') !== null;
		})()`
		if err := panel.Eval(p.ctx, focus, &answered); err != nil {
			p.t.Fatal(err)
		}
		if !answered {
			if err := panel.Type(p.ctx, "\n"); err != nil {
				p.t.Fatal(err)
			}
		}
		return answered
	})
}

// chooseConversation opens a conversation by its title.
func (p *product) chooseConversation(panel *tap.Page, title string) {
	p.t.Helper()
	if err := panel.Eval(p.ctx, `document.querySelector('header .title').click()`, nil); err != nil {
		p.t.Fatal(err)
	}
	find := fmt.Sprintf(`[...document.querySelectorAll('section li > button')].find((b) => b.textContent.includes(%s))`, strconv.Quote(title))
	p.until(panel, "the conversation is listed: "+title, find)
	if err := panel.Eval(p.ctx, find+".click()", nil); err != nil {
		p.t.Fatal(err)
	}
}

// TestChatPermissionFromTray asks for permission, and the user answers in the
// tray's menu: a request with arguments that do not fit there can only be denied.
func TestChatPermissionFromTray(t *testing.T) {
	p, _, panel := shared(t)
	p.begin(firstConversation, "t1", "One")
	p.toChat(panel)
	p.say(panel, "ask rm -rf build ; say went on")
	p.until(panel, "the question is in the conversation", `document.querySelector('article.permission section')?.innerText.includes('rm -r build')`)
	p.until(panel, "it is asked once", `!document.querySelector('[aria-label="Waiting for your approval"]')`)
	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := item.WaitMenu(p.ctx, hasLabel("Deny: "))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Label, "Deny: ") {
			if err := item.Click(p.ctx, e.Label); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	p.untilSaid(panel, "went on")
	p.until(panel, "the question is one line", `document.querySelector('article.permission details') && !document.querySelector('article.permission section')`)
}
