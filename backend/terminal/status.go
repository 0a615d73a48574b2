package terminal

import (
	"time"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/vt"
)

// activity records that there was output or input: the foreground program may have
// changed. settle reports the result once for all activity within statusDelay. It
// needs mu.
func (t *terminal) activity(title bool) {
	if t.settleArmed || (!title && t.info.Agent != protocol.AgentShell && t.info.Status != protocol.AgentStarting) {
		return
	}
	t.settleArmed = true
	t.settleAfter(statusDelay)
}

// settleAfter calls settle once after a delay, instead of the call that was to come. It
// needs mu.
func (t *terminal) settleAfter(delay time.Duration) {
	if t.settling != nil {
		t.settling.Stop()
	}
	t.settling = time.AfterFunc(delay, func() { t.settle(delay) })
}

// settle publishes the title, and the status that follows from the foreground
// program. It comes a delay after the last activity.
func (t *terminal) settle(delay time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.settleArmed && delay != statusDelay {
		return // there was activity meanwhile
	}
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
	if now := t.stream.Progress(); now != t.info.Progress || t.stream.Bells() != t.info.Bells {
		t.info.Progress, t.info.Bells = now, t.stream.Bells()
		changed = true
	}
	status := t.info.Status
	switch {
	case t.info.Agent == protocol.AgentShell:
		// When the shell itself is in the foreground, it shows its prompt. A status
		// that a hook has set stays until the foreground changes.
		if now := foregroundStatus(run); now != t.foreground {
			t.foreground, status = now, now
		}
		// A busy machine starts what was entered later than it shows the line, and no
		// event tells of a program that is silent, such as `sleep`.
		if delay < statusLast {
			t.settleAfter(4 * delay)
		}
	case status == protocol.AgentStarting:
		status = protocol.AgentIdle // it has written output and now waits, unless its hook reports otherwise
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
	if err != nil || group == run.proc.PID() || run.wrapped && startedBy(run.proc.PID(), group) {
		return protocol.AgentIdle
	}
	return protocol.AgentWorking
}

// startedBy reports whether a process is the program that a wrapper runs: its child, or
// for bubblewrap the child of its child, which is the first process of the namespace. A
// shell leads its own process group.
func startedBy(wrapper, pid int) bool {
	parent, err := proc.Parent(pid)
	if err != nil || parent == wrapper {
		return err == nil
	}
	outer, err := proc.Parent(parent)
	return err == nil && outer == wrapper
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

// interrupted records that the user pressed Escape or Ctrl-C while an agent works.
// Claude has no hook for the end of an interrupted turn. But a working agent draws
// all the time, so an agent that falls silent after such a key waits for the user. It
// needs mu.
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

// calm cancels the handling of an interruption, because a newer report states what
// the agent does. It needs mu.
func (t *terminal) calm() {
	if t.hushed != nil {
		t.hushed.Stop()
		t.hushed = nil
	}
}

// answered records that the user typed: an agent that needed the user has its answer.
// It needs mu.
func (t *terminal) answered() {
	if t.info.Status == protocol.AgentNeedsYou && t.info.State == protocol.TerminalLive {
		t.info.Status, t.info.Message = protocol.AgentWorking, ""
		t.changed()
	}
}
