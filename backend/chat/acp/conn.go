package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/protocol"
)

// message is any incoming message: a request has a method and an id, a
// notification a method, a response an id. All of it is decoded in one pass,
// because a line may have many megabytes.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params wire.Params     `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
	size   int             // of the line, in bytes
}

// sending is any outgoing message.
type sending struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is the error of a response.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// The error codes that are handled here.
const (
	codeNoMethod     = -32601
	codeInternal     = -32603
	codeAuthRequired = -32000
)

// Error returns the message, with the details that many agents add to a message
// without information ("Internal error").
func (e *rpcError) Error() string {
	var text string
	var more struct {
		Details string `json:"details"`
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(e.Data, &text) != nil {
		_ = json.Unmarshal(e.Data, &more) // data without such a field adds nothing
		for _, said := range []string{more.Details, more.Message, more.Error} {
			if text == "" {
				text = said
			}
		}
	}
	switch {
	case text == "" || text == e.Message:
		return e.Message
	case e.Message == "" || e.Code == codeInternal:
		return text
	}
	return e.Message + ": " + text
}

// answered receives the response to a call. It runs in the reader, so
// everything that the agent wrote before the response was handled before it.
type answered func(result json.RawMessage, err error)

// conn is our side of a JSON-RPC connection.
type conn struct {
	send func(line []byte) error
	// incoming handles requests (with an id) and notifications (without one).
	// It runs in the reader, one at a time, in order.
	incoming func(m *message)
	log      *slog.Logger

	rubbish int // consecutive lines that were no messages; used only by the reader

	mu      sync.Mutex
	last    int64
	pending map[int64]answered
	ended   error
}

func newConn(send func([]byte) error, incoming func(*message), log *slog.Logger) *conn {
	return &conn{send: send, incoming: incoming, log: log, pending: map[int64]answered{}}
}

// line handles one line of the agent. It returns an error when too many lines
// in a row are no messages.
func (c *conn) line(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	var m message
	err := json.Unmarshal(line, &m)
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); line[0] != '{' || err != nil && !wrongType || m.Method == "" && len(m.ID) == 0 {
		c.rubbish++
		if c.rubbish <= 10 {
			c.log.Warn("the agent wrote a line that is no message", "line", shortened(line), "bytes", len(line))
		}
		if c.rubbish >= protocol.AgentRubbish {
			return fmt.Errorf("it wrote %d lines in a row that are no messages, the last one: %s", c.rubbish, shortened(line))
		}
		return nil
	}
	c.rubbish = 0
	m.size = len(line)
	if m.Method != "" {
		c.incoming(&m)
		return nil
	}
	c.answer(&m)
	return nil
}

// shortened returns the beginning of a line, for a log.
func shortened(line []byte) string {
	const most = 200
	if len(line) <= most {
		return string(line)
	}
	return string(bytes.ToValidUTF8(line[:most], nil)) + "…"
}

// answer passes a response to the callback of its call.
func (c *conn) answer(m *message) {
	// Some libraries turn every id into a string.
	id, err := strconv.ParseInt(string(bytes.Trim(m.ID, `"`)), 10, 64)
	c.mu.Lock()
	take := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if err != nil || take == nil {
		c.log.Warn("the agent answered what was not asked", "id", string(m.ID))
		return
	}
	if m.Error != nil {
		take(nil, m.Error)
		return
	}
	take(m.Result, nil)
}

// call sends a request. take is called with the response, or with an error when
// the agent ends. When call returns an error, take is not called.
func (c *conn) call(method string, params any, take answered) error {
	c.mu.Lock()
	if c.ended != nil {
		c.mu.Unlock()
		return c.ended
	}
	c.last++
	id := c.last
	c.pending[id] = take
	c.mu.Unlock()
	err := c.write(sending{ID: strconv.AppendInt(nil, id, 10), Method: method, Params: params})
	if err == nil {
		return nil
	}
	c.mu.Lock()
	_, waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if !waiting {
		return nil // end has called take already
	}
	return err
}

// request sends a request, waits for the response and decodes it into into.
func (c *conn) request(ctx context.Context, method string, params, into any) error {
	done := make(chan error, 1)
	err := c.call(method, params, func(result json.RawMessage, err error) {
		if err == nil {
			err = wire.Lenient(result, into)
		}
		done <- err
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w", method, context.Cause(ctx))
	}
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	return c.write(sending{Method: method, Params: params})
}

// reply answers a request of the agent. A failed write means that the agent is
// ending, which is reported elsewhere.
func (c *conn) reply(id json.RawMessage, result any) {
	if err := c.write(sending{ID: id, Result: result}); err != nil {
		c.log.Warn("an answer was not sent", "error", err)
	}
}

// refuse answers a request of the agent with an error.
func (c *conn) refuse(id json.RawMessage, code int, why string) {
	if err := c.write(sending{ID: id, Error: &rpcError{Code: code, Message: why}}); err != nil {
		c.log.Warn("a refusal was not sent", "error", err)
	}
}

func (c *conn) write(m sending) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	return c.send(line)
}

// end calls all waiting callbacks with an error, because the agent has ended.
// It is called after the last line.
func (c *conn) end(err error) {
	if err == nil {
		err = protocol.NewError(protocol.CodeCrashed, "the agent was ended", "start it again")
	}
	c.mu.Lock()
	c.ended = err
	waiting := c.pending
	c.pending = map[int64]answered{}
	c.mu.Unlock()
	for _, take := range waiting {
		take(nil, err)
	}
}
