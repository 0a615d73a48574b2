package terminal

import (
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/vt"
)

// Output is the output that a terminal keeps, from an offset on.
type Output struct {
	Info protocol.TerminalInfo
	// Offset is the offset of Data in the stream of Info.Epoch.
	Offset uint64
	Data   []byte
	// Fresh: the output does not continue what was read before. Prelude brings a reset
	// emulator into the modes at Offset.
	Fresh   bool
	Prelude string
	// Sizes are the sizes that the viewer's emulator had, the first one before Data.
	Sizes []vt.Size
	// Over: the program has ended, or never ran, and all that it printed was read. The end
	// of a program is known before its last output is.
	Over bool
	// Changed is closed when there is more output, when the state changes, or when the
	// terminal is closed.
	Changed <-chan struct{}
}

// Output returns the output of a terminal after an offset of an epoch; 0, 0 for all that
// is kept. If that is not kept any more, it returns what is, with Fresh.
func (m *Manager) Output(id protocol.TerminalID, epoch int, after uint64) (Output, error) {
	t, err := m.find(id)
	if err != nil {
		return Output{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.heard == nil {
		t.heard = make(chan struct{})
	}
	base, fresh := t.stream.Continue(epoch == t.info.Epoch, after)
	out := Output{Info: t.infoLocked(), Offset: base.Offset, Fresh: fresh, Sizes: base.Sizes, Changed: t.heard}
	if base.Screen != nil {
		out.Prelude = base.Screen.Data
	}
	out.Over = (out.Info.Exit != nil || out.Info.State == protocol.TerminalMissing) && t.drained()
	out.Data = make([]byte, t.stream.Head()-base.Offset)
	t.stream.Read(base.Offset, out.Data)
	return out, nil
}

// wakeFollowers wakes those who follow the output; see Output. It needs mu.
func (t *terminal) wakeFollowers() {
	if t.heard != nil {
		close(t.heard)
		t.heard = nil
	}
}

// Type sends input to a terminal's program, as if the user had typed it. It waits while
// the program does not read and its queue is full.
func (m *Manager) Type(id protocol.TerminalID, p []byte) error {
	t, err := m.find(id)
	if err != nil {
		return err
	}
	t.mu.Lock()
	run := t.run
	if run == nil || t.info.State != protocol.TerminalLive {
		t.mu.Unlock()
		return protocol.NewError(protocol.CodeNotRunning, "nothing runs in this terminal", "the user can restart it in the panel")
	}
	t.answered()
	t.activity(false)
	t.mu.Unlock()
	return run.input.Put(p, terminalInputWait)
}
