package terminal

import (
	"context"

	"pilotfish/backend/protocol"
)

// await starts what Launch.Wait returns, unless the terminal was restarted or closed
// meanwhile.
func (t *terminal) await(ctx context.Context, waiting Launch) {
	launch, err := waiting.Wait(ctx)
	if t.lockOp(ctx) != nil {
		return
	}
	defer t.unlockOp()
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		_ = t.begin(launch) //nolint:contextcheck // the process outlives the wait; the terminal shows the error
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.info.State, t.info.Status = protocol.TerminalEnded, protocol.AgentEnded
	t.info.Exit = &protocol.Exit{Code: -1, Reason: "the program was not started: " + err.Error()}
	t.changed()
}
