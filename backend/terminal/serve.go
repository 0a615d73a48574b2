package terminal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal/pty"
	"pilotfish/backend/terminal/vt"
)

// Serve connects one viewer to a terminal until either ends, and closes the socket. A
// viewer that was attached before is closed with protocol.CloseTakenOver. The error
// says why the connection ended when the viewer did not close it itself. The terminal
// keeps running in any case.
func (m *Manager) Serve(ctx context.Context, ws *websocket.Conn, id protocol.TerminalID) (err error) {
	defer func() { _ = ws.CloseNow() }()
	t, err := m.find(id)
	if err != nil {
		_ = ws.Close(gone.code, gone.reason)
		return err
	}
	// A paste arrives in one message; it is forwarded in pieces.
	ws.SetReadLimit(protocol.MaxInputFrame)
	hello, err := readHello(ctx, ws)
	if err != nil {
		return refuse(ws, err)
	}
	// From here on, listen enforces the limit. The library would cut the connection
	// at its limit, and the kernel would then drop the close frame together with the
	// unread data.
	ws.SetReadLimit(-1)
	v := newViewer(ctx, t, ws)
	if !t.attach(v, hello) {
		_ = ws.Close(gone.code, gone.reason)
		return protocol.NewError(protocol.CodeUnknownTerminal, gone.reason, "start a new one")
	}
	var wg sync.WaitGroup
	ended := make(chan struct{})
	wg.Go(func() { v.contain(v.pump) })
	wg.Go(func() { v.contain(func() { v.guard(ctx, ended) }) })
	v.contain(func() { err = v.listen(ctx) })
	if err != nil {
		err = refuse(ws, err)
	}
	t.detach(v)
	close(ended)
	_ = ws.CloseNow()
	wg.Wait()
	return err
}

// contain recovers from a panic in one connection, so that it does not end the app.
func (v *viewer) contain(f func()) {
	defer func() {
		if r := recover(); r != nil {
			v.t.log.Error("a viewer's connection panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			v.kick(internal)
		}
	}()
	f()
}

// refuse closes the socket with the close code for err. It returns nil when the
// viewer left by itself.
func refuse(ws *websocket.Conn, err error) error {
	code := websocket.CloseStatus(err)
	// Close reads the data that is still in transit, so that the close frame arrives.
	// The timer limits this.
	timer := time.AfterFunc(terminalCloseWait, func() { _ = ws.CloseNow() })
	defer timer.Stop()
	switch {
	case errors.Is(err, errMalformed):
		_ = ws.Close(websocket.StatusProtocolError, "malformed message")
	case errors.Is(err, errTooLarge):
		_ = ws.Close(websocket.StatusMessageTooBig, "message too large")
	case errors.Is(err, pty.ErrFull):
		_ = ws.Close(slow.code, slow.reason)
	case code == websocket.StatusNormalClosure, code == websocket.StatusGoingAway, errors.Is(err, io.EOF):
		return nil
	}
	return err
}

func readHello(ctx context.Context, ws *websocket.Conn) (protocol.ViewerControl, error) {
	ctx, cancel := context.WithTimeout(ctx, terminalAttachTimeout)
	defer cancel()
	typ, frame, err := ws.Read(ctx)
	if err != nil {
		return protocol.ViewerControl{}, fmt.Errorf("reading a viewer's first message: %w", err)
	}
	if typ != websocket.MessageText {
		return protocol.ViewerControl{}, fmt.Errorf("%w: input before attach", errMalformed)
	}
	hello, err := decodeControl(frame)
	if err == nil && hello.Type != protocol.ControlAttach {
		err = fmt.Errorf("%w: %s before attach", errMalformed, hello.Type)
	}
	return hello, err
}

// guard closes the socket when the viewer is kicked, when ctx ends, or when the peer
// does not answer pings. It returns when ended is closed.
func (v *viewer) guard(ctx context.Context, ended <-chan struct{}) {
	beat := time.NewTicker(protocol.PingInterval)
	defer beat.Stop()
	for {
		select {
		case <-ended:
			return
		case c := <-v.kicked:
			v.shut(c)
			return
		case <-ctx.Done():
			v.shut(goingAway)
			return
		case <-beat.C:
			ping, cancel := context.WithTimeout(ctx, protocol.DeadAfter-protocol.PingInterval)
			err := v.ws.Ping(ping)
			cancel()
			if err != nil && ctx.Err() == nil {
				_ = v.ws.CloseNow()
			}
		}
	}
}

// shut closes the socket with a closing handshake, and forcibly after
// terminalCloseWait.
func (v *viewer) shut(c closing) {
	timer := time.AfterFunc(terminalCloseWait, func() { _ = v.ws.CloseNow() })
	defer timer.Stop()
	_ = v.ws.Close(c.code, c.reason)
}

// listen reads the viewer's messages until the socket ends.
func (v *viewer) listen(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // guard closes the socket when it ends
	piece := make([]byte, pty.InputChunk)
	var text bytes.Buffer
	for {
		typ, r, err := v.ws.Reader(ctx)
		if err != nil {
			return err
		}
		if typ == websocket.MessageBinary {
			if err := v.takeInput(r, piece); err != nil {
				return err
			}
			continue
		}
		text.Reset()
		if text.Cap() > protocol.MaxFrame {
			text = bytes.Buffer{} // do not keep a checkpoint's large buffer for the acks
		}
		if n, err := text.ReadFrom(io.LimitReader(r, protocol.MaxInputFrame+1)); err != nil || n > protocol.MaxInputFrame {
			return cmp.Or(err, errTooLarge)
		}
		c, err := decodeControl(text.Bytes())
		if err != nil {
			return err
		}
		if err := v.control(c); err != nil {
			return err
		}
	}
}

// escapeKey is the byte that the Escape key sends.
const escapeKey = 0x1b

// takeInput forwards a message to the program in pieces.
func (v *viewer) takeInput(r io.Reader, piece []byte) error {
	for left := protocol.MaxInputFrame; ; {
		n, err := r.Read(piece)
		if left -= n; left < 0 {
			return errTooLarge
		}
		if n > 0 {
			if err := v.t.typed(v, piece[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// typed forwards input of v to the program.
func (t *terminal) typed(v *viewer, p []byte) error {
	t.mu.Lock()
	run := t.run
	if run == nil || t.viewer != v {
		t.mu.Unlock()
		return nil
	}
	// Terminals send focus and mouse reports without the user's intention.
	if !bytes.HasPrefix(p, []byte("\x1b[")) {
		t.answered()
	}
	if len(p) == 1 && (p[0] == escapeKey || p[0] == pty.InterruptKey) {
		t.interrupted()
	}
	t.activity(false)
	t.mu.Unlock()
	return run.input.Put(p, terminalInputWait)
}

// control handles one control message.
func (v *viewer) control(c protocol.ViewerControl) error {
	t := v.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.viewer != v {
		return nil // another viewer has taken over; this socket is about to close
	}
	// A message that was sent before a restart refers to the old stream.
	old := c.Epoch != 0 && c.Epoch != t.info.Epoch
	switch c.Type {
	case protocol.ControlResize:
		t.resize(c.Cols, c.Rows)
		if !old && c.Offset <= v.sent {
			cols, rows := clamp(c.Cols, c.Rows)
			t.stream.Resized(c.Offset, cols, rows)
		}
	case protocol.ControlShown:
		// After the clock is set back, the order is wrong until the clock has caught
		// up.
		t.info.Shown = max(t.info.Shown, min(c.At, time.Now().UnixMilli()))
		t.changed()
	case protocol.ControlSeen:
		if v.seen != c.Seen {
			v.seen = c.Seen
			t.m.news.post(t.id)
		}
	case protocol.ControlAck:
		switch {
		case old:
		case c.Offset <= v.sent:
			v.acked = max(v.acked, c.Offset)
			if !v.drew {
				v.drew = true
				t.m.config.Events.Report(Drawn{t.id})
			}
			t.readCond.Signal()
			v.cond.Signal()
		case c.Epoch != 0:
			return fmt.Errorf("%w: ack of %d after %d were sent", errMalformed, c.Offset, v.sent)
		}
	case protocol.ControlPing:
		if len(v.pongs) < maxPongs {
			v.pongs = append(v.pongs, c.ID)
			v.cond.Signal()
		}
	case protocol.ControlCheckpoint:
		if old || c.Offset > v.sent {
			break
		}
		cols, rows := clamp(c.Cols, c.Rows)
		t.stream.Keep(vt.Checkpoint{Offset: c.Offset, Data: c.Data, Cols: cols, Rows: rows})
	default:
		return fmt.Errorf("%w: a second %s", errMalformed, c.Type)
	}
	return nil
}
