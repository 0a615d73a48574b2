package chat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

// flood sends numbered words until it is cancelled. It echoes any prompt but
// "flood".
func flood(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
	if !strings.HasSuffix(p.Text, "flood") {
		return echo(ctx, s, p)
	}
	for i := 0; ; i++ {
		select {
		case <-s.cancels:
			return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
		case <-ctx.Done():
			return driver.TurnEnd{}, context.Cause(ctx)
		default:
			s.say(fmt.Sprintf("%d%s ", i, strings.Repeat(".", 2000)))
		}
	}
}

// flooded is a fixture with a turn that fills the disk. Removing the ballast
// file makes room again.
func flooded(t *testing.T) (h *fixture, ballast string) {
	t.Helper()
	dir := t.TempDir()
	smalldisk.Mount(t, dir, 1024)
	ballast = filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 768<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	h = opened(t, &played{script: flood}, dir)
	h.start("c1")
	h.say("c1", "m1", "flood")
	return h, ballast
}

// Fault 9, on a real full disk: the turn ends with the reason, what was shown
// is kept without a gap, a message that was refused can be sent again under its
// own id, and the interrupted turn gets its one end before the next turn.
func TestATurnOnAFullDisk(t *testing.T) {
	h, ballast := flooded(t)
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationFailed })
	if e := page.Head.Error; e == nil || e.Code != protocol.CodeNotWritable || !strings.Contains(e.Message, "the disk is full") || e.Hint == "" {
		t.Fatalf("%+v", page.Head.Error)
	}
	free := smalldisk.Fill(t, h.dir)
	again := protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "again"}
	for range 2 {
		head, err := h.Send(t.Context(), again)
		if code(err) != protocol.CodeNotWritable || head.Message != "" || len(head.Queue) != 0 {
			t.Fatalf("Send() on a full disk = %+v, %v", head, err)
		}
	}
	free()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Send(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	page = h.until("c1", func(p protocol.ChatPage) bool {
		n := len(p.Entries)
		return p.Head.Message == "" && n > 2 && p.Entries[n-1].End != nil && p.Entries[n-2].Text == "You said: again"
	})
	if page.Head.Error != nil {
		t.Errorf("it still says %+v", page.Head.Error)
	}
	wantAfterFlood(t, page.Entries)
	h.stop()
	next := opened(t, &played{script: flood}, h.dir)
	page, err := next.History(protocol.ChatHistoryRequest{Conversation: "c1", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	wantAfterFlood(t, page.Entries)
}

// wantAfterFlood checks that the entries are the words of the first turn in
// their order, its end, and the second turn.
func wantAfterFlood(t *testing.T, entries []protocol.ChatEntry) {
	t.Helper()
	words, ends := "", []string{}
	for _, e := range entries {
		if e.Open {
			t.Errorf("%s %s is still open", e.Kind, e.ID)
		}
		if e.End != nil {
			ends = append(ends, string(e.End.Reason))
		} else if e.Kind == protocol.EntryText && len(ends) == 0 {
			words += e.Text
		}
	}
	if got := strings.Join(ends, " "); got != "failed done" {
		t.Errorf("ends: %s", got)
	}
	said := strings.Fields(strings.ReplaceAll(words, ".", ""))
	for i, w := range said {
		if w != fmt.Sprint(i) {
			t.Fatalf("word %d is %s", i, w)
		}
	}
	if len(said) < 20 {
		t.Errorf("%d words were kept", len(said))
	}
}

// A message that replaces another one is refused on a full disk. Once there is
// room it replaces it, however far the first attempt came.
func TestReplacingOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	smalldisk.Mount(t, dir, 256)
	h := opened(t, &played{script: echo}, dir)
	h.start("c1")
	h.say("c1", "m1", "first")
	h.idle("c1")
	h.say("c1", "m2", "second")
	page := h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 6 && p.Head.Message == "" })
	free := smalldisk.Fill(t, dir)
	// It is too large for the rest of the block into which the cut fitted.
	better := protocol.ChatSendRequest{Conversation: "c1", Message: "m3", Replaces: page.Entries[3].ID, Text: strings.Repeat("better ", 1500)}
	for range 2 {
		if _, err := h.Send(t.Context(), better); code(err) != protocol.CodeNotWritable {
			t.Fatalf("Send() = %v", err)
		}
	}
	free()
	if _, err := h.Send(t.Context(), better); err != nil {
		t.Fatal(err)
	}
	page = h.until("c1", func(p protocol.ChatPage) bool {
		return p.Head.Message == "" && len(p.Entries) == 6 && p.Entries[3].ID != "m2" && p.Entries[5].End != nil
	})
	if !strings.HasPrefix(page.Entries[3].Text, "better") || !strings.Contains(page.Entries[4].Text, "You said: ") || page.Entries[0].Text != "first" {
		t.Errorf("%.300q", texts(page.Entries))
	}
}

// A conversation that could not be written is written without any action of the
// user once there is room: its last turn gets its end, and the error
// disappears.
func TestAFullDiskIsOverByItself(t *testing.T) {
	h, ballast := flooded(t)
	h.until("c1", func(p protocol.ChatPage) bool {
		return p.Head.State == protocol.ConversationFailed && p.Head.Message == ""
	})
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationIdle })
	if end := page.Entries[len(page.Entries)-1].End; end == nil || end.Reason != protocol.EndFailed || end.Error == nil || end.Error.Code != protocol.CodeNotWritable {
		t.Errorf("the turn ended with %+v", end)
	}
}
