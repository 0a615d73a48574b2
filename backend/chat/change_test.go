package chat

import (
	"context"
	"slices"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// A change of the state that cannot be written did not happen: the message is
// not known, the draft stays, the queue is unchanged, and the message can be
// sent again.
func TestAChangeThatCannotBeWrittenDidNotHappen(t *testing.T) {
	going := make(chan struct{}, 8)
	h := opened(t, &played{script: func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
		going <- struct{}{}
		return untilCancelled(ctx, s, p)
	}}, "")
	h.start("c1")
	draft := "wait for"
	if _, err := h.Set(t.Context(), protocol.ChatSetRequest{Conversation: "c1", Draft: &draft}); err != nil {
		t.Fatal(err)
	}
	h.say("c1", "m1", "go")
	<-going
	h.say("c1", "m2", "second")
	h.say("c1", "m3", "third")
	c := h.conversations["c1"]
	c.mu.Lock()
	err := c.saved.Close() // has the effect of a full disk
	before := c.state
	c.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	title := "another"
	for name, try := range map[string]func() (protocol.Conversation, error){
		"send": func() (protocol.Conversation, error) {
			return h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m4", Text: "wait for it"})
		},
		"send now": func() (protocol.Conversation, error) {
			return h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m5", Text: "wait for me", Now: true})
		},
		"queue: move": func() (protocol.Conversation, error) {
			return h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Message: "m3", Action: protocol.QueueMove})
		},
		"queue: remove": func() (protocol.Conversation, error) {
			return h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Message: "m2", Action: protocol.QueueRemove})
		},
		"queue: edit": func() (protocol.Conversation, error) {
			return h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Message: "m2", Action: protocol.QueueEdit, Text: "changed"})
		},
		"queue: now": func() (protocol.Conversation, error) {
			return h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Message: "m3", Action: protocol.QueueNow})
		},
		"set": func() (protocol.Conversation, error) {
			return h.Set(t.Context(), protocol.ChatSetRequest{Conversation: "c1", Title: &title})
		},
	} {
		head, err := try()
		if protocol.AsError(err).Code != protocol.CodeNotWritable {
			t.Errorf("%s: %v", name, err)
		}
		texts := make([]string, len(head.Queue))
		for i, q := range head.Queue {
			texts[i] = q.Text
		}
		if !slices.Equal(texts, []string{"second", "third"}) || head.Draft != draft || head.Title != before.Head.Title || head.State != protocol.ConversationRunning {
			t.Errorf("%s: the queue is %q, the draft %q, the title %q, it is %s", name, texts, head.Draft, head.Title, head.State)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.state.Known, before.Known) || c.state.Held != before.Held || c.state.Turn != before.Turn {
		t.Errorf("%v %v %q, before %v %v %q", c.state.Known, c.state.Held, c.state.Turn, before.Known, before.Held, before.Turn)
	}
}
