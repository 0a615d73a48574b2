package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// pickable is a page whose button fills the viewport and reports when it was
// pressed.
const pickable = `<!doctype html><title>Pick</title><body style="margin:0"><button style="width:100vw;height:100vh" onclick="document.title = 'pressed ' + event.isTrusted"><b>Save</b> it</button>`

// pick starts the picker from the message that is being written.
func (p *product) pick(panel *tap.Page, text string) {
	p.t.Helper()
	if err := panel.Eval(p.ctx, `document.querySelector('form textarea').focus()`, nil); err != nil {
		p.t.Fatal(err)
	}
	if err := panel.Type(p.ctx, text+"@elem"); err != nil {
		p.t.Fatal(err)
	}
	p.until(panel, "the picker is offered", `[...document.querySelectorAll('[role=option]')].some((one) => one.textContent.includes('Pick an element'))`)
	if err := panel.Type(p.ctx, "\n"); err != nil {
		p.t.Fatal(err)
	}
	p.until(panel, "something can be picked", `document.querySelector('[aria-label="Pick an element"] [role=option]')?.textContent.includes('Save it')`)
}

// clickAt moves the pointer to a point of a page and clicks there. It moves in
// steps, like a user's pointer: the browser's picker selects the element that it
// last saw the pointer over, and it may miss the first move after it has started.
func (p *product) clickAt(page *tap.Page, x, y int) {
	p.t.Helper()
	for i, kind := range []string{"mouseMoved", "mouseMoved", "mouseMoved", "mousePressed", "mouseReleased"} {
		click := map[string]any{"type": kind, "x": x - max(0, 2-i), "y": y}
		if kind != "mouseMoved" {
			click["button"], click["clickCount"] = "left", 1
		}
		if err := page.Call(p.ctx, "Input.dispatchMouseEvent", click, nil); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestChatElementPicked picks an element on the page, which does not click it.
// Pilot then clicks it by the ref.
func TestChatElementPicked(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, pickable)
	}))
	t.Cleanup(site.Close)
	p, browser, panel := shared(t)
	p.toChat(panel)
	p.cli("goto", site.URL+"/pickable")
	page := p.page(browser, "/pickable")
	title := func() (title string) {
		if err := page.Eval(p.ctx, `document.title`, &title); err != nil {
			t.Fatal(err)
		}
		return title
	}

	p.pick(panel, "click ")
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		if err := page.Call(p.ctx, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}, nil); err != nil {
			t.Fatal(err)
		}
	}
	p.until(panel, "Escape in the page ends it", `!document.querySelector('[aria-label="Pick an element"]') && document.querySelector('form textarea').value === 'click @elem'`)
	if err := panel.Eval(p.ctx, `(() => { const area = document.querySelector('form textarea'); area.value = ''; area.dispatchEvent(new InputEvent('input', { bubbles: true })); })()`, nil); err != nil {
		t.Fatal(err)
	}

	p.pick(panel, "click ")
	p.clickAt(page, 150, 150)
	p.until(panel, "the element is in the message", `/^click @e\d+ button "Save it" $/.test(document.querySelector('form textarea').value)`)
	if got := title(); got != "Pick" {
		t.Errorf("the click that picked did more: the title is %q", got)
	}
	if err := panel.Type(p.ctx, "\n"); err != nil {
		t.Fatal(err)
	}
	p.untilSaid(panel, "Done in")
	p.until(page, "the button was pressed", `document.title === 'pressed true'`)

	p.pick(panel, "click ")
	if err := page.Eval(p.ctx, `document.title = 'Pick'`, nil); err != nil {
		t.Fatal(err)
	}
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		t.Fatal(err)
	}
	p.eventually("the panel is gone", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelAbsent })
	p.clickAt(page, 150, 150)
	p.until(page, "the picker is gone with its panel", `document.title === 'pressed true'`)
}

// TestChatNotificationAndReopenedTab answers a question in the desktop's
// notification, closes the tab, opens its page again, and continues there.
func TestChatNotificationAndReopenedTab(t *testing.T) {
	pages := site(t)
	p, _, panel := shared(t)
	notes := notifications()
	p.toChat(panel)
	second := protocol.TabID(p.made("newtab", pages+"/second"))
	p.begin(firstConversation, second, "Two")
	p.cli("tab", string(second))
	p.until(panel, "the panel is beside the other tab", `document.querySelector('header .title')?.textContent.includes('Two')`)
	p.say(panel, "ask rm -rf build ; say went on")
	note, err := notes.WaitNote(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	allow := note.Key("Allow once")
	if allow == "" || note.Key("Deny") == "" || note.Key("Show") != "default" {
		t.Fatalf("the notification is %+v", note)
	}
	// A press right after it was shown does not count.
	p.eventually("the question is answered", func() bool {
		if err := notes.Press(note.ID, allow); err != nil {
			t.Fatal(err)
		}
		return p.history(firstConversation).Head.State == protocol.ConversationIdle
	})
	p.untilSaid(panel, "went on")
	p.until(panel, "it says where it was answered", `document.querySelector('article.permission')?.innerText.includes('notification')`)
	select {
	case id := <-notes.Closed:
		if id != note.ID {
			t.Errorf("notification %d was taken away, not %d", id, note.ID)
		}
	case <-p.ctx.Done():
		t.Error("the notification stays after its question was answered")
	}

	p.cli("closetab", string(second))
	p.cli("newtab", pages+"/second")
	var again protocol.TabID
	p.eventually("the page is open again, in another tab", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if tab.ID != second && tab.URL == pages+"/second" {
				again = tab.ID
			}
		}
		return again != ""
	})
	p.cli("tab", string(again))
	const goOn = `[...document.querySelectorAll('button')].find((b) => b.checkVisibility() && /^Continue here:\s+Two/.test(b.textContent.trim()))`
	p.until(panel, "what was said there is offered", goOn)
	if err := panel.Eval(p.ctx, goOn+".click()", nil); err != nil {
		t.Fatal(err)
	}
	p.untilSaid(panel, "went on")
	p.eventually("it stands beside the new tab", func() bool { return p.history(firstConversation).Head.Tab == again })
	p.say(panel, "say and again")
	p.until(panel, "it goes on there", fmt.Sprintf(`[...document.querySelectorAll('article.text')].some((one) => one.innerText.includes(%s))`, strconv.Quote("and again")))
}

// TestChatTwoWindows: a question of the agent of one window's tab is answered in
// the panel of another window. There its conversation is also opened, which
// brings its own tab to the front; the text being typed there stays.
func TestChatTwoWindows(t *testing.T) {
	pages := site(t)
	p, browser, first := shared(t)
	p.begin(firstConversation, "t1", "One")
	p.toChat(first)
	p.say(first, "say begin ; slow 200 10 ; ask go on ; say omega")
	p.untilSaid(first, "begin")
	if err := first.Type(p.ctx, "half a thought"); err != nil {
		t.Fatal(err)
	}

	p.cli("goto", "--tab", p.made("windows", "new", "--front"), pages+"/second")
	if err := browser.ClickActionAt(p.ctx, protocol.ExtensionID, pages+"/second"); err != nil {
		t.Fatal(err)
	}
	second := p.otherPanel(browser, first)
	p.toChat(second)
	p.until(second, "it is asked there", `document.querySelector('.approvals')?.innerText.includes('go on')`)
	// A press right after the question was drawn does not count.
	p.eventually("it is answered there", func() bool {
		const focus = `[...document.querySelectorAll('.approvals button')].find((b) => b.textContent.trim() === 'Allow once')?.focus()`
		if err := errors.Join(second.Eval(p.ctx, focus, nil), second.Type(p.ctx, "\n")); err != nil {
			t.Fatal(err)
		}
		return p.history(firstConversation).Head.State == protocol.ConversationIdle
	})
	p.untilSaid(first, "omega")
	p.untilSaid(first, "Done in")
	p.saidAsWritten(first)
	p.until(first, "the question is one line", `document.querySelector('article.permission details') && !document.querySelector('article.permission section')`)

	p.chooseConversation(second, "One")
	p.eventually("its own tab is in front", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if tab.ID == "t1" {
				return tab.Focused
			}
		}
		return false
	})
	var draft string
	if err := first.Eval(p.ctx, `document.querySelector('form textarea').value`, &draft); err != nil || draft != "half a thought" {
		t.Errorf("the first panel's input has %q, %v", draft, err)
	}
}

// otherPanel returns the panel of another window.
func (p *product) otherPanel(client *tap.Client, than *tap.Page) (panel *tap.Page) {
	p.t.Helper()
	p.eventually("there is another panel", func() bool {
		targets, err := client.Targets(p.ctx)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, target := range targets {
			if strings.Contains(target.URL, "panel.html") && target.ID != than.Target.ID {
				panel, err = client.AttachTo(p.ctx, target)
				return err == nil
			}
		}
		return false
	})
	return panel
}
