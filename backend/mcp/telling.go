package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// teller sends notifications to the client during one call. A client that does
// not receive them still gets the result.
type teller struct {
	ctx     context.Context // of the call
	session *sdk.ServerSession
	token   any // nil: the client wants no progress

	mu    sync.Mutex
	done  float64 // the last reported progress; it must grow
	total float64
}

// progress reports that a step begins.
func (t *teller) progress(done, total int, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.total = float64(done), float64(total)
	t.notify(what)
}

// notify sends the current progress. The caller holds t.mu.
func (t *teller) notify(what string) {
	if t.token != nil {
		_ = t.session.NotifyProgress(t.ctx, &sdk.ProgressNotificationParams{ProgressToken: t.token, Progress: t.done, Total: t.total, Message: what})
	}
}

// news reports a line of a task's progress, with the task's step.
func (t *teller) news(step, steps int, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done, t.total = max(t.done+waitingStep, float64(step)), float64(steps)
	t.notify(line)
}

// waitingStep is how much a question adds to the progress: progress must grow,
// and stay below the next step.
const waitingStep = 1.0 / 1024

// waiting reports that the user is asked: as progress, or as a log message to a
// client that asked for no progress.
func (t *teller) waiting(q protocol.Waiting) {
	said := "waiting for the user's approval in the Pilotfish panel or window: " + q.Sentence
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != nil {
		t.done += waitingStep
		t.notify(said)
		return
	}
	_ = t.session.Log(t.ctx, &sdk.LoggingMessageParams{Level: "notice", Logger: "pilotfish", Data: said}) //nolint:staticcheck // see NewServer
}
