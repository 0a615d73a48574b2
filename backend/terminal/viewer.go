package terminal

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/vt"
)

// closing is the code and reason with which a viewer's socket is closed.
type closing struct {
	code   websocket.StatusCode
	reason string
}

// The reasons for which the backend closes a viewer's socket.
var (
	gone      = closing{protocol.CloseGone, "the terminal was closed"}
	takenOver = closing{protocol.CloseTakenOver, "another panel shows this terminal"}
	slow      = closing{protocol.CloseSlow, "the program does not read its input"}
	goingAway = closing{websocket.StatusGoingAway, "the app ended"}
	internal  = closing{websocket.StatusInternalError, "internal error"}
)

// maxPongs is how many pings may wait for their pong.
const maxPongs = 16

// viewer is one attached socket. Its mutable fields are guarded by its terminal's mu.
type viewer struct {
	t  *terminal
	ws *websocket.Conn
	// ctx never ends. A write ends when the socket is closed, and a context that can
	// end would cost an allocation per write.
	ctx    context.Context
	kicked chan closing // capacity 1; the first reason counts
	cond   sync.Cond    // wakes the pump

	// first holds the messages to send before any output.
	first []protocol.TerminalControl
	// sizes holds the sizes to which the emulator must change during the replay of
	// earlier output.
	sizes []vt.Size
	// sent and acked are offsets in the current epoch: written to the socket, and
	// drawn by the viewer.
	sent, acked uint64
	// writing is set while the pump or the program's reader writes to the socket.
	writing bool
	closed  bool
	drew    bool // the viewer has acknowledged some output
	seen    bool // the user has the terminal before them

	// Messages still to send; each carries only the newest state.
	epoch, state, title, bell, exit bool
	exitSent                        bool
	replay                          bool   // the "replayed" message is still to be sent
	replayTo                        uint64 // the offset at which it is sent
	redraw                          bool   // make the program redraw after it
	pongs                           []int
}

func newViewer(ctx context.Context, t *terminal, ws *websocket.Conn) *viewer {
	v := &viewer{t: t, ws: ws, ctx: context.WithoutCancel(ctx), kicked: make(chan closing, 1)}
	v.cond.L = &t.mu
	return v
}

// kick closes the socket with a reason. It does not wait.
func (v *viewer) kick(c closing) {
	select {
	case v.kicked <- c:
	default:
	}
}

// attach makes v the terminal's viewer and closes the viewer before it.
func (t *terminal) attach(v *viewer, hello protocol.ViewerControl) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	if old := t.viewer; old != nil {
		old.kick(takenOver)
		old.closed = true // its offset no longer limits the reader
		old.cond.Broadcast()
	}
	t.lease.hold()
	t.viewer = v
	t.resize(hello.Cols, hello.Rows)
	b := t.stream.BaseFor(hello.Epoch == t.info.Epoch, hello.Offset)
	v.sent, v.acked, v.sizes = b.Offset, b.Offset, b.Sizes
	v.replay, v.replayTo, v.redraw = true, t.stream.Head(), b.Redraw
	if !t.viewed && b.Screen != nil && b.Offset == 0 && time.Since(t.info.StartedAt) < firstAnswerWithin {
		// The program has just started and no viewer has been attached yet. Its
		// queries to the terminal were never answered, so this output is not a
		// replay.
		v.replayTo = 0
	}
	t.viewed = true
	v.exit = t.info.Exit != nil
	info := t.infoLocked()
	v.first = []protocol.TerminalControl{{
		Type: protocol.ControlReady, Terminal: &info, Epoch: info.Epoch, Offset: b.Offset,
	}}
	// A viewer that has no output needs no message to clear its screen.
	if s := b.Screen; s != nil && (s.Data != "" || hello.Epoch != 0) {
		if s.Cols == 0 {
			s.Cols, s.Rows = info.Cols, info.Rows
		}
		s.Epoch = info.Epoch
		v.first = append(v.first, *s)
	}
	t.readCond.Broadcast() // the old viewer's window no longer limits the reader
	t.m.news.post(t.id)
	return true
}

// detach removes v, if it is still the viewer, and wakes its pump so that the pump
// ends.
func (t *terminal) detach(v *viewer) {
	grace := t.m.config.Grace()
	t.mu.Lock()
	defer t.mu.Unlock()
	v.closed = true
	v.cond.Broadcast()
	if t.viewer != v {
		return
	}
	t.viewer = nil
	t.lease.release(grace)
	t.readCond.Broadcast()
	t.m.news.post(t.id)
}

// newEpoch resets the viewer for a new stream. It needs mu.
func (v *viewer) newEpoch() {
	v.sent, v.acked, v.sizes = 0, 0, nil
	v.epoch, v.exit, v.exitSent, v.replay, v.redraw = true, false, false, false, false
	v.cond.Signal()
	v.t.readCond.Broadcast()
}

// claim reports whether the caller may now write the output at offset to the socket:
// the viewer has all output before it, and no other message is pending. It needs mu.
// The caller calls release after the write.
func (v *viewer) claim(offset uint64, n int) bool {
	if v.closed || v.writing || v.sent != offset || v.hasChanges() {
		return false
	}
	v.writing = true
	v.sent += uint64(n)
	return true
}

// release ends a claim. It needs mu.
func (v *viewer) release(err error) {
	v.writing = false
	if err != nil {
		// The goroutine that reads the socket gets the same error and ends the
		// viewer.
		v.closed = true
		if v.t.viewer == v {
			v.t.readCond.Broadcast()
		}
	}
	v.cond.Signal()
}

func (v *viewer) hasChanges() bool {
	return len(v.first) > 0 || v.epoch || v.state || v.title || v.bell || v.replay || len(v.sizes) > 0 || len(v.pongs) > 0
}

// write writes one message. It returns at the latest when the socket is closed; the
// heartbeat closes it when the peer is dead.
func (v *viewer) write(typ websocket.MessageType, p []byte) error {
	return v.ws.Write(v.ctx, typ, p)
}

// pump writes everything that the program's reader does not write directly, until the
// viewer is detached.
func (v *viewer) pump() {
	buf := make([]byte, protocol.FrameHeader+protocol.MaxFrame)
	for {
		message, frame, ok := v.next(buf)
		if !ok {
			return
		}
		var err error
		if message != nil {
			err = v.writeControl(*message)
		} else {
			err = v.write(websocket.MessageBinary, frame)
		}
		v.t.mu.Lock()
		v.release(err)
		v.t.mu.Unlock()
	}
}

func (v *viewer) writeControl(c protocol.TerminalControl) error {
	b, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encoding a %s message: %w", c.Type, err)
	}
	return v.write(websocket.MessageText, b)
}

// next waits for something to write and claims it: a message, or output as a frame in
// buf.
func (v *viewer) next(buf []byte) (message *protocol.TerminalControl, frame []byte, ok bool) {
	t := v.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if v.closed {
			return nil, nil, false
		}
		if !v.writing {
			if message := v.nextMessage(); message != nil {
				v.writing = true
				return message, nil, true
			}
			if open := v.sent - v.acked; v.sent < t.stream.Head() && open < protocol.AckWindow {
				room := int(min(protocol.MaxFrame, protocol.AckWindow-open))
				if len(v.sizes) > 0 {
					room = int(min(uint64(room), v.sizes[0].Offset-v.sent))
				}
				n := t.stream.Read(v.sent, buf[protocol.FrameHeader:][:room])
				if open := vt.OpenCharacter(buf[protocol.FrameHeader:][:n]); open < n && v.sent+uint64(n) < t.stream.Head() {
					n -= open
				}
				frame := protocol.AppendFrame(buf[:0], v.sent, buf[protocol.FrameHeader:][:n])
				v.sent += uint64(n)
				v.writing = true
				return nil, frame, true
			}
		}
		v.cond.Wait()
	}
}

// nextMessage removes and returns the next pending message, in the order in which a
// viewer needs them. It needs mu.
func (v *viewer) nextMessage() *protocol.TerminalControl {
	t := v.t
	switch {
	case len(v.first) > 0:
		message := v.first[0]
		v.first = v.first[1:]
		return &message
	case v.epoch:
		v.epoch, v.state = false, false
		info := t.infoLocked()
		return &protocol.TerminalControl{Type: protocol.ControlEpoch, Terminal: &info, Epoch: info.Epoch}
	case len(v.pongs) > 0:
		id := v.pongs[0]
		v.pongs = v.pongs[1:]
		return &protocol.TerminalControl{Type: protocol.ControlPong, ID: id}
	case len(v.sizes) > 0 && v.sizes[0].Offset <= v.sent:
		size := v.sizes[0]
		v.sizes = v.sizes[1:]
		return &protocol.TerminalControl{Type: protocol.ControlResize, Epoch: t.info.Epoch, Offset: v.sent, Cols: size.Cols, Rows: size.Rows}
	case v.replay && v.sent >= v.replayTo:
		v.replay = false
		if v.redraw {
			v.redraw = false
			t.nudge()
		}
		return &protocol.TerminalControl{Type: protocol.ControlReplayed, Epoch: t.info.Epoch, Offset: v.replayTo}
	case v.title:
		v.title = false
		return &protocol.TerminalControl{Type: protocol.ControlTitle, Title: t.info.Title}
	case v.bell && !v.replay:
		v.bell = false
		return &protocol.TerminalControl{Type: protocol.ControlBell}
	case v.state:
		v.state = false
		// The exit message follows the last output; until then only the state is
		// sent.
		v.exit = t.info.Exit != nil && !v.exitSent
		info := t.infoLocked()
		return &protocol.TerminalControl{Type: protocol.ControlState, Terminal: &info, Epoch: info.Epoch}
	case v.exit && v.sent == t.stream.Head() && t.drained():
		v.exit, v.exitSent = false, true
		exit := *t.info.Exit
		return &protocol.TerminalControl{Type: protocol.ControlExit, Epoch: t.info.Epoch, Offset: v.sent, Exit: &exit}
	}
	return nil
}

// drained reports whether all output of the process is in the stream. It needs
// mu.
func (t *terminal) drained() bool {
	if t.run == nil {
		return true
	}
	select {
	case <-t.run.read:
		return true
	default:
		return t.run.drop
	}
}
