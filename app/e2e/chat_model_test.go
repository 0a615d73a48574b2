package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// savable is a page with a button that shows in the title whether the click was
// trusted.
const savable = `<!doctype html><title>Not saved</title><h1>Your draft</h1><button onclick="document.title = 'Saved, ' + event.isTrusted">Save</button>`

// chatting is a model that answers in Chat: it takes a snapshot, presses Save,
// reads the title, for which it needs an approval, and reports it.
func chatting(r model.Request) model.Reply {
	if len(r.Tools) == 1 {
		return model.Reply{Calls: []model.Call{{Name: r.Tools[0]}}} // the test in the model's form
	}
	last := r.Messages[len(r.Messages)-1]
	said := last.Text
	if len(last.Results) > 0 {
		said = last.Results[len(last.Results)-1].Text
	}
	call := func(text, name string, input map[string]any) model.Reply {
		return model.Reply{Thinking: "What comes next?", Text: text, Calls: []model.Call{{Name: name, Input: input}}}
	}
	ref := regexp.MustCompile(`\b(e\d+)\b[^\n]*Save`).FindStringSubmatch(said)
	switch title := regexp.MustCompile(`Saved, \w+`).FindString(said); {
	case last.Role == "user" && strings.Contains(said, "cookies"):
		return call("", "browser_run", map[string]any{"commands": []string{"eval document.cookie"}})
	case len(last.Results) > 0 && strings.Contains(said, "error denied"):
		return model.Reply{Text: "You did not allow it."}
	case last.Role == "user" && strings.Contains(said, "Why"):
		return call("I look at the page.", "browser_snapshot", map[string]any{"interactive": true})
	case len(last.Results) > 0 && title != "":
		return model.Reply{Text: "It was not saved. Now the title is: **" + title + "**"}
	case len(last.Results) > 0 && strings.Contains(said, "licked"):
		return call("", "browser_run", map[string]any{"commands": []string{"eval document.title"}})
	case ref != nil && len(last.Results) > 0:
		return call("", "browser_act", map[string]any{"steps": []any{map[string]any{"do": "click", "target": ref[1]}}})
	case len(last.Results) > 0:
		return model.Reply{Text: "I cannot make sense of it."}
	}
	return model.Reply{Text: "You told me " + strconv.Itoa(len(r.Messages)) + " things before."}
}

// pickAgent chooses the agent, by the text of its menu item.
func (p *product) pickAgent(panel *tap.Page, words string) {
	p.t.Helper()
	p.until(panel, "an agent can be chosen", `document.querySelector('form .picker:enabled')`)
	p.do(panel, `document.querySelector('form .picker').click()`)
	entry := fmt.Sprintf(`[...document.querySelectorAll('form [role^=menuitem]')].find((one) => one.checkVisibility() && one.textContent.includes(%s))`, strconv.Quote(words))
	p.until(panel, "the menu has "+words, entry)
	p.do(panel, entry+".click()")
}

// answer answers the question of the conversation in view with the keyboard.
func (p *product) answer(panel *tap.Page, label string) {
	p.t.Helper()
	p.until(panel, "it is asked", fmt.Sprintf(`[...document.querySelectorAll('article.permission button')].some((b) => b.textContent.trim() === %s)`, strconv.Quote(label)))
	// A press right after the question was drawn does not count.
	p.eventually("the question is answered", func() bool {
		var asked bool
		find := fmt.Sprintf(`(() => {
			const button = [...document.querySelectorAll('article.permission button')].find((b) => b.textContent.trim() === %s);
			button?.focus();
			return button !== undefined;
		})()`, strconv.Quote(label))
		if err := panel.Eval(p.ctx, find, &asked); err != nil {
			p.t.Fatal(err)
		}
		if asked {
			if err := panel.Type(p.ctx, "\n"); err != nil {
				p.t.Fatal(err)
			}
		}
		return !asked
	})
}

// TestChatModel sets up a model in Chat, makes it act on the page, answers its
// questions, and continues from a shell. TestStartAgain has it after a restart.
func TestChatModel(t *testing.T) {
	hosted := model.New(chatting)
	t.Cleanup(hosted.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, savable)
	}))
	t.Cleanup(site.Close)
	p, _, panel := shared(t)
	p.cli("goto", site.URL+"/draft")
	p.toChat(panel)
	p.pickAgent(panel, "Set up a model")
	p.setUp(panel, protocol.LLMCompatible, hosted.OpenAIURL())
	p.until(panel, "the model answers here", `document.querySelector('form .picker')?.title === 'OpenAI-compatible (fake-model)'`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "chat-model-empty.png")); err != nil {
		t.Error(err)
	}

	p.say(panel, "Why is this draft not saved? Please save it.")
	p.until(panel, "the question can be answered", `[...document.querySelectorAll('article.permission button')].some((b) => b.textContent.trim() === 'Allow once')`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "chat-model-asks.png")); err != nil {
		t.Error(err)
	}
	p.answer(panel, "Allow once")
	p.untilSaid(panel, "Now the title is: Saved, true")
	p.untilSaid(panel, "Done in")
	if err := p.desk.Screenshot(p.ctx, artifact(t, "chat-model.png")); err != nil {
		t.Error(err)
	}
	// Its actions are recorded as its own.
	if done := p.cli("activity", "--json"); !strings.Contains(done, `"chat"`) || !strings.Contains(done, "OpenAI-compatible in t1") {
		t.Errorf("the activity has no commands of the model: %s", done)
	}
	for _, request := range hosted.Requests() {
		if strings.Contains(string(request.Raw), "Your draft") && !strings.Contains(string(request.Raw), "<page-") {
			t.Error("the page's text reached the model outside of its envelope")
		}
	}

	// A denied action is not done, and the model is informed.
	p.say(panel, "What cookies does this page have?")
	p.answer(panel, "Deny")
	p.untilSaid(panel, "You did not allow it.")

	// An instruction is carried out at once, and the model learns of it.
	p.say(panel, "click Save")
	p.until(panel, "Pilot has done it", `[...document.querySelectorAll('article.end')].length === 3`)
	p.say(panel, "And what now?")
	p.untilSaid(panel, "things before")
	raw := string(hosted.Requests()[len(hosted.Requests())-1].Raw)
	if !strings.Contains(raw, "carried out without you") || !strings.Contains(raw, "Now the title is") {
		t.Errorf("the model does not know what was said and done: %s", raw)
	}

	// From a shell, by its name.
	if said := p.cli("chat", "send", "new", "And here?", "--agent", "openai-compatible", "--tab", "t1"); !strings.Contains(said, "things before") {
		t.Errorf("the model said in the shell: %s", said)
	}
	if refused := hosted.Refused(); len(refused) > 0 {
		t.Errorf("the hosted API would have refused: %q", refused)
	}

	// A removed model is reported, with how to continue.
	p.press(panel, "Conversation")
	p.press(panel, "Change the model…")
	p.press(panel, "Remove model")
	p.say(panel, "And now?")
	p.until(panel, "the removed model is named", `document.body.innerText.includes('This model was removed')`)
	p.press(panel, "Set up a model")
	p.until(panel, "another one can be set up", `[...document.querySelectorAll('h2')].some((one) => one.textContent === 'Set up a model')`)
}
