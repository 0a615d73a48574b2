package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// An update of a tool call changes only the fields that it has, whatever the
// order of the updates.
func TestToolsAreUpserts(t *testing.T) {
	h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		tool := func(u driver.ToolUpdate) { s.sink.Update(driver.Update{Tool: &u}) }
		s.say("Let me see.")
		tool(driver.ToolUpdate{Call: "never-announced", Status: ptr(protocol.ToolDone)})
		tool(driver.ToolUpdate{Call: "a", Title: ptr("Read\nfile"), Kind: ptr("read"), Input: json.RawMessage(`{"path":"/x"}`)})
		tool(driver.ToolUpdate{Call: "a", Status: ptr(protocol.ToolRunning), Content: []protocol.ToolContent{{Kind: protocol.ContentText, Text: "one"}, {Kind: protocol.ContentText, Text: "two"}}})
		tool(driver.ToolUpdate{Call: "a", Content: []protocol.ToolContent{{Kind: protocol.ContentText, Text: "all"}}})
		tool(driver.ToolUpdate{Call: "a", Status: ptr(protocol.ToolFailed)})
		tool(driver.ToolUpdate{Call: "big", Content: []protocol.ToolContent{{Kind: protocol.ContentText, Text: strings.Repeat("é", clip.MaxTool)}}})
		s.say("Done.")
		s.sink.Update(driver.Update{Plan: []protocol.ChatPlanItem{{Text: "first", Status: "pending"}}})
		s.sink.Update(driver.Update{Plan: []protocol.ChatPlanItem{{Text: "first", Status: "completed"}}})
		s.sink.Update(driver.Update{Text: &driver.Chunk{Text: "A", ID: "1"}})
		s.sink.Update(driver.Update{Text: &driver.Chunk{Text: "B", ID: "2"}})
		s.sink.Update(driver.Update{Text: &driver.Chunk{Image: &driver.Image{Mime: "image/png", Data: []byte("png")}}})
		return driver.TurnEnd{Reason: protocol.EndDone, Usage: &protocol.ChatUsage{Input: 7}}, nil
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user go", "text Let me see.", "tool  done", "tool Read file failed", "tool  done", "text Done.", "plan", "text A", "text B", "text", "end done")
	read := page.Entries[3].Tool
	if len(read.Content) != 1 || read.Content[0].Text != "all" || read.Kind != "read" || read.Input != "{\n  \"path\": \"/x\"\n}" {
		t.Errorf("%+v", read)
	}
	if text := page.Entries[4].Tool.Content[0].Text; len(text) > clip.MaxTool+20 || !strings.HasSuffix(text, "… (cut)") {
		t.Errorf("a text of %d bytes", len(text))
	}
	if page.Entries[6].Plan[0].Status != "completed" || !strings.HasPrefix(page.Entries[9].Images[0].Path, "attachments/c1/") || page.Head.Usage.Input != 7 {
		t.Errorf("%+v", page.Entries)
	}
}

// The answer of one of our agents replaces its tool call, so it is shown once.
func TestAnswerTakesThePlaceOfItsCall(t *testing.T) {
	h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		tool := func(u driver.ToolUpdate) { s.sink.Update(driver.Update{Tool: &u}) }
		tool(driver.ToolUpdate{Call: "a", Title: ptr("Click Save"), Kind: ptr(recorder.KindBrowser), Status: ptr(protocol.ToolRunning)})
		tool(driver.ToolUpdate{Call: "a", Status: ptr(protocol.ToolDone), Answer: &driver.Answer{Text: "Clicked Save.", Picture: "shots/a.png"}})
		tool(driver.ToolUpdate{Call: "b", Title: ptr("Click Twin"), Kind: ptr(recorder.KindBrowser), Status: ptr(protocol.ToolRunning)})
		tool(driver.ToolUpdate{Call: "b", Status: ptr(protocol.ToolFailed), Answer: &driver.Answer{Text: "Which one?", Which: &protocol.ChatWhich{
			Text: "click Twin", Elements: []protocol.TaskPlainChoice{{Ref: "e2", Name: "Twin"}, {Ref: "e3", Name: "Twin"}},
		}}})
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user go", "text Clicked Save.", "text Which one?", "end done")
	first, second := page.Entries[1], page.Entries[2]
	if first.Tool != nil || first.Open || len(first.Images) != 1 || first.Images[0].Path != "shots/a.png" || first.Images[0].Mime != "image/png" {
		t.Errorf("%+v", first)
	}
	if second.Which == nil || len(second.Which.Elements) != 2 || second.Which.Tab != page.Head.Tab {
		t.Errorf("%+v", second.Which)
	}
	made, err := h.Export(protocol.ChatExportRequest{Conversation: "c1"})
	if err != nil || !strings.Contains(made.Text, "Screenshot: `shots/a.png`") || strings.Count(made.Text, "- Twin") != 2 {
		t.Errorf("%v: %s", err, made.Text)
	}
}

// An edited message replaces the old one and everything after it, on disk as
// well. The agent starts a new session with what is left.
func TestEditAndResend(t *testing.T) {
	p := &played{script: echo}
	h := opened(t, p, "")
	h.start("c1")
	for i, id := range []protocol.MessageID{"m1", "m2", "m3"} {
		h.say("c1", id, "say "+string(id))
		h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 3*(i+1) && p.Head.Message == "" })
	}
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m4", Text: "better", Replaces: "m2"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"user say m1", "text You said: say m1", "end done", "user better"}
	check := func(page protocol.ChatPage) {
		t.Helper()
		if got := texts(page.Entries); !slices.Equal(got[:4], want) || got[len(got)-1] != "end done" || page.Head.Entries != 6 {
			t.Errorf("%d: %q", page.Head.Entries, got)
		}
	}
	check(h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 6 && p.Head.Message == "" }))
	prompt := p.prompts[3].Text
	if !strings.Contains(prompt, "say m1") || strings.Contains(prompt, "say m2") || p.resumed[1] != "" {
		t.Errorf("resumed %q with %q", p.resumed, prompt)
	}
	h.stop()
	again := opened(t, p, h.dir)
	page, err := again.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	check(page)
	if _, err := again.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m5", Text: "x", Replaces: "m2"}); code(err) != protocol.CodeBadArgument {
		t.Errorf("what is gone was replaced: %v", err)
	}
}

// A turn of many thousand entries does not stay in memory, is read page by
// page, and is complete after a restart.
func TestALongTurn(t *testing.T) {
	const many = 2*transcript.Window + 17
	h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: "first", Title: ptr("first"), Status: ptr(protocol.ToolRunning)}})
		for i := range many {
			s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: fmt.Sprint(i), Title: ptr(fmt.Sprint("tool ", i)), Status: ptr(protocol.ToolDone)}})
		}
		s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: "first", Status: ptr(protocol.ToolDone)}})
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	h.until("c1", func(p protocol.ChatPage) bool { return p.Head.Message == "" && p.Head.Entries == many+3 })
	if n := h.conversations["c1"].entries.Held(); n > transcript.Window+1 {
		t.Errorf("%d entries are in memory", n)
	}
	check := func(m *Manager) {
		t.Helper()
		var all []string
		before := uint64(0)
		for {
			page, err := m.History(protocol.ChatHistoryRequest{Conversation: "c1", Before: before, Limit: 700})
			if err != nil {
				t.Fatal(err)
			}
			all = append(texts(page.Entries), all...)
			if !page.More {
				break
			}
			before = page.Entries[0].Index
		}
		if len(all) != many+3 || all[1] != "tool first done" || all[2] != "tool tool 0 done" || all[many+1] != fmt.Sprintf("tool tool %d done", many-1) {
			t.Errorf("%d entries: %q … %q", len(all), all[:3], all[len(all)-3:])
		}
	}
	check(h.Manager)
	h.stop()
	check(opened(t, &played{script: echo}, h.dir).Manager)
}

// Viewers that are fast, slow, late or reconnecting see the same words, once
// and in order, during a flood.
func TestViewersInAFlood(t *testing.T) {
	const pieces = 3 * chatReplay
	h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		for i := range pieces {
			if i%1000 == 999 {
				s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: fmt.Sprint(i), Title: ptr("t"), Status: ptr(protocol.ToolDone)}})
			}
			s.say(fmt.Sprintf("%d ", i))
		}
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}, "")
	h.start("c1")
	var all sync.WaitGroup
	pages := make([]protocol.ChatPage, 4)
	for i := range pages {
		all.Go(func() {
			var v view2
			for again := true; again; {
				again = false
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				events, err := h.Watch(ctx, "c1", v.last)
				if err != nil {
					t.Error(err)
				}
				n := 0
				for ev, err := range events {
					if err != nil {
						t.Error(err)
						break
					}
					v.take(t, ev)
					if i == 1 {
						time.Sleep(3 * time.Millisecond) // a slow viewer
					}
					if n++; i >= 2 && n%5 == 0 {
						again = true // it disconnects and reconnects
						break
					}
					if len(v.page.Entries) > 1 && v.page.Entries[len(v.page.Entries)-1].Kind == protocol.EntryEnd {
						again = false
						break
					}
				}
				cancel()
			}
			pages[i] = v.page
		})
	}
	h.say("c1", "m1", "go")
	all.Wait()
	truth, err := h.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for i := range pieces {
		fmt.Fprintf(&words, "%d ", i)
	}
	said := ""
	for _, e := range truth.Entries {
		if e.Kind == protocol.EntryText {
			said += e.Text
		}
	}
	if said != words.String() {
		t.Fatalf("%d bytes and not %d", len(said), words.Len())
	}
	for i, page := range pages {
		if !slices.Equal(texts(page.Entries), texts(truth.Entries)) {
			t.Errorf("viewer %d saw something else: %d entries and not %d", i, len(page.Entries), len(truth.Entries))
		}
	}
}

func TestPermissions(t *testing.T) {
	h := opened(t, &played{script: func(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		got := make(chan string, 1)
		s.sink.Ask(ctx, driver.Ask{
			Tool: driver.ToolUpdate{Call: "never-announced", Title: ptr("Edit main.go"), Kind: ptr("edit"), Content: []protocol.ToolContent{{Kind: protocol.ContentDiff, Path: "main.go", Old: "a", New: "b"}}},
			Options: []protocol.PermissionOption{
				{ID: "yes", Name: "Yes", Kind: protocol.AnswerOnce}, {ID: "ever", Name: "Always", Kind: protocol.AnswerAlways, Scope: "edits in this conversation"}, {ID: "no", Name: "No", Kind: protocol.AnswerDeny},
			},
		}, func(o string) { got <- o })
		s.say("you chose " + <-got)
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}, "")
	h.start("c1")
	ask := func(id protocol.MessageID) protocol.ChatPage {
		t.Helper()
		h.say("c1", id, "go")
		return h.until("c1", func(p protocol.ChatPage) bool {
			n := len(p.Entries)
			return n > 0 && p.Entries[n-1].Permission != nil && p.Entries[n-1].Permission.Approval != "" && p.Head.State == protocol.ConversationNeedsYou
		})
	}
	page := ask("m1")
	q := page.Entries[2].Permission
	if q.Tool != page.Entries[1].ID || len(q.Subject.Content) != 1 || q.Subject.Content[0].New != "b" {
		t.Errorf("%+v", q)
	}
	if a := h.TabAgents()["t1"]; len(a) != 1 || a[0].Status != protocol.AgentNeedsYou {
		t.Errorf("the tab says %+v", a)
	}
	for _, wrong := range []protocol.ChatAnswerRequest{
		{Conversation: "c1", Approval: q.Approval, Option: "maybe"}, {Conversation: "c1", Approval: "guess", Option: "yes"}, {Conversation: "c2", Approval: q.Approval, Option: "yes"},
	} {
		if h.Answer(wrong, "panel") == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	// Only the first answer counts.
	if err := h.Answer(protocol.ChatAnswerRequest{Conversation: "c1", Approval: q.Approval, Option: "ever"}, "panel"); err != nil {
		t.Fatal(err)
	}
	if h.broker.AnswerOption(q.Approval, protocol.AnswerDeny, "", "tray") == nil {
		t.Error("the second answer was taken")
	}
	wantTexts(t, h.idle("c1").Entries, "user go", "tool Edit main.go done", "permission allowed always (edits in this conversation) by you in the panel", "text you chose ever", "end done")
	// The tray offers only the three general answers.
	ask("m2")
	if err := h.broker.AnswerOption(h.broker.Pending()[0].ID, protocol.AnswerDeny, "", "tray"); err != nil {
		t.Fatal(err)
	}
	page = h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 10 && p.Head.Message == "" })
	wantTexts(t, page.Entries[7:9], "permission denied by you in the tray", "text you chose no")
}

// The agent's browser steps are shown at their tool call, also when step and
// call cross. The questions of its commands are shown in the conversation.
func TestStepsAndQuestionsOfCommands(t *testing.T) {
	step := make(chan func(*playedSession))
	h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		for do := range step {
			do(s)
		}
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	do := func(f func(s *playedSession)) {
		done := make(chan struct{})
		step <- func(s *playedSession) { f(s); close(done) }
		<-done
	}
	call := func(id string, status protocol.ToolStatus) func(*playedSession) {
		return func(s *playedSession) {
			s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: id, Name: "mcp__pilotfish__browser_act", Title: ptr("mcp__pilotfish__browser_act"), Status: &status}})
		}
	}
	do(call("a", protocol.ToolRunning))
	h.Step("c1", recorder.Step{Line: "Clicked Save", OK: true})
	h.Step("c1", recorder.Step{Line: "Typed hello", OK: true, Screenshot: "screenshots/1.png"})
	do(call("a", protocol.ToolDone))
	h.Step("c1", recorder.Step{Line: "Opened example.com", OK: true}) // before its tool call is announced
	do(call("b", protocol.ToolRunning))
	do(call("b", protocol.ToolDone))
	h.Step("c1", recorder.Step{Line: "Read the page", OK: true}) // no tool call is announced for it
	page := h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 4 })
	var lines []string
	for _, e := range page.Entries[1:] {
		lines = append(lines, e.Tool.Kind+" "+e.Tool.Line)
	}
	if want := []string{"browser Clicked Save, typed hello", "browser Opened example.com", "browser Read the page"}; !slices.Equal(lines, want) {
		t.Errorf("steps %q", lines)
	}
	if page.Entries[1].Tool.Screenshot != "screenshots/1.png" {
		t.Errorf("%+v", page.Entries[1].Tool)
	}

	asked := h.conversations["c1"].actor()
	h.broker.Watch(func(q protocol.Approval, over *policy.Over) {
		if over == nil {
			h.Asked(q)
		} else {
			h.Answered(q, over.Verdict, over.Err)
		}
	})
	answer := make(chan protocol.ApprovalAnswer)
	go func() {
		got, _ := h.broker.Ask(context.Background(), protocol.Approval{Actor: asked, Tab: "t1", Origin: "https://example.com", Site: "example.com", Command: "eval", Kind: protocol.ActionEval, Args: []protocol.ApprovalArg{{Name: "code", Value: "1"}}})
		answer <- got
	}()
	page = h.until("c1", func(p protocol.ChatPage) bool {
		return p.Head.State == protocol.ConversationNeedsYou && len(p.Entries) == 5
	})
	q := page.Entries[4].Permission
	if q.Origin != "https://example.com" || len(q.Options) != 3 || !strings.Contains(q.Subject.Input, `"code"`) {
		t.Errorf("%+v", q)
	}
	if err := h.Answer(protocol.ChatAnswerRequest{Conversation: "c1", Approval: q.Approval, Option: "always"}, "panel"); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got != protocol.AnswerAlways {
		t.Errorf("the command was told %q", got)
	}
	h.until("c1", func(p protocol.ChatPage) bool {
		return strings.HasPrefix(p.Entries[4].Permission.Outcome, "allowed always (agents may run JavaScript on example.com)")
	})
	close(step)
	h.idle("c1")
}

func TestSearchAndExport(t *testing.T) {
	h := opened(t, &played{script: echo}, "")
	for i, id := range []protocol.ConversationID{"c1", "c2"} {
		h.start(id)
		h.say(id, protocol.MessageID(fmt.Sprint("m", i)), "Where is the ÜBERGRÖSSE of "+string(id)+"?")
		h.idle(id)
	}
	reply, err := h.Search(t.Context(), protocol.ChatSearchRequest{Text: "übergrösse of c1"})
	if err != nil || len(reply.Found) != 2 || reply.Found[0].Match != "ÜBERGRÖSSE of c1" || reply.Found[0].Conversation != "c1" || !strings.HasSuffix(reply.Found[0].Before, "Where is the ") {
		t.Errorf("%+v, %v", reply, err)
	}
	out, err := h.Export(protocol.ChatExportRequest{Conversation: "c1", Format: "markdown"})
	if err != nil || out.Name != "where-is-the-bergr-sse-of-c1.md" || !strings.Contains(out.Text, "## You\n\nWhere is the") {
		t.Errorf("%+v, %v", out, err)
	}
	out, err = h.Export(protocol.ChatExportRequest{Conversation: "c1", Format: "json"})
	var e struct{ Entries []protocol.ChatEntry }
	if err != nil || json.Unmarshal([]byte(out.Text), &e) != nil || len(e.Entries) != 3 {
		t.Errorf("%+v, %v", out, err)
	}
	if err := h.Delete(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.History(protocol.ChatHistoryRequest{Conversation: "c1"}); code(err) != protocol.CodeUnknownConversation {
		t.Errorf("deleted: %v", err)
	}
}

// A conversation that was continued in a terminal is taken back with the
// messages from there.
func TestTerminalAndBack(t *testing.T) {
	p := &played{script: echo}
	h := opened(t, p, "")
	h.config.Terminal = func(_ context.Context, head protocol.Conversation) (protocol.TerminalID, error) {
		if head.AgentSession != "session-1" {
			t.Errorf("session %q", head.AgentSession)
		}
		return "term", nil
	}
	h.start("c1")
	if _, err := h.ToTerminal(t.Context(), "c1"); code(err) != protocol.CodeBadArgument {
		t.Errorf("nothing was said: %v", err)
	}
	h.say("c1", "m1", "hello")
	h.idle("c1")
	head, err := h.ToTerminal(t.Context(), "c1")
	if err != nil || head.State != protocol.ConversationTerminal || head.Terminal != "term" {
		t.Fatalf("%v, %+v", err, head)
	}
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "x"}); code(err) != protocol.CodeBusy {
		t.Errorf("two talk to one session: %v", err)
	}
	user := func(s string) driver.Update { return driver.Update{User: &driver.Chunk{Text: s}} }
	text := func(s string) driver.Update { return driver.Update{Text: &driver.Chunk{Text: s}} }
	p.replay = []driver.Update{user("hel"), user("lo"), text("You said: "), text("hello"), user("in the terminal"), text("yes"), {Tool: &driver.ToolUpdate{Call: "x", Title: ptr("ls"), Status: ptr(protocol.ToolDone)}}}
	if head, err = h.ToChat(t.Context(), "c1"); err != nil || head.State != protocol.ConversationIdle {
		t.Fatalf("%v, %+v", err, head)
	}
	page, err := h.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, page.Entries, "user hello", "text You said: hello", "end done", "user in the terminal", "text yes", "tool ls done", "end done", "notice The messages from the terminal are shown above.")
	// When it is loaded again later, nothing is written twice.
	if _, err := h.Restart(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	if head := h.List()[0]; head.Entries != 8 {
		t.Errorf("%d entries", head.Entries)
	}
}

// A terminal that ends before it is known which one it is leaves nothing behind.
func TestTerminalEndsAtOnce(t *testing.T) {
	h := opened(t, &played{script: echo}, "")
	h.config.Terminal = func(context.Context, protocol.Conversation) (protocol.TerminalID, error) {
		h.TerminalEnded("other")
		h.TerminalEnded("term")
		return "term", nil
	}
	h.start("c1")
	h.say("c1", "m1", "hello")
	h.idle("c1")
	if _, err := h.ToTerminal(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationIdle })
}
