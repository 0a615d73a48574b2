package chat

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// Files are written while others may use the conversation: the same message that comes twice
// at once is sent once, and a message that is refused leaves no files.
func TestAttachmentsOfMessagesThatAreNotTaken(t *testing.T) {
	h := opened(t, &played{script: untilCancelled}, "")
	h.start("c1")
	file := func() []protocol.ChatAttachment {
		return []protocol.ChatAttachment{{Kind: protocol.AttachFile, Name: "a.txt", Mime: "text/plain", Data: base64.StdEncoding.EncodeToString(make([]byte, 1<<20))}}
	}
	files := func() int {
		t.Helper()
		list, err := os.ReadDir(filepath.Join(h.config.Attachments, "c1"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m0", Text: "begin", Attachments: file()}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := files(); n != 1 {
		t.Errorf("%d files of one message", n)
	}
	taken := 0
	var mu sync.Mutex
	for _, id := range []protocol.MessageID{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"} {
		all.Go(func() {
			_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: id, Text: "wait", Attachments: file()})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				taken++
			case code(err) != protocol.CodeBusy:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if taken != protocol.ChatQueue || files() != 1+taken {
		t.Errorf("%d messages are queued, with %d files of all", taken, files())
	}
	// One attachment that is wrong refuses the message: the one before it goes, too.
	wrong := append(file(), protocol.ChatAttachment{Kind: protocol.AttachFile, Name: "b.txt", Data: "%"})
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m9", Text: "now", Now: true, Attachments: wrong}); code(err) != protocol.CodeBadArgument {
		t.Errorf("a file that is no base64: %v", err)
	}
	if files() != 1+taken {
		t.Errorf("%d files after a refused message", files())
	}
}
