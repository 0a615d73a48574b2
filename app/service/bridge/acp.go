package bridge

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"pilotfish/backend/protocol"
)

// The Agent Client Protocol, version 1, as far as an agent needs it that sends
// its client no requests. We do not use the library, because it runs each request
// in its own goroutine: a cancel may then overtake the prompt that it is meant
// for, and is lost.

// acpVersion is the version of the protocol.
const acpVersion = 1

// The errors of JSON-RPC.
const (
	rpcParse    = -32700
	rpcInvalid  = -32600
	rpcMethod   = -32601
	rpcParams   = -32602
	rpcInternal = -32603
	// rpcNotFound is defined by ACP: there is no such session.
	rpcNotFound = -32002
)

// rpcMessage is a message of either side.
type rpcMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is the error of a request.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *rpcError) Error() string { return e.Message }

func refuse(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// messageWriter writes messages, one per line. It is safe for concurrent use.
type messageWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *messageWriter) write(m rpcMessage) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Write writes complete lines.
func (w *messageWriter) Write(lines []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(lines)
}

// Close does nothing: the caller owns the output.
func (w *messageWriter) Close() error { return nil }

// notify sends a notification, which the client does not answer.
func (w *messageWriter) notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	return w.write(rpcMessage{Method: method, Params: raw})
}

// reply answers a request; a notification gets no answer.
func (w *messageWriter) reply(id json.RawMessage, result any, err error) error {
	if len(id) == 0 {
		return nil
	}
	if err == nil {
		return w.write(rpcMessage{ID: id, Result: result})
	}
	failed, ok := errors.AsType[*rpcError](err)
	if !ok {
		failed = refuse(rpcInternal, "%s", err.Error())
	}
	return w.write(rpcMessage{ID: id, Error: failed})
}

// readMessages calls take with the client's messages, one at a time and in order,
// until the input ends.
func readMessages(in io.Reader, take func(rpcMessage) error, wrong func(error) error) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(line) > protocol.MaxChatBody {
				return protocol.NewError(protocol.CodeTooLarge, "the client wrote a line that is too long", "")
			}
			continue
		case err != nil && len(line) == 0:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading the client's messages: %w", err)
		}
		var m rpcMessage
		var bad error
		if len(trimSpace(line)) > 0 {
			if json.Unmarshal(line, &m) != nil {
				bad = wrong(refuse(rpcParse, "this is no JSON"))
			} else {
				bad = take(m)
			}
		}
		if bad != nil {
			return bad
		}
		line = line[:0]
	}
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	return b
}

// The messages between a client and Pilot.
type (
	acpInitialized struct {
		ProtocolVersion int             `json:"protocolVersion"`
		Capabilities    acpCapabilities `json:"agentCapabilities"`
		Info            acpInfo         `json:"agentInfo"`
		AuthMethods     []struct{}      `json:"authMethods"`
	}
	acpInfo struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	acpCapabilities struct {
		// LoadSession is false: Pilot keeps no history.
		LoadSession bool `json:"loadSession"`
		Prompt      struct {
			Image           bool `json:"image"`
			Audio           bool `json:"audio"`
			EmbeddedContext bool `json:"embeddedContext"`
		} `json:"promptCapabilities"`
	}
	acpSession struct {
		SessionID string `json:"sessionId"`
	}
	acpPrompt struct {
		SessionID string     `json:"sessionId"`
		Prompt    []acpBlock `json:"prompt"`
	}
	acpStop struct {
		StopReason string `json:"stopReason"`
	}
	acpBlock struct {
		Type string `json:"type"`
		Text string `json:"text,omitempty"`
		Data string `json:"data,omitempty"`
		Mime string `json:"mimeType,omitempty"`
	}
	acpNotice struct {
		SessionID string    `json:"sessionId"`
		Update    acpUpdate `json:"update"`
	}
	acpUpdate struct {
		Kind       string        `json:"sessionUpdate"`
		Content    any           `json:"content,omitempty"` // a block, or the contents of a tool call
		ToolCallID string        `json:"toolCallId,omitempty"`
		Title      string        `json:"title,omitempty"`
		ToolKind   string        `json:"kind,omitempty"`
		Status     string        `json:"status,omitempty"`
		RawInput   any           `json:"rawInput,omitempty"`
		Locations  []acpLocation `json:"locations,omitempty"`
		Commands   []acpCommand  `json:"availableCommands,omitempty"`
	}
	acpLocation struct {
		Path string `json:"path"`
	}
	acpContent struct {
		Type    string   `json:"type"` // always "content"
		Content acpBlock `json:"content"`
	}
	acpCommand struct {
		Name        string    `json:"name"`
		Description string    `json:"description"`
		Input       *acpInput `json:"input,omitempty"`
	}
	acpInput struct {
		Hint string `json:"hint"`
	}
)
