package chat

import (
	"context"
	"testing"

	"pilotfish/backend/protocol"
)

func TestAMessageAndItsAnswer(t *testing.T) {
	h := opened(t, &played{script: echo}, "")
	h.start("c1")
	h.say("c1", "m1", "hello there")
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user hello there", "text You said: hello there", "end done")
	if page.Head.Title != "hello there" || page.Head.State != protocol.ConversationIdle || page.Head.AgentSession == "" || page.Head.Entries != 3 {
		t.Errorf("head %+v", page.Head)
	}
	h.say("c1", "m1", "hello there") // the same message again
	h.say("c1", "m2", "more")
	h.until("c1", func(p protocol.ChatPage) bool { return p.Head.Entries == 6 && p.Head.Message == "" })

	// Read from disk by another Manager, the conversation is the same.
	h.stop()
	again := opened(t, &played{script: echo}, h.dir)
	page, err := again.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, page.Entries, "user hello there", "text You said: hello there", "end done", "user more", "text You said: more", "end done")
	if page.More || page.Head.Entries != 6 {
		t.Errorf("page %+v", page.Head)
	}
	page, err = again.History(protocol.ChatHistoryRequest{Conversation: "c1", Limit: 2, Before: page.Entries[4].Index})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, page.Entries, "end done", "user more")
	if !page.More {
		t.Error("there is nothing before it")
	}
}

func TestTheSixthMessageIsRefused(t *testing.T) {
	p := &played{script: untilCancelled}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m0", "begin")
	for _, id := range []protocol.MessageID{"m1", "m2", "m3", "m4", "m5"} {
		h.say("c1", id, "wait "+string(id))
	}
	_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m6", Text: "too much"})
	if code(err) != protocol.CodeBusy {
		t.Fatalf("the sixth: %v", err)
	}
	if _, err := h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Action: protocol.QueueMove, Message: "m5", To: 0}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Action: protocol.QueueEdit, Message: "m1", Text: "changed"}); err != nil {
		t.Fatal(err)
	}
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	h.stop() // the queue is on disk
	p.script = echo
	again := opened(t, p, h.dir)
	head := again.List()[0]
	if len(head.Queue) != 5 || head.Queue[0].ID != "m5" || head.Queue[1].Text != "changed" || head.State != protocol.ConversationIdle {
		t.Fatalf("head %+v", head)
	}
	page, err := again.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, page.Entries, "user begin", "text working", "end restarted")
	// The user continues the queue.
	if _, err := again.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Action: protocol.QueueNow, Message: "m5"}); err != nil {
		t.Fatal(err)
	}
	page = again.until("c1", func(p protocol.ChatPage) bool { return p.Head.Entries == 18 && p.Head.Message == "" })
	if len(page.Head.Queue) != 0 {
		t.Errorf("queue %+v", page.Head.Queue)
	}
}

func TestStopEndsTheTurnOnly(t *testing.T) {
	h := opened(t, &played{script: untilCancelled}, "")
	h.start("c1")
	h.say("c1", "m1", "begin")
	h.say("c1", "m2", "wait")
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	if _, err := h.Cancel(context.Background(), "c1"); err != nil {
		t.Fatal(err)
	}
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user begin", "text working", "end cancelled")
	if len(page.Head.Queue) != 1 {
		t.Errorf("queue %+v", page.Head.Queue)
	}
}
