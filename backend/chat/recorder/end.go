package recorder

import (
	"time"

	"pilotfish/backend/protocol"
)

// End closes all open entries and writes the end of the turn.
func (r *Recorder) End(reason protocol.EndReason, why *protocol.Error, usage *protocol.ChatUsage, took time.Duration) error {
	if err := r.CloseText(); err != nil {
		return err
	}
	if err := r.FlushSteps(); err != nil {
		return err
	}
	status := protocol.ToolDone
	switch reason {
	case protocol.EndCancelled, protocol.EndRestarted:
		status = protocol.ToolCancelled
	case protocol.EndFailed, protocol.EndCrashed:
		status = protocol.ToolFailed
	case protocol.EndDone, protocol.EndRefused, protocol.EndMaxTokens, protocol.EndMaxTurns:
	}
	for _, e := range r.entries.Recent() {
		if !e.Open {
			continue
		}
		e.Open = false
		if e.Tool != nil && !final(e.Tool.Status) {
			tool := *e.Tool
			tool.Status = status
			e.Tool = &tool
		}
		if e.Permission != nil {
			p := *e.Permission
			p.Approval, p.Outcome = "", "cancelled"
			e.Permission = &p
		}
		if _, err := r.Put(e); err != nil {
			return err
		}
	}
	_, err := r.Put(protocol.ChatEntry{
		Message: r.message, Kind: protocol.EntryEnd,
		End: &protocol.ChatEnd{Reason: reason, Error: why, Usage: usage, DurationMS: took.Milliseconds()},
	})
	if err != nil {
		return err
	}
	return r.entries.Settle()
}
