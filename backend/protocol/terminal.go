package protocol

import (
	"encoding/binary"
	"time"
)

// TerminalState is a terminal as a person understands it. "reconnecting" exists
// only in the viewer.
type TerminalState string

// The states of a terminal. They only move forward; a restart makes a new
// process under the same id, with a new Epoch.
const (
	TerminalStarting TerminalState = "starting"
	TerminalLive     TerminalState = "live"
	TerminalStopping TerminalState = "stopping"
	TerminalEnded    TerminalState = "ended"
	// TerminalMissing is an agent that is not installed: nothing was started.
	TerminalMissing TerminalState = "missing"
)

// TerminalInfo is what the panel, the window and the tray show of a terminal.
type TerminalInfo struct {
	ID      TerminalID    `json:"id"`
	Session SessionName   `json:"session"`
	Tab     TabID         `json:"tab"`
	Agent   AgentKind     `json:"agent"`
	Name    string        `json:"name"`  // the agent's name, or the program's
	Title   string        `json:"title"` // what the program calls itself (OSC 0 and 2); foreign text
	State   TerminalState `json:"state"`
	Status  AgentStatus   `json:"status"`
	// Message goes with AgentNeedsYou; foreign text.
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
	// Shown is when the user turned to it last, in milliseconds since 1970; 0 for never.
	Shown int64 `json:"shown,omitempty"`
}

// Exit says how a process ended.
type Exit struct {
	// Code is the exit code; -1 when a signal ended it.
	Code int `json:"code"`
	// Signal is the name of the signal ("SIGKILL"), if one ended it.
	Signal string `json:"signal,omitempty"`
	// Reason is for a person: "closed by you", "the agent could not be started: …".
	Reason string `json:"reason,omitempty"`
}

// PtySessionRequest is the body of POST /pty-session: a token for one upgrade,
// of a living terminal or of a new one.
type PtySessionRequest struct {
	// Terminal names a living terminal; empty starts a new one.
	Terminal TerminalID `json:"terminal,omitempty"`
	// Tab is the tab beside which a new terminal starts.
	Tab TabID `json:"tab,omitempty"`
	// Agent is what a new terminal runs; empty means the one of Settings.
	Agent AgentKind `json:"agent,omitempty"`
	// Command is the command line of AgentCustom.
	Command string `json:"command,omitempty"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
}

// PtySessionReply carries the attach token. It is good for one upgrade within
// AttachTokenLife.
type PtySessionReply struct {
	Terminal TerminalInfo `json:"terminal"`
	Attach   string       `json:"attach"`
	Expires  time.Time    `json:"expires"`
}

// PtyRestartRequest is the body of POST /pty-restart: one transaction that ends
// the process, whatever its state, and starts the next under the same id.
type PtyRestartRequest struct {
	Terminal TerminalID `json:"terminal"`
	// Agent and Command replace what ran before; empty keeps it.
	Agent   AgentKind `json:"agent,omitempty"`
	Command string    `json:"command,omitempty"`
}

// PtyCloseRequest is the body of POST /pty-close: ends the process group and
// forgets the terminal.
type PtyCloseRequest struct {
	Terminal TerminalID `json:"terminal"`
}

// FrameHeader is the size of the header of a binary frame of output: the offset
// of its first byte in the epoch's stream, big endian.
const FrameHeader = 8

// AppendFrame appends an output frame to dst.
func AppendFrame(dst []byte, offset uint64, data []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, offset)
	return append(dst, data...)
}

// ParseFrame splits an output frame; ok is false when it is too short.
func ParseFrame(frame []byte) (offset uint64, data []byte, ok bool) {
	if len(frame) < FrameHeader {
		return 0, nil, false
	}
	return binary.BigEndian.Uint64(frame), frame[FrameHeader:], true
}

// ControlType is the type of a text frame of a terminal's WebSocket.
type ControlType string

// The control messages. The first seven come from the viewer, the others from
// the backend.
const (
	ControlAttach ControlType = "attach" // first message of a viewer
	// ControlResize, from a viewer, is the size that its emulator took at Offset:
	// the program gets it, too. From the backend it is one that an emulator had
	// from Offset on, in order with the output that is replayed.
	ControlResize ControlType = "resize"
	// ControlShown means that the user looks at this terminal now.
	ControlShown ControlType = "shown"
	ControlAck   ControlType = "ack"
	ControlPing  ControlType = "ping"
	// ControlCheckpoint hands the backend the viewer's own screen, serialised
	// at an offset: the base for the next viewer that comes with nothing.
	ControlCheckpoint ControlType = "checkpoint"
	// ControlPicture hands the backend what the viewer's screen looks like at an
	// offset, to be shown at once by the next panel if nothing is written until then.
	// Only panels read it.
	ControlPicture ControlType = "picture"

	ControlReady    ControlType = "ready"    // answer to attach
	ControlReplayed ControlType = "replayed" // what follows is live
	ControlSnapshot ControlType = "snapshot" // replace the screen by Data
	ControlState    ControlType = "state"
	ControlExit     ControlType = "exit"
	ControlTitle    ControlType = "title"
	ControlBell     ControlType = "bell"
	ControlPong     ControlType = "pong"
	ControlEpoch    ControlType = "epoch" // a restart: clear the screen, offsets start at 0
)

// ViewerControl is a text frame from a viewer. Which fields count depends on
// Type.
type ViewerControl struct {
	Type ControlType `json:"type"`
	// Epoch is the epoch that Offset is about. In attach the viewer has every
	// byte below Offset of this epoch; 0, 0 when it has nothing. In the others it keeps a message that crosses a restart from being taken
	// for one about the new process.
	Epoch  int    `json:"epoch,omitempty"`
	Offset uint64 `json:"offset,omitempty"` // attach, ack, resize, checkpoint and picture: bytes drawn up to here
	Cols   int    `json:"cols,omitempty"`   // attach, resize and checkpoint
	Rows   int    `json:"rows,omitempty"`
	ID     int    `json:"id,omitempty"`   // ping
	Data   string `json:"data,omitempty"` // checkpoint and picture, in the words of the viewers
	// At (shown) is when the user turned to the terminal, in milliseconds since 1970:
	// the messages of two terminals do not arrive in the order in which they were sent.
	At int64 `json:"at,omitempty"`
}

// TerminalControl is a text frame from the backend. Which fields count depends
// on Type.
type TerminalControl struct {
	Type ControlType `json:"type"`
	// Terminal (ready, state): the terminal now.
	Terminal *TerminalInfo `json:"terminal,omitempty"`
	// Epoch and Offset (ready, snapshot, resize, replayed, epoch): where the
	// stream goes on.
	Epoch  int    `json:"epoch,omitempty"`
	Offset uint64 `json:"offset,omitempty"`
	Exit   *Exit  `json:"exit,omitempty"`
	Title  string `json:"title,omitempty"`
	ID     int    `json:"id,omitempty"` // pong
	// Data (snapshot) is a viewer's checkpoint, or what to write into a cleared
	// screen; the stream goes on at Offset.
	Data string `json:"data,omitempty"`
	Cols int    `json:"cols,omitempty"` // snapshot: the size that Data was made for; resize
	Rows int    `json:"rows,omitempty"`
}

// Close codes of our WebSockets, in the range that RFC 6455 leaves to
// applications.
const (
	CloseUnauthorized = 4401 // the token ended; authenticate again
	CloseGone         = 4404 // what the socket was for does not exist any more
	CloseTakenOver    = 4409 // another viewer attached to this terminal
	CloseSlow         = 4408 // the reader was too slow; resynchronise
)
