package chat

import (
	"testing"

	"pilotfish/backend/protocol"
)

// A draft that arrives after the message that it became is dropped. The draft
// of a message that never arrived is kept.
func TestDraftOfASentMessage(t *testing.T) {
	h := opened(t, &played{script: echo}, "")
	h.start("c1")
	h.say("c1", "m1", "hello")
	h.idle("c1")
	for _, one := range []struct {
		of   protocol.MessageID
		want string
	}{{"m1", ""}, {"m2", "hello"}, {"", "hello"}} {
		text, none := "hello", ""
		if _, err := h.Set(t.Context(), protocol.ChatSetRequest{Conversation: "c1", Draft: &none}); err != nil {
			t.Fatal(err)
		}
		head, err := h.Set(t.Context(), protocol.ChatSetRequest{Conversation: "c1", Draft: &text, DraftOf: one.of})
		if err != nil {
			t.Fatal(err)
		}
		if head.Draft != one.want {
			t.Errorf("the draft of %q is %q, not %q", one.of, head.Draft, one.want)
		}
	}
}
