package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The errors of JSON-RPC.
const (
	rpcParse   = -32700
	rpcInvalid = -32600
)

// space is the white space of JSON. The SDK takes none around a message.
const space = " \t\r\n"

// rpcError says why a line is not a message.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// messageWriter writes complete lines. It is safe for concurrent use: the SDK
// answers messages, and lines what is none.
type messageWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes complete lines.
func (w *messageWriter) Write(lines []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(lines)
}

// Close does nothing: the caller owns the output.
func (w *messageWriter) Close() error { return nil }

// refuse answers a line that is not a message. Its id is null, because it cannot
// be read.
func (w *messageWriter) refuse(why *rpcError) error {
	line, err := json.Marshal(struct {
		Version string    `json:"jsonrpc"`
		ID      *struct{} `json:"id"`
		Error   *rpcError `json:"error"`
	}{Version: "2.0", Error: why})
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// lines reads the client's messages, one per line. The SDK ends a server at a
// line that it cannot parse. So lines answers such a line itself, as JSON-RPC
// requires, and skips it. Reading ends with the input.
type lines struct {
	in   *bufio.Reader
	out  *messageWriter
	rest []byte // the rest of the line that is being read
}

// Close does nothing: the caller owns the input.
func (l *lines) Close() error { return nil }

// Read returns the next bytes of the messages.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		line = bytes.Trim(line, space)
		if len(line) == 0 {
			if err != nil {
				return 0, err
			}
			continue
		}
		if refusal := judge(line); refusal != nil {
			if err := l.out.refuse(refusal); err != nil {
				return 0, err
			}
			continue
		}
		line = append(line, '\n')
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line. It keeps only the beginning of a line that is too
// long, which is then refused.
func (l *lines) next() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line) <= sdk.DefaultMaxLineLength {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// judge returns why a line is not a message, or nil when it is one.
func judge(line []byte) *rpcError {
	if len(line) > sdk.DefaultMaxLineLength {
		return &rpcError{rpcInvalid, fmt.Sprintf("a message has %d MB at most", sdk.DefaultMaxLineLength>>20)}
	}
	if !json.Valid(line) {
		return &rpcError{rpcParse, "this is no JSON"}
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return &rpcError{rpcInvalid, fmt.Sprintf("this is no message: send one JSON-RPC 2.0 object a line (%v)", err)}
	}
	return nil
}
