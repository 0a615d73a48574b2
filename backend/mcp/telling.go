package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// teller tells the client of one call how it goes on. A client that does not
// hear it gets the result all the same.
type teller struct {
	ctx     context.Context // of the call
	session *sdk.ServerSession
	token   any // nil: the client wants no progress

	mu    sync.Mutex
	done  float64 // what was told last; it must grow
	total float64
}

// progress says which step begins.
func (t *teller) progress(done, total int, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.total = float64(done), float64(total)
	t.notify(what)
}

// notify sends where the call is. The caller holds t.mu.
func (t *teller) notify(what string) {
	if t.token != nil {
		_ = t.session.NotifyProgress(t.ctx, &sdk.ProgressNotificationParams{ProgressToken: t.token, Progress: t.done, Total: t.total, Message: what})
	}
}

// news says a line of a task that is at a step.
func (t *teller) news(step, steps int, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.total = max(t.done+waitingStep, float64(step)), float64(steps)
	t.notify(line)
}

// waitingStep is how far a question moves the progress: it must grow, and stay
// below the next step.
const waitingStep = 1.0 / 1024

// waiting says that the user is asked: as progress, or as a log message to a
// client that asked for none.
func (t *teller) waiting(q protocol.Waiting) {
	said := "waiting for the user's approval in the Pilotfish panel or window: " + question.Sentence(q.Approval())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != nil {
		t.done += waitingStep
		t.notify(said)
		return
	}
	_ = t.session.Log(t.ctx, &sdk.LoggingMessageParams{Level: "notice", Logger: "pilotfish", Data: said}) //nolint:staticcheck // see NewServer
}
