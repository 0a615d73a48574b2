package chat

import (
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// A session that was begun elsewhere is continued in its folder, with what was said.
func TestBegunElsewhere(t *testing.T) {
	user := func(s string) driver.Update { return driver.Update{User: &driver.Chunk{Text: s}} }
	text := func(s string) driver.Update { return driver.Update{Text: &driver.Chunk{Text: s}} }
	for _, test := range []struct {
		name  string
		turns []recall.Turn
		want  []string
	}{
		{"its files tell", []recall.Turn{{Prompt: "why?", Rest: []driver.Update{text("because")}}}, []string{"user why?", "text because", "end done"}},
		{"only the agent tells", nil, []string{"user why?", "text because", "end done", "notice The earlier messages are shown above."}},
	} {
		p := &played{script: echo, replay: []driver.Update{user("why?"), text("because")}}
		h := opened(t, p, "")
		h.config.Past = func(_ protocol.AgentKind, req protocol.ChatStartRequest) (recall.Past, error) {
			if req.Resume != "old" {
				return recall.Past{}, protocol.NewError(protocol.CodeBadArgument, "no such session", "")
			}
			return recall.Past{Session: "old", Title: "The cart", Folder: "/src", Turns: test.turns}, nil
		}
		if _, err := h.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c0", Resume: "gone"}); code(err) != protocol.CodeBadArgument {
			t.Errorf("%s: a session that is gone: %v", test.name, err)
		}
		head, err := h.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c1", Resume: "old"})
		if err != nil || head.Title != "The cart" || head.AgentSession != "old" {
			t.Fatalf("%s: %+v, %v", test.name, head, err)
		}
		if _, err := h.Restart(t.Context(), "c1"); err != nil {
			t.Fatal(err)
		}
		h.say("c1", "m1", "hello")
		page := h.idle("c1")
		wantTexts(t, page.Entries, append(test.want, "user hello", "text You said: hello", "end done")...)
		if p.resumed[0] != "old" || p.dirs[0] != "/src" {
			t.Errorf("%s: resumed %q in %q", test.name, p.resumed, p.dirs)
		}
	}
}
