//go:build unix

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

// Serve connects one viewer to a terminal until either ends, and closes the
// socket. A viewer that was there is closed with protocol.CloseTakenOver. The
// error says why the viewer ended when it was not its own wish; the terminal
// goes on in any case.
func (m *Manager) Serve(ctx context.Context, ws *websocket.Conn, id protocol.TerminalID) (err error) {
	defer func() { _ = ws.CloseNow() }()
	t, err := m.find(id)
	if err != nil {
		_ = ws.Close(gone.code, gone.reason)
		return err
	}
	// A paste comes in one message; it is handed on piece by piece.
	ws.SetReadLimit(protocol.MaxInputFrame)
	hello, err := readHello(ctx, ws)
	if err != nil {
		return refuse(ws, err)
	}
	// From here on listen measures: the library would cut the connection at its
	// limit, and the kernel then drops the close frame with what is still unread.
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

// contain keeps a fault in one connection from ending the app.
func (v *viewer) contain(f func()) {
	defer func() {
		if r := recover(); r != nil {
			v.t.log.Error("a viewer's connection panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			v.kick(internal)
		}
	}()
	f()
}

// refuse closes the socket with the code that err deserves. A viewer that left
// is no error.
func refuse(ws *websocket.Conn, err error) error {
	code := websocket.CloseStatus(err)
	// Closing reads what is still on its way, so that the close frame arrives; not
	// for ever.
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

// guard closes the socket when somebody wants that or the viewer's side is
// dead. It ends with ended.
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

// shut closes the socket politely, and in any case.
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
			text = bytes.Buffer{} // a checkpoint's room is not kept for the acks
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

// escapeKey is what Escape sends.
const escapeKey = 0x1b

// takeInput hands a message on to the program, piece by piece.
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

// typed hands input of v to the program.
func (t *terminal) typed(v *viewer, p []byte) error {
	t.mu.Lock()
	run := t.run
	if run == nil || t.viewer != v {
		t.mu.Unlock()
		return nil
	}
	// Focus and mouse reports come without the person's wish.
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

// control follows one control message.
func (v *viewer) control(c protocol.ViewerControl) error {
	t := v.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.viewer != v {
		return nil // taken over; the socket is about to close
	}
	// What crosses a restart is about a stream that is gone.
	old := c.Epoch != 0 && c.Epoch != t.info.Epoch
	switch c.Type {
	case protocol.ControlResize:
		t.resize(c.Cols, c.Rows)
		if !old && c.Offset <= v.sent {
			cols, rows := clamp(c.Cols, c.Rows)
			t.stream.Resized(c.Offset, cols, rows)
		}
	case protocol.ControlShown:
		// A clock that is set back leaves the order wrong until it has caught up.
		t.info.Shown = max(t.info.Shown, min(c.At, time.Now().UnixMilli()))
		t.changed()
	case protocol.ControlAck:
		switch {
		case old:
		case c.Offset <= v.sent:
			v.acked = max(v.acked, c.Offset)
			if !v.drew {
				v.drew = true
				t.m.config.OnDrawn(t.id)
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
	case protocol.ControlPicture:
		if !old && c.Offset <= v.sent {
			t.stream.Draw(c.Offset, c.Data)
		}
	default:
		return fmt.Errorf("%w: a second %s", errMalformed, c.Type)
	}
	return nil
}
