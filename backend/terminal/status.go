//go:build unix

package terminal

import (
	"time"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/vt"
)

// activity notes that something was read or typed: the foreground program may
// be another one now. What comes of it is told by settle, once for everything
// that happens meanwhile. It needs mu.
func (t *terminal) activity(title bool) {
	if t.settleArmed || (!title && t.info.Agent != protocol.AgentShell && t.info.Status != protocol.AgentStarting) {
		return
	}
	t.settleArmed = true
	time.AfterFunc(statusDelay, t.settle)
}

// settle tells the title and what the foreground program says about the status.
func (t *terminal) settle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settleArmed = false
	run := t.run
	if run == nil || t.info.State != protocol.TerminalLive {
		return
	}
	changed := false
	if t.title != t.info.Title {
		t.info.Title = t.title
		changed = true
		if t.viewer != nil {
			t.viewer.title = true
		}
	}
	status := t.info.Status
	switch {
	case t.info.Agent == protocol.AgentShell:
		// The shell itself in the foreground is its prompt. What a hook has
		// said stays until the foreground changes.
		if now := foregroundStatus(run); now != t.foreground {
			t.foreground, status = now, now
		}
	case status == protocol.AgentStarting:
		status = protocol.AgentIdle // it has drawn something and waits, unless its hook says more
	}
	if status != t.info.Status {
		t.info.Status, t.info.Message = status, ""
		changed = true
	}
	if changed {
		t.changed()
	}
}

func foregroundStatus(run *running) protocol.AgentStatus {
	group, err := run.device.Foreground()
	if err != nil || group == run.proc.PID() {
		return protocol.AgentIdle
	}
	return protocol.AgentWorking
}

// setStatus is an agent's own word.
func (t *terminal) setStatus(status protocol.AgentStatus, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.info.State != protocol.TerminalLive && t.info.State != protocol.TerminalStarting {
		return // a hook of a process that is ending
	}
	if status != protocol.AgentNeedsYou {
		message = ""
	}
	message = vt.CleanTitle(message)
	t.calm()
	if t.info.Status == status && t.info.Message == message {
		return
	}
	t.info.Status, t.info.Message = status, message
	t.changed()
}

// interrupted notes that the person pressed Escape or Ctrl-C while an agent works. Claude
// has no hook for the end of a turn that was interrupted. But what works draws all the
// time: an agent that falls silent after such a key waits for the person. It needs mu.
func (t *terminal) interrupted() {
	run := t.run
	if t.info.Agent == protocol.AgentShell || t.info.Status != protocol.AgentWorking || run == nil {
		return
	}
	t.calm()
	t.hushed = time.AfterFunc(interruptQuiet, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.hushed == nil || t.run != run {
			return
		}
		t.hushed = nil
		if t.info.State == protocol.TerminalLive && t.info.Status == protocol.AgentWorking {
			t.info.Status, t.info.Message = protocol.AgentIdle, ""
			t.changed()
		}
	})
}

// calm forgets an interruption: something else says what the agent does. It needs mu.
func (t *terminal) calm() {
	if t.hushed != nil {
		t.hushed.Stop()
		t.hushed = nil
	}
}

// answered notes that the person typed: an agent that needed them has its
// answer. It needs mu.
func (t *terminal) answered() {
	if t.info.Status == protocol.AgentNeedsYou && t.info.State == protocol.TerminalLive {
		t.info.Status, t.info.Message = protocol.AgentWorking, ""
		t.changed()
	}
}

func (t *terminal) setTab(tab protocol.TabID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.info.Tab != tab {
		t.info.Tab = tab
		t.changed()
	}
}
