package approval

import (
	"context"
	"fmt"
	"log/slog"
	"time"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
)

// Terminals is the part of the session's terminals that a Manager uses.
type Terminals interface {
	Get(id protocol.TerminalID) (protocol.TerminalInfo, error)
	SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error
}

// waiting shows waiting questions outside the panel: in terminals and in a
// notification. Only one goroutine uses it.
type waiting struct {
	terminals Terminals
	notify    func(context.Context, desktop.Notification) (uint32, error) // nil for none
	withdraw  func(context.Context, uint32) error
	show      func(protocol.TabID) // brings a tab and its panel to the front
	answer    func(id string, answer protocol.ApprovalAnswer)
	allows    func(protocol.Actor) bool // see Config.AllowsByBus
	log       *slog.Logger
	// marked has the terminals whose status says that they wait, with the status
	// from before.
	marked   map[protocol.TerminalID]protocol.AgentStatus
	notified map[string]bool
	last     uint32 // the notification that is shown; 0 for none
	about    string // the question that it is about
}

// mark sets the status of waiting agents' terminals to "needs you", and
// restores the earlier status once an agent no longer waits.
func (w *waiting) mark(pending []protocol.Approval) {
	now := map[protocol.TerminalID]string{}
	for _, p := range pending {
		if p.Actor.Kind == protocol.ActorTerminal {
			now[protocol.TerminalID(p.Actor.ID)] = "Needs your approval: " + p.Words.What
		}
	}
	for id, message := range now {
		if _, is := w.marked[id]; is {
			continue
		}
		info, err := w.terminals.Get(id)
		if err != nil || w.terminals.SetStatus(id, protocol.AgentNeedsYou, message) != nil {
			continue // it has ended in the meantime
		}
		w.marked[id] = info.Status
	}
	for id, before := range w.marked {
		if _, still := now[id]; still {
			continue
		}
		delete(w.marked, id)
		info, err := w.terminals.Get(id)
		if err != nil || info.Status != protocol.AgentNeedsYou {
			continue // the agent has reported a newer status itself
		}
		if before != protocol.AgentIdle {
			before = protocol.AgentWorking // it asked, so it is working
		}
		_ = w.terminals.SetStatus(id, before, "") // it may have ended in the meantime
	}
}

// tell shows a notification for the newest question that had none yet. When the
// question in the current notification has ended, for example by an answer
// elsewhere, the notification is withdrawn or replaced by the one of another
// question.
func (w *waiting) tell(ctx context.Context, pending []protocol.Approval) {
	fresh, known := -1, map[string]bool{}
	for i, p := range pending {
		known[p.ID] = true
		if !w.notified[p.ID] {
			fresh = i
		}
	}
	w.notified = known
	if w.notify == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	if fresh < 0 && w.last != 0 && !known[w.about] {
		fresh = len(pending) - 1
		if fresh < 0 {
			if err := w.withdraw(ctx, w.last); err != nil {
				w.log.Debug("notification could not be withdrawn", "error", err)
			}
			w.last, w.about = 0, ""
		}
	}
	if fresh < 0 {
		return
	}
	note := w.note(pending[fresh])
	note.Replaces = w.last
	id, err := w.notify(ctx, note)
	if err != nil {
		// Panel, window and tray show the question too.
		w.log.Debug("notification could not be shown", "error", err)
		return
	}
	w.last, w.about = id, pending[fresh].ID
}

// note returns the notification of a question. It offers "Allow once" only if
// the whole question fits, and ignores a press that came too early, because it
// was meant for what was on the screen before.
func (w *waiting) note(p protocol.Approval) desktop.Notification {
	asks := request(p.Words) + "."
	if p.Words.Effect != "" {
		asks += " " + p.Words.Effect
	}
	body := asks
	for _, detail := range p.Words.Details {
		body += fmt.Sprintf("\n%s: %s", detail.Name, detail.Value)
	}
	show := func() { w.show(p.Tab) }
	n := desktop.Notification{Title: p.Words.Who + " needs your approval", Body: body, Urgent: true, Clicked: show}
	deny := desktop.Action{Label: "Deny", Do: func() { w.answer(p.ID, protocol.AnswerDeny) }}
	if !desktop.Fits(n.Title, body) {
		n.Body = asks + " The details are too long for this notification: open them in Pilotfish."
		n.Actions = []desktop.Action{deny}
		return n
	}
	if p.Login != nil || !w.allows(p.Actor) { // it is typed, or pressed, in the panel
		n.Actions = []desktop.Action{deny}
		return n
	}
	shown := time.Now()
	allow := desktop.Action{Label: "Allow once", Do: func() {
		if time.Since(shown) < notifySettle || !w.allows(p.Actor) {
			show()
			return
		}
		w.answer(p.ID, protocol.AnswerOnce)
	}}
	n.Actions = []desktop.Action{allow, deny}
	return n
}

// request returns a question without the asker: "Run JavaScript on
// https://example.com".
func request(w protocol.ApprovalWords) string {
	first, size := utf8.DecodeRuneInString(w.What)
	text := string(unicode.ToUpper(first)) + w.What[size:]
	if w.Where != "" {
		text += " on " + w.Where
	}
	return text
}
