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

// The Agent Client Protocol, version 1, as far as an agent needs it that asks
// its client for nothing. It is written here and not taken from the library:
// that one runs each request by itself, so that a cancel may overtake the prompt
// that it is meant for, and is lost.

// acpVersion is the version of the protocol.
const acpVersion = 1

// The errors of JSON-RPC.
const (
	rpcParse    = -32700
	rpcInvalid  = -32600
	rpcMethod   = -32601
	rpcParams   = -32602
	rpcInternal = -32603
	// rpcNotFound is ACP's: there is no such session.
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

// rpcError is why a request was not answered.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error makes it an error.
func (e *rpcError) Error() string { return e.Message }

func refuse(code int, format string, args ...any) *rpcError {
	return &rpcError{code, fmt.Sprintf(format, args...)}
}

// acpWriter writes messages, one a line.
type acpWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *acpWriter) write(m rpcMessage) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.out.Write(append(line, '\n'))
	return err
}

// notify sends what the client need not answer.
func (w *acpWriter) notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	return w.write(rpcMessage{Method: method, Params: raw})
}

// reply answers a request; a notification gets none.
func (w *acpWriter) reply(id json.RawMessage, result any, err error) error {
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

// readMessages hands the lines of the client over, one at a time and in order,
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

// What passes between a client and Pilot.
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
		Content    any           `json:"content,omitempty"` // a block, or a tool's contents
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
		Type    string   `json:"type"` // content
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
