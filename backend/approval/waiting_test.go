package approval

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
)

// notes are the notifications of a test.
type notes struct {
	waiting
	shown     []desktop.Notification
	withdrawn []uint32
	did       []string
}

func newNotes() *notes {
	n := &notes{}
	n.waiting = waiting{
		told: map[string]bool{}, log: slog.New(slog.DiscardHandler),
		notify: func(_ context.Context, note desktop.Notification) (uint32, error) {
			n.shown = append(n.shown, note)
			return 7, nil
		},
		withdraw: func(_ context.Context, id uint32) error { n.withdrawn = append(n.withdrawn, id); return nil },
		show:     func(tab protocol.TabID) { n.did = append(n.did, "show "+string(tab)) },
		answer: func(id string, answer protocol.ApprovalAnswer) {
			n.did = append(n.did, string(answer)+" "+id)
		},
	}
	return n
}

// A click on the notification of a question is about the question's tab, and its
// buttons answer it; a press on what has just appeared was meant for something
// else.
func TestANotificationAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes()
		n.tell(t.Context(), []protocol.Approval{{ID: "a", Tab: "t7", Actor: protocol.Actor{Name: "claude"}, Command: "bash", Args: []protocol.ApprovalArg{{Name: "command", Value: "rm -rf build"}}}})
		note := n.shown[0]
		if !strings.Contains(note.Body, "command: rm -rf build") || len(note.Actions) != 2 {
			t.Fatalf("%+v", note)
		}
		note.Clicked()
		note.Actions[0].Do()
		time.Sleep(notifySettle)
		note.Actions[0].Do()
		note.Actions[1].Do()
		if want := []string{"show t7", "show t7", "once a", "deny a"}; !slices.Equal(n.did, want) {
			t.Errorf("%q, want %q", n.did, want)
		}
	})
}

// What does not stand in a notification whole is not allowed there.
func TestALongQuestionIsReadFirst(t *testing.T) {
	n := newNotes()
	n.tell(t.Context(), []protocol.Approval{{ID: "a", Command: "eval", Args: []protocol.ApprovalArg{{Name: "code", Value: strings.Repeat("x", 500)}}}})
	note := n.shown[0]
	if len(note.Actions) != 1 || note.Actions[0].Label != "Deny" || strings.Contains(note.Body, "xxx") || !strings.Contains(note.Body, "open them in Pilotfish") {
		t.Errorf("%+v", note)
	}
}

// What was answered elsewhere is shown no more: the next question takes its
// place, and after the last one it goes.
func TestANotificationGoes(t *testing.T) {
	n := newNotes()
	one, two := protocol.Approval{ID: "1", Command: "one"}, protocol.Approval{ID: "2", Command: "two"}
	for _, pending := range [][]protocol.Approval{{one}, {one, two}, {one, two}, {one}, {}, {}} {
		n.tell(t.Context(), pending)
	}
	var said []string
	for _, note := range n.shown {
		said = append(said, fmt.Sprintf("%s %d", note.Body, note.Replaces))
	}
	if want := []string{"Run the command “one”. 0", "Run the command “two”. 7", "Run the command “one”. 7"}; !slices.Equal(said, want) || !slices.Equal(n.withdrawn, []uint32{7}) {
		t.Errorf("%q, want %q; withdrawn %v", said, want, n.withdrawn)
	}
}
