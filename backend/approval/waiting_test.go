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

// notes records notifications.
type notes struct {
	waiting
	shown     []desktop.Notification
	withdrawn []uint32
	did       []string
}

func newNotes() *notes {
	n := &notes{}
	n.waiting = waiting{
		allows:   func(actor protocol.Actor) bool { return actor.Kind != protocol.ActorMCP },
		notified: map[string]bool{}, log: slog.New(slog.DiscardHandler),
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

// Where an agent could press the buttons over the message bus, a notification does not
// offer to allow, and a press on one that did is no answer (threat 56).
func TestNothingIsAllowedOverAnOpenBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes()
		n.tell(t.Context(), []protocol.Approval{{ID: "a", Tab: "t7", Actor: protocol.Actor{Kind: protocol.ActorMCP, Name: "Zed"}}})
		if actions := n.shown[0].Actions; len(actions) != 1 || actions[0].Label != "Deny" {
			t.Errorf("it offers %+v", actions)
		}
		n.tell(t.Context(), []protocol.Approval{{ID: "b", Tab: "t8", Actor: protocol.Actor{Name: "claude"}}})
		n.allows = func(protocol.Actor) bool { return false } // the user has turned confinement off
		time.Sleep(notifySettle)
		n.shown[1].Actions[0].Do()
		if want := []string{"show t8"}; !slices.Equal(n.did, want) {
			t.Errorf("%q, want %q", n.did, want)
		}
	})
}

// A click on a question's notification shows the question's tab, and its
// buttons answer the question. A press on a notification that has just appeared
// was meant for something else.
func TestANotificationAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNotes()
		n.tell(t.Context(), []protocol.Approval{{ID: "a", Tab: "t7", Words: protocol.ApprovalWords{Who: "claude", What: "use bash", Details: []protocol.ApprovalArg{{Name: "command", Value: "rm -rf build"}}}}})
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

// An action cannot be allowed in a notification that does not show the whole
// question.
func TestALongQuestionIsReadFirst(t *testing.T) {
	n := newNotes()
	long := strings.Repeat("x", 500)
	for _, q := range []protocol.Approval{
		{ID: "a", Words: protocol.ApprovalWords{What: "run JavaScript", Details: []protocol.ApprovalArg{{Name: "code", Value: long}}}},
		// Who asks is a part of the question.
		{ID: "b", Words: protocol.ApprovalWords{Who: long, What: "run JavaScript"}},
	} {
		n.tell(t.Context(), []protocol.Approval{q})
		note := n.shown[len(n.shown)-1]
		if len(note.Actions) != 1 || note.Actions[0].Label != "Deny" || strings.Contains(note.Body, "xxx") || !strings.Contains(note.Body, "open them in Pilotfish") {
			t.Errorf("%+v", note)
		}
	}
}

// A question that was answered elsewhere is no longer shown: the next question
// replaces it, and after the last one the notification is withdrawn.
func TestANotificationGoes(t *testing.T) {
	n := newNotes()
	one := protocol.Approval{ID: "1", Words: protocol.ApprovalWords{What: "click “One”", Where: "https://a.test", Effect: "This may pay."}}
	two := protocol.Approval{ID: "2", Words: protocol.ApprovalWords{What: "click “Two”"}}
	for _, pending := range [][]protocol.Approval{{one}, {one, two}, {one, two}, {one}, {}, {}} {
		n.tell(t.Context(), pending)
	}
	var said []string
	for _, note := range n.shown {
		said = append(said, fmt.Sprintf("%s %d", note.Body, note.Replaces))
	}
	if want := []string{"Click “One” on https://a.test. This may pay. 0", "Click “Two”. 7", "Click “One” on https://a.test. This may pay. 7"}; !slices.Equal(said, want) || !slices.Equal(n.withdrawn, []uint32{7}) {
		t.Errorf("%q, want %q; withdrawn %v", said, want, n.withdrawn)
	}
}
