package protocol

import (
	"encoding/binary"
	"time"
)

// TerminalState is the state of a terminal for the user. "reconnecting" exists
// only in the viewer.
type TerminalState string

// The states of a terminal. They only move forward; a restart starts a new
// process under the same id, with a new Epoch.
const (
	TerminalStarting TerminalState = "starting"
	TerminalLive     TerminalState = "live"
	TerminalStopping TerminalState = "stopping"
	TerminalEnded    TerminalState = "ended"
	// TerminalMissing: the agent is not installed, so nothing was started.
	TerminalMissing TerminalState = "missing"
)

// TerminalInfo is what the panel, the window and the tray show of a terminal.
type TerminalInfo struct {
	ID      TerminalID    `json:"id"`
	Session SessionName   `json:"session"`
	Tab     TabID         `json:"tab"`
	Agent   AgentKind     `json:"agent"`
	Name    string        `json:"name"`  // the agent's name, or the program's
	Title   string        `json:"title"` // the title that the program sets (OSC 0 and 2); the program's own text
	State   TerminalState `json:"state"`
	Status  AgentStatus   `json:"status"`
	// Progress is what the program says of its progress (OSC 9;4); absent for none.
	Progress *TerminalProgress `json:"progress,omitempty"`
	// Bells is how often the program has rung the bell in this epoch.
	Bells int `json:"bells,omitempty"`
	// Message belongs to AgentNeedsYou; it is the agent's own text.
	Message string `json:"message,omitempty"`
	// Epoch counts the processes under this id: 1, 2 after a restart, …
	// Offsets start at 0 in each.
	Epoch     int       `json:"epoch"`
	PID       int       `json:"pid,omitempty"`
	Cols      int       `json:"cols"`
	Rows      int       `json:"rows"`
	StartedAt time.Time `json:"startedAt"`
	Exit      *Exit     `json:"exit,omitempty"`
	Viewers   int       `json:"viewers"`
	// Seen: the user has the terminal before them, see ControlSeen. Only the backend
	// uses it.
	Seen bool `json:"-"`
	// Confined: the program cannot see Pilotfish itself, see Confinement.
	Confined bool `json:"confined,omitempty"`
	// Shown is when the user turned to it last, in milliseconds since 1970; 0 for never.
	Shown int64 `json:"shown,omitempty"`
}

// TerminalProgress is the progress of a terminal's program.
type TerminalProgress struct {
	State ProgressState `json:"state"`
	// Percent is from 0 to 100; 0 with ProgressUnknown.
	Percent int `json:"percent"`
}

// ProgressState is the state of a progress.
type ProgressState string

// The states, in the order of OSC 9;4, which begins with 1.
const (
	ProgressNormal  ProgressState = "normal"
	ProgressError   ProgressState = "error"
	ProgressUnknown ProgressState = "unknown" // busy, without a known end
	ProgressPaused  ProgressState = "paused"
)

// Exit says how a process ended.
type Exit struct {
	// Code is the exit code; -1 when a signal ended it.
	Code int `json:"code"`
	// Signal is the name of the signal ("SIGKILL"), if one ended it.
	Signal string `json:"signal,omitempty"`
	// Reason is for the user: "closed by you", "the agent could not be started:
	// …".
	Reason string `json:"reason,omitempty"`
}

// PtySessionRequest is the body of POST /pty-session. It asks for the token for
// one upgrade, of a running terminal or of a new one.
type PtySessionRequest struct {
	// Terminal names a running terminal; empty starts a new one.
	Terminal TerminalID `json:"terminal,omitempty"`
	// Tab is the tab beside which a new terminal starts.
	Tab TabID `json:"tab,omitempty"`
	// Agent is what a new terminal runs; empty means the one of Settings.
	Agent AgentKind `json:"agent,omitempty"`
	// Command is the command line of AgentCustom.
	Command string `json:"command,omitempty"`
	// Resume is the id of a PastSession of Agent, which a new terminal continues in its
	// folder.
	Resume string `json:"resume,omitempty"`
	// Confined confines a shell, which belongs to the user. An agent is confined by
	// Settings.
	Confined bool `json:"confined,omitempty"`
	Cols     int  `json:"cols"`
	Rows     int  `json:"rows"`
}

// PtySessionReply has the attach token, which is valid for one upgrade within
// AttachTokenLife.
type PtySessionReply struct {
	Terminal TerminalInfo `json:"terminal"`
	Attach   string       `json:"attach"`
	Expires  time.Time    `json:"expires"`
}

// PtyRestartRequest is the body of POST /pty-restart, which in one transaction
// ends the process, whatever its state, and starts the next under the same id.
type PtyRestartRequest struct {
	Terminal TerminalID `json:"terminal"`
	// Agent and Command replace the earlier ones; empty keeps them.
	Agent   AgentKind `json:"agent,omitempty"`
	Command string    `json:"command,omitempty"`
	// Confined is as in PtySessionRequest; absent keeps what was.
	Confined *bool `json:"confined,omitempty"`
}

// PtyCloseRequest is the body of POST /pty-close, which ends the process group
// and removes the terminal.
type PtyCloseRequest struct {
	Terminal TerminalID `json:"terminal"`
}

// FrameHeader is the size in bytes of the header of a binary frame of output.
// The header is the offset of the frame's first byte in the epoch's stream, big
// endian.
const FrameHeader = 8

// AppendFrame appends an output frame to dst.
func AppendFrame(dst []byte, offset uint64, data []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, offset)
	return append(dst, data...)
}

// ControlType is the type of a text frame of a terminal's WebSocket.
type ControlType string

// The control messages. Those before ControlReady come from the viewer, the
// others from the backend; ControlResize comes from both.
const (
	ControlAttach ControlType = "attach" // the first message of a viewer
	// ControlResize, from a viewer, is the size that its emulator took at Offset;
	// the program gets this size too. From the backend, it is a size that an
	// emulator had from Offset on, in order with the replayed output.
	ControlResize ControlType = "resize"
	// ControlShown means that the user now looks at this terminal.
	ControlShown ControlType = "shown"
	// ControlSeen says whether the user has this terminal before them: it is in view
	// in its panel, and the browser's window is the one that they use. A viewer that
	// has said nothing is not seen.
	ControlSeen ControlType = "seen"
	ControlAck  ControlType = "ack"
	ControlPing ControlType = "ping"
	// ControlCheckpoint gives the backend the viewer's own screen, serialised at
	// an offset. The next viewer that starts without any output begins from it.
	ControlCheckpoint ControlType = "checkpoint"

	ControlReady    ControlType = "ready"    // response to attach
	ControlReplayed ControlType = "replayed" // the output that follows is live
	ControlSnapshot ControlType = "snapshot" // replace the screen with Data
	ControlState    ControlType = "state"
	ControlExit     ControlType = "exit"
	ControlTitle    ControlType = "title"
	ControlBell     ControlType = "bell"
	ControlPong     ControlType = "pong"
	ControlEpoch    ControlType = "epoch" // a restart: clear the screen; offsets start at 0
)

// ViewerControl is a text frame from a viewer. Type says which fields are used.
type ViewerControl struct {
	Type ControlType `json:"type"`
	// Epoch is the epoch of Offset. In attach, it means that the viewer has every
	// byte below Offset of this epoch; 0, 0 when it has nothing. In the other
	// messages it prevents that a message sent before a restart is taken for one
	// about the new process.
	Epoch  int    `json:"epoch,omitempty"`
	Offset uint64 `json:"offset,omitempty"` // attach, ack, resize and checkpoint: bytes drawn up to here
	Cols   int    `json:"cols,omitempty"`   // attach, resize and checkpoint
	Rows   int    `json:"rows,omitempty"`
	ID     int    `json:"id,omitempty"`   // ping
	Data   string `json:"data,omitempty"` // checkpoint, in the viewers' own format
	Seen   bool   `json:"seen,omitempty"` // seen
	// At (shown) is when the user switched to the terminal, in milliseconds since
	// 1970. It is needed because messages of two terminals may not arrive in the
	// order in which they were sent.
	At int64 `json:"at,omitempty"`
}

// TerminalControl is a text frame from the backend. Type says which fields are
// used.
type TerminalControl struct {
	Type ControlType `json:"type"`
	// Terminal (ready, state): the terminal's current state.
	Terminal *TerminalInfo `json:"terminal,omitempty"`
	// Epoch and Offset (ready, snapshot, resize, replayed, epoch): where the
	// stream continues.
	Epoch  int    `json:"epoch,omitempty"`
	Offset uint64 `json:"offset,omitempty"`
	Exit   *Exit  `json:"exit,omitempty"`
	Title  string `json:"title,omitempty"`
	ID     int    `json:"id,omitempty"` // pong
	// Data (snapshot) is a viewer's checkpoint, or what to write into a cleared
	// screen; the stream continues at Offset.
	Data string `json:"data,omitempty"`
	Cols int    `json:"cols,omitempty"` // snapshot: the size that Data was made for; resize
	Rows int    `json:"rows,omitempty"`
}

// Close codes of our WebSockets, in the range that RFC 6455 leaves to
// applications.
const (
	CloseUnauthorized = 4401 // the token ended; authenticate again
	CloseGone         = 4404 // the object of the socket does not exist any more
	CloseTakenOver    = 4409 // another viewer attached to this terminal
	CloseSlow         = 4408 // the reader was too slow; resynchronise
)
