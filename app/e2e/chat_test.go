package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// chat sends a request to a route of Chat as a user's shell does.
func (p *product) chat(path string, in, out any) {
	p.t.Helper()
	endpoint := p.endpoint()
	body, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.ctx, http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", endpoint.Port, path), bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+endpoint.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		var refused protocol.ErrorReply
		_ = json.NewDecoder(resp.Body).Decode(&refused)
		p.t.Fatalf("%s: %s: %+v", path, resp.Status, refused)
	}
	if out != nil {
		if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
			p.t.Fatal(err)
		}
	}
}

// begin creates a conversation with the scripted agent beside a tab.
func (p *product) begin(id protocol.ConversationID, tab protocol.TabID, title string, args ...string) {
	p.t.Helper()
	p.chat("/chat/start", protocol.ChatStartRequest{Conversation: id, Tab: tab, Agent: protocol.AgentCustom, Command: p.scripted(args...), Title: title}, nil)
}

// history returns a conversation from the journal.
func (p *product) history(id protocol.ConversationID) protocol.ChatPage {
	p.t.Helper()
	var page protocol.ChatPage
	p.chat("/chat/history", protocol.ChatHistoryRequest{Conversation: id, Limit: protocol.ChatPageMax}, &page)
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
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
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
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.toChat(panel)
	p.cli("newtab", pages+"/second")
	p.begin(firstConversation, "t1", "One")
	p.begin(secondConversation, "t2", "Two")
	for id, name := range map[protocol.ConversationID]string{firstConversation: "alpha", secondConversation: "omega"} {
		p.chat("/chat/send", protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(id) + "m", Text: "say " + name + "-begins ; slow 150 10 ; say " + name + "-ends"}, nil)
	}
	p.cli("tab", "t1")
	p.untilSaid(panel, "alpha-begins")
	p.cli("tab", "t2")
	p.untilSaid(panel, "omega-begins")
	p.untilSaid(panel, "omega-ends")
	p.cli("tab", "t1")
	p.untilSaid(panel, "alpha-ends")
	var said string
	if err := panel.Eval(p.ctx, saidText, &said); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ReplaceAll(said, "say alpha", ""), "omega") {
		t.Errorf("the conversation of t1 has words of t2's: %s", said)
	}
}

// TestChatReopened closes the panel in the middle of an answer and opens it
// again: nothing is lost or duplicated.
func TestChatReopened(t *testing.T) {
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.toChat(panel)
	p.begin(firstConversation, "t1", "One")
	p.chat("/chat/send", protocol.ChatSendRequest{Conversation: firstConversation, Message: "m1", Text: "say begin ; slow 400 10 ; say finis"}, nil)
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

// TestChatWorkerStopped makes the browser stop the extension's worker in the
// middle of an answer: the answer continues, and the user's next message arrives.
// The question makes sure that the turn does not end before the worker is
// stopped.
func TestChatWorkerStopped(t *testing.T) {
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.begin(firstConversation, "t1", "One")
	p.toChat(panel)
	p.say(panel, "say begin ; slow 200 10 ; ask go on ; slow 200 10 ; say finis")
	p.untilSaid(panel, "the quick brown fox")
	welcome := p.page(browser, "/welcome")
	for range 2 {
		if err := welcome.Call(p.ctx, "ServiceWorker.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := welcome.Call(p.ctx, "ServiceWorker.stopAllWorkers", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	p.allow(panel)
	p.until(panel, "the answer has its end", `[...document.querySelectorAll('article.text')].some((one) => one.innerText.includes('finis'))`)
	p.untilSaid(panel, "Done in")
	p.saidAsWritten(panel)
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

// TestChatAgentKilled kills the agent in the middle of a turn: the turn ends with
// the reason, and one click starts the agent again.
func TestChatAgentKilled(t *testing.T) {
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.begin(firstConversation, "t1", "One", "-state", filepath.Join(p.home, "agent"))
	p.toChat(panel)
	p.say(panel, "say last words ; kill")
	p.untilSaid(panel, "last words")
	p.press(panel, "Restart")
	p.until(panel, "the agent runs again", `![...document.querySelectorAll('button')].some((b) => b.checkVisibility() && b.textContent.trim() === 'Restart')`)
	p.say(panel, "say and back again")
	p.until(panel, "it answers", `[...document.querySelectorAll('article.text')].some((one) => one.innerText.includes('and back again'))`)
}

// TestChatAppKilled kills the app in the middle of a turn: at the next start the
// turn has ended, the messages are there, and queued messages still wait.
func TestChatAppKilled(t *testing.T) {
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.begin(firstConversation, "t1", "One", "-state", filepath.Join(p.home, "agent"))
	p.toChat(panel)
	p.say(panel, "say before the end ; silent")
	p.untilSaid(panel, "before the end")
	for i := 1; i <= protocol.ChatQueue; i++ {
		p.say(panel, fmt.Sprintf("say waiting %d", i))
		p.until(panel, "it waits", fmt.Sprintf(`document.querySelectorAll('[aria-label="Queued messages"] li').length === %d`, i))
	}
	p.say(panel, "say one too many")
	p.until(panel, "the sixth stays in the input, with words", `document.querySelector('[role=alert]') && document.querySelector('form textarea').value === 'say one too many'`)
	p.eventually("its draft is kept", func() bool { return p.history(firstConversation).Head.Draft == "say one too many" })

	if err := syscall.Kill(p.app.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.done
	p.eventually("nothing of ours is left", func() bool { return len(p.ours()) == 0 })
	p.launch(options{})
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.toChat(panel)
	p.chooseConversation(panel, "One")
	p.untilSaid(panel, "before the end")
	p.until(panel, "what waited waits", fmt.Sprintf(`document.querySelectorAll('[aria-label="Queued messages"] li').length === %d`, protocol.ChatQueue))
	ends := 0
	for _, e := range p.history(firstConversation).Entries {
		if e.End != nil && e.End.Reason == protocol.EndRestarted {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("the turn has %d ends that say that Pilotfish ended, want one", ends)
	}
	p.until(panel, "the draft is there", `document.querySelector('form textarea').value === 'say one too many'`)
}

// TestChatPermissionFromTray asks for permission, and the user answers in the
// tray's menu: a request with arguments that do not fit there can only be denied.
func TestChatPermissionFromTray(t *testing.T) {
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
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
