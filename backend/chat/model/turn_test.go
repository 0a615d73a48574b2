package model_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	fake "pilotfish/app/agents/fakes/model"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/model"
	"pilotfish/backend/protocol"
)

func act(ref string) fake.Call {
	return fake.Call{Name: "browser_act", Input: map[string]any{"ref": ref}}
}

// The model's reasoning and text are shown as they arrive. Its tools run one
// after the other, also when it calls several at once. It gets their results
// and continues until it stops.
func TestATurnWithTools(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			p := open(t, provider, fake.Steps(
				fake.Reply{Thinking: "The user wants two clicks.", Text: "I click both.", Calls: []fake.Call{act("e1"), act("e2")}},
				fake.Reply{Calls: []fake.Call{{Name: "browser_snapshot"}}},
				fake.Reply{Text: "Both are clicked."},
			), nil)
			p.send("m1", "Click both")
			entries := p.ended("m1")
			p.want(entries, "user Click both", "thought The user wants two clicks.", "text I click both.",
				"tool browser_act done", "tool browser_act done", "tool browser_snapshot done", "text Both are clicked.", "end done")
			if got := strings.Join(p.tools.called(), "; "); got != `browser_act {"ref":"e1"}; browser_act {"ref":"e2"}; browser_snapshot {}` {
				t.Errorf("called %s", got)
			}
			if tool := entries[3].Tool; tool.Title != "Act on the page" || tool.Kind != "browser" || tool.Content[0].Text != "did browser_act" {
				t.Errorf("the tool call is %+v", tool)
			}
			end := entries[len(entries)-1].End
			if end.Usage == nil || end.Usage.Input == 0 || end.Usage.Output == 0 || end.Usage.Context >= end.Usage.Input {
				t.Errorf("usage is %+v: the sum of three requests, and a context of the last", end.Usage)
			}
			last := p.last()
			if last.System != "You are beside tab t1." || strings.Join(last.Tools, " ") != "browser_act browser_snapshot" || !last.Stream {
				t.Errorf("system %q, tools %q", last.System, last.Tools)
			}
			// Signed reasoning is sent back to the provider that signed it.
			if signed := strings.Contains(string(last.Raw), `"c2lnbmVk"`); signed != (provider == protocol.LLMAnthropic) {
				t.Errorf("the reasoning went back: %v", signed)
			}
		})
	}
}

// The next turn knows what was said and done, in the order that the wire format
// requires, also after a restart.
func TestTheConversationGoesOnAfterARestart(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			script := fake.Steps(fake.Reply{Text: "I look.", Calls: []fake.Call{act("e1"), {Name: "browser_snapshot"}}}, fake.Reply{Text: "Seen."})
			p := open(t, provider, script, nil)
			long := strings.Repeat("a long page ", 1000)
			p.tools.does = func(_ context.Context, name string, _ json.RawMessage) model.Result {
				if name == "browser_snapshot" {
					return model.Result{Text: long}
				}
				return model.Result{Text: "clicked"}
			}
			p.send("m1", "Look")
			p.ended("m1")
			p.stop()
			p = open(t, provider, fake.Steps(fake.Reply{Text: "As I said."}), p)
			p.send("m2", "What did you see?")
			p.want(p.ended("m2"), "user What did you see?", "text As I said.", "end done")
			raw := string(p.last().Raw)
			for _, said := range []string{"Look", "I look.", "browser_act", "clicked", "left out to save space", "Seen.", "What did you see?"} {
				if !strings.Contains(raw, said) {
					t.Errorf("the model was not told %q", said)
				}
			}
			if strings.Contains(raw, "a long page") {
				t.Error("a long result of an earlier turn was sent again")
			}
		})
	}
}

// Stop ends the request at once, and keeps the text so far.
func TestStopInTheMiddleOfAnAnswer(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			hold := make(chan struct{})
			defer close(hold)
			p := open(t, provider, fake.Steps(fake.Reply{Text: "I begin", Hold: hold}), nil)
			p.send("m1", "Begin")
			p.until(func(page protocol.ChatPage) bool {
				return len(page.Entries) > 1 && strings.HasSuffix(page.Entries[1].Text, "begin")
			})
			p.send("m2", "And then")
			if _, err := p.Cancel(t.Context(), "c"); err != nil {
				t.Fatal(err)
			}
			p.want(p.ended("m1"), "user Begin", "text I begin", "end cancelled")
			// The queue waits for the user.
			page, err := p.History(protocol.ChatHistoryRequest{Conversation: "c"})
			if err != nil || len(page.Head.Queue) != 1 || page.Head.State != protocol.ConversationIdle {
				t.Errorf("the queue is %+v, state %s, %v", page.Head.Queue, page.Head.State, err)
			}
			if _, err := p.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c", Action: protocol.QueueNow, Message: "m2"}); err != nil {
				t.Fatal(err)
			}
			p.until(func(page protocol.ChatPage) bool { return page.Entries[len(page.Entries)-1].Message == "m2" })
			p.until(func(protocol.ChatPage) bool { return len(p.hosted.Requests()) == 2 })
			if raw := string(p.last().Raw); !strings.Contains(raw, "The user stopped this answer here") {
				t.Error("the model does not know that it was stopped")
			}
		})
	}
}

// Stop ends a running tool, and in the next turn the model learns that it was
// stopped.
func TestStopInTheMiddleOfATool(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			p := open(t, provider, func(r fake.Request) fake.Reply {
				if len(r.Messages) > 0 && strings.Contains(string(r.Raw), "Go on") {
					return fake.Reply{Text: "I went on."}
				}
				return fake.Reply{Calls: []fake.Call{act("e1"), act("e2")}}
			}, nil)
			begun, ended := make(chan struct{}), make(chan struct{})
			p.tools.does = func(ctx context.Context, _ string, _ json.RawMessage) model.Result {
				close(begun)
				<-ctx.Done()
				close(ended)
				return model.Result{Failed: true, Text: "cancelled"}
			}
			p.send("m1", "Act")
			<-begun
			if _, err := p.Cancel(t.Context(), "c"); err != nil {
				t.Fatal(err)
			}
			<-ended
			p.want(p.ended("m1"), "user Act", "tool browser_act cancelled", "end cancelled")
			p.send("m2", "Go on")
			p.want(p.ended("m2"), "user Go on", "text I went on.", "end done")
			if raw := string(p.last().Raw); !strings.Contains(raw, "The user stopped it") {
				t.Error("the call has no result in the next request")
			}
		})
	}
}

// A turn that a restart interrupts gets its end, and the next turn knows what
// was said.
func TestARestartInTheMiddleOfATurn(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			hold := make(chan struct{})
			defer close(hold)
			p := open(t, provider, fake.Steps(fake.Reply{Calls: []fake.Call{act("e1")}}, fake.Reply{Text: "Half an answ", Hold: hold}), nil)
			p.send("m1", "Act")
			p.until(func(page protocol.ChatPage) bool {
				return strings.HasSuffix(page.Entries[len(page.Entries)-1].Text, "answ")
			})
			p.stop()
			p = open(t, provider, fake.Steps(fake.Reply{Text: "Now whole."}), p)
			p.want(p.ended("m1"), "user Act", "tool browser_act done", "text Half an answ", "end restarted not_running")
			p.send("m2", "Again")
			p.want(p.ended("m2"), "user Again", "text Now whole.", "end done")
			if raw := string(p.last().Raw); !strings.Contains(raw, "Half an answ") || !strings.Contains(raw, "did browser_act") {
				t.Error("the model does not know the turn that was cut off")
			}
		})
	}
}

// An interrupted stream is an error for the user, and keeps the text so far.
func TestABrokenStream(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			p := open(t, provider, fake.Steps(fake.Reply{Text: "Half of it", Cut: true}), nil)
			p.send("m1", "Say")
			entries := p.ended("m1")
			p.want(entries, "user Say", "text Half of it", "end failed navigation")
			if e := entries[2].End.Error; !strings.Contains(e.Message, "the connection to Mine broke off") || e.Hint == "" {
				t.Errorf("the error is %+v", e)
			}
		})
	}
}

// A busy provider is asked again after the time that it names. If it stays
// busy, the user gets an error.
func TestABusyProvider(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			answers := []fake.Reply{
				{Status: 429, Text: "too many requests", RetryAfter: "0"},
				{Status: 500, Text: "a fault", RetryAfter: "0"},
				{Status: 529, Text: "overloaded", RetryAfter: "3"},
				{Text: "Here I am."},
				{Status: 429, Text: "your quota is used up", RetryAfter: "3600"},
			}
			var p *product
			p = open(t, provider, func(fake.Request) fake.Reply { return answers[len(p.hosted.Requests())-1] }, nil)
			p.send("m1", "Are you there?")
			p.want(p.ended("m1"), "user Are you there?", "notice Mine is busy. The next attempt is in 3 seconds.", "text Here I am.", "end done")
			p.send("m2", "And now?")
			entries := p.ended("m2")
			p.want(entries, "user And now?", "end failed busy")
			if e := entries[1].End.Error; !strings.Contains(e.Message, "your quota is used up") {
				t.Errorf("the error is %+v", e)
			}
		})
	}
}

// A prompt that is too long for the model is sent again without old results.
func TestAPromptThatIsTooLong(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			const most = 40_000
			p := open(t, provider, func(r fake.Request) fake.Reply {
				switch said := len(r.Messages); {
				case len(r.Raw) > most:
					return fake.Reply{Status: 400, Text: "prompt is too long: 200000 tokens > 100000 maximum"}
				case said < 5:
					return fake.Reply{Calls: []fake.Call{{Name: "browser_snapshot"}}}
				}
				return fake.Reply{Text: "I read both."}
			}, nil)
			p.tools.does = func(context.Context, string, json.RawMessage) model.Result {
				return model.Result{Text: strings.Repeat("0123456789", 2500)}
			}
			p.send("m1", "Read")
			entries := p.ended("m1")
			p.want(entries, "user Read", "tool browser_snapshot done", "tool browser_snapshot done",
				"notice This conversation is long. To save space, Mine no longer sees some older results of its tools, or the beginning.",
				"text I read both.", "end done")
			if raw := string(p.last().Raw); strings.Count(raw, "left out to save space") != 1 || len(raw) > most {
				t.Errorf("%d bytes, of which the old result was left out %d times", len(raw), strings.Count(raw, "left out to save space"))
			}
		})
	}
}

// A turn without a key waits for it, and continues when the key is there.
func TestAMissingKey(t *testing.T) {
	p := open(t, protocol.LLMAnthropic, fake.Steps(fake.Reply{Text: "Thank you."}), nil)
	save := func(key string) {
		t.Helper()
		profile, err := p.models.Profile(p.profile)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.models.Save(t.Context(), protocol.LLMSaveRequest{Profile: profile, Key: &key}); err != nil {
			t.Fatal(err)
		}
		p.TrySignIns(func(kind protocol.AgentKind) bool { _, ok := protocol.ModelProfile(kind); return ok })
	}
	save("")
	p.send("m1", "Hello")
	p.until(func(page protocol.ChatPage) bool {
		return page.Head.State == protocol.ConversationSignIn && page.Head.SignIn[0].About == "Mine has no key"
	})
	save(fake.Key)
	p.want(p.ended("m1"), "user Hello", "text Thank you.", "end done")
	save("sk-wrong")
	p.send("m2", "Hello again")
	p.until(func(page protocol.ChatPage) bool {
		return page.Head.State == protocol.ConversationSignIn && strings.HasPrefix(page.Head.SignIn[0].About, "Mine refuses the key")
	})
	if _, err := p.Cancel(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	entries := p.ended("m2")
	if got := strings.Join(short(entries), "; "); got != "user Hello again; end cancelled" {
		t.Errorf("entries are %s", got)
	}
}

// A removed profile is an error for the user.
func TestARemovedProfile(t *testing.T) {
	p := open(t, protocol.LLMCompatible, fake.Steps(fake.Reply{Text: "Hello."}), nil)
	p.send("m1", "Hello")
	p.ended("m1")
	if _, err := p.models.Delete(t.Context(), p.profile); err != nil {
		t.Fatal(err)
	}
	p.send("m2", "Still there?")
	p.want(p.ended("m2"), "user Still there?", "end failed unknown_model")
}

// Images of tools go to a model that accepts images.
func TestAPictureOfATool(t *testing.T) {
	for _, provider := range dialects() {
		t.Run(string(provider), func(t *testing.T) {
			p := open(t, provider, func(r fake.Request) fake.Reply {
				if strings.Contains(string(r.Raw), "YSBwaWN0dXJl") {
					return fake.Reply{Text: "Seen."}
				}
				return fake.Reply{Calls: []fake.Call{{Name: "browser_snapshot"}}}
			}, nil)
			p.tools.does = func(context.Context, string, json.RawMessage) model.Result {
				return model.Result{Text: "saved", Images: []driver.Image{{Mime: "image/png", Data: []byte("a picture")}}}
			}
			p.send("m1", "Look")
			p.want(p.ended("m1"), "user Look", "tool browser_snapshot done", "text Seen.", "end done")
		})
	}
}

// A model that never stops is stopped, and a notice says how to let it
// continue.
func TestAModelThatCallsToolsForEver(t *testing.T) {
	p := open(t, protocol.LLMCompatible, func(fake.Request) fake.Reply { return fake.Reply{Calls: []fake.Call{act("e1")}} }, nil)
	p.send("m1", "Act")
	entries := p.ended("m1")
	if got := short(entries[len(entries)-2:]); len(p.tools.called()) != 60 || got[1] != "end max_turns" || !strings.Contains(got[0], "used its tools 60 times") {
		t.Errorf("after %d calls: %q", len(p.tools.called()), got)
	}
}

// The model learns what Pilot did at once, but not as its own message.
func TestWhatPilotDidIsTold(t *testing.T) {
	said := func(kind protocol.ChatEntryKind, text string) driver.Said {
		return driver.Said{Entry: protocol.ChatEntry{Kind: kind, Text: text}, Instant: true}
	}
	prompt := said(protocol.EntryUser, "")
	prompt.Prompt = &driver.Prompt{Text: "click Save"}
	tool := said(protocol.EntryTool, "")
	tool.Entry.Tool = &protocol.ChatTool{Line: "Clicked Save", Status: protocol.ToolDone}
	p := open(t, protocol.LLMCompatible, fake.Steps(fake.Reply{Text: "It is saved."}), nil)
	models, err := model.New(model.Config{
		Models: p.models, Tools: func(driver.SessionConfig) model.Toolbox { return p.tools }, System: func(driver.SessionConfig) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := models.Start(t.Context(), driver.Launch{Kind: protocol.ModelAgent(p.profile)})
	if err != nil {
		t.Fatal(err)
	}
	session, err := agent.Open(t.Context(), driver.SessionConfig{
		History: func(int) ([]driver.Said, error) {
			return []driver.Said{prompt, tool, said(protocol.EntryText, "Done.")}, nil
		},
	}, quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Prompt(t.Context(), driver.Prompt{Text: "Is it saved?"}); err != nil {
		t.Fatal(err)
	}
	messages := p.last().Messages
	const want = "[For you to know, not to answer: The user said \"click Save\", and it was carried out without you. Clicked Save (done).]\n\nIs it saved?"
	if len(messages) != 2 || messages[1].Text != want {
		t.Errorf("the messages are %+v", messages)
	}
	if err := agent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// quiet is a sink that ignores everything.
type quiet struct{}

func (quiet) Update(driver.Update)                          {}
func (quiet) Ask(context.Context, driver.Ask, func(string)) {}
