package terminal

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
)

// benchViewer implements the terminal's protocol as the panel does, without an
// emulator.
type benchViewer struct {
	b  *backend
	ws *websocket.Conn
	id protocol.TerminalID

	buf    []byte
	epoch  int
	offset uint64 // received

	drawn uint64
	acked uint64
}

// openViewer starts a terminal with a bash script and attaches to it.
func openViewer(ctx context.Context, b *backend, script string) (*benchViewer, error) {
	var info protocol.TerminalInfo
	err := b.post(ctx, "/pty-session", protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: script, Cols: 120, Rows: 40}, &info)
	if err != nil {
		return nil, err
	}
	ws, err := dialBench(ctx, b.url+"/ws?id="+string(info.ID))
	if err != nil {
		return nil, err
	}
	v := &benchViewer{b: b, ws: ws, id: info.ID, epoch: info.Epoch, buf: make([]byte, protocol.FrameHeader+protocol.MaxFrame)}
	hello, err := json.Marshal(protocol.ViewerControl{Type: protocol.ControlAttach, Cols: 120, Rows: 40})
	if err != nil {
		return nil, err
	}
	return v, ws.Write(ctx, websocket.MessageText, hello)
}

func (b *backend) post(ctx context.Context, path string, body, reply any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, res.Status)
	}
	if reply == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(reply)
}

func dialBench(ctx context.Context, url string) (*websocket.Conn, error) {
	ws, res, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	if res.Body != nil {
		_ = res.Body.Close()
	}
	ws.SetReadLimit(-1)
	return ws, nil
}

func (v *benchViewer) close(ctx context.Context) error {
	_ = v.ws.CloseNow()
	return v.b.post(ctx, "/pty-close", protocol.PtyCloseRequest{Terminal: v.id}, nil)
}

func (v *benchViewer) send(ctx context.Context, p []byte) error {
	return v.ws.Write(ctx, websocket.MessageBinary, p)
}

// recv returns the next output; it is valid until the next call.
func (v *benchViewer) recv(ctx context.Context) ([]byte, error) {
	for {
		typ, r, err := v.ws.Reader(ctx)
		if err != nil {
			return nil, err
		}
		n, err := io.ReadFull(r, v.buf)
		switch {
		case err == nil:
			// A full buffer is the largest frame; the reader must still report its
			// end.
			if m, err := r.Read(make([]byte, 1)); m != 0 || !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("a frame of more than %d bytes", n)
			}
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		default:
			return nil, err
		}
		if typ == websocket.MessageText {
			var m protocol.TerminalControl
			if err := json.Unmarshal(v.buf[:n], &m); err != nil {
				return nil, err
			}
			if m.Type == protocol.ControlExit {
				return nil, fmt.Errorf("the program ended: %+v", *m.Exit)
			}
			continue
		}
		offset, data, ok := parseFrame(v.buf[:n])
		if !ok || offset != v.offset {
			return nil, fmt.Errorf("a frame at %d instead of %d", offset, v.offset)
		}
		v.offset += uint64(len(data))
		return data, nil
	}
}

// draw counts n bytes as drawn and sends acks as the panel does.
func (v *benchViewer) draw(ctx context.Context, n int) error {
	v.drawn += uint64(n)
	if v.drawn-v.acked < protocol.AckEvery {
		return nil
	}
	v.acked = v.drawn
	ack, err := json.Marshal(protocol.ViewerControl{Type: protocol.ControlAck, Epoch: v.epoch, Offset: v.acked})
	if err != nil {
		return err
	}
	return v.ws.Write(ctx, websocket.MessageText, ack)
}

// expectReady reads and draws until the script is ready. Output after that in the
// same frame is drawn too.
func (v *benchViewer) expectReady(ctx context.Context) error {
	var seen []byte
	for {
		data, err := v.recv(ctx)
		if err != nil {
			return fmt.Errorf("waiting for the script: %w", err)
		}
		seen = append(seen, data...)
		if err := v.draw(ctx, len(data)); err != nil {
			return err
		}
		if bytes.Contains(seen, []byte(ready)) {
			return nil
		}
	}
}

// parseFrame splits an output frame; ok is false when it is too short.
func parseFrame(frame []byte) (offset uint64, data []byte, ok bool) {
	if len(frame) < protocol.FrameHeader {
		return 0, nil, false
	}
	return binary.BigEndian.Uint64(frame), frame[protocol.FrameHeader:], true
}
