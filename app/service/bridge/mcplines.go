package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

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
	// asked are the ids of the requests that have no answer yet.
	asked map[string]bool
	// answered is closed when there are none.
	answered chan struct{}
}

// Write writes one complete line.
func (w *messageWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.out.Write(line)
	w.settle(answers(line))
	return n, err
}

// expect records a request.
func (w *messageWriter) expect(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) == 0 {
		w.asked, w.answered = map[string]bool{}, make(chan struct{})
	}
	w.asked[id] = true
}

// forget records that a request gets no answer.
func (w *messageWriter) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle(id)
}

func (w *messageWriter) settle(id string) {
	if !w.asked[id] {
		return
	}
	if delete(w.asked, id); len(w.asked) == 0 {
		close(w.answered)
	}
}

// await waits until every request has its answer, at most for a time.
func (w *messageWriter) await(most time.Duration) {
	w.mu.Lock()
	open, answered := len(w.asked) > 0, w.answered
	w.mu.Unlock()
	if !open {
		return
	}
	select {
	case <-answered:
	case <-time.After(most):
	}
}

// answers returns the id that an answer is for, "" for a line that is none. It reads no
// further than to the id, because an answer can have megabytes.
func answers(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "method" {
			return ""
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return ""
		}
		if key == "id" {
			return idOf(value)
		}
	}
	return ""
}

// idOf returns a text for an id of JSON-RPC: a number and a string are different ids.
func idOf(id any) string {
	if n, is := id.(int64); is {
		id = float64(n) // what JSON makes of it
	}
	return fmt.Sprintf("%T %v", id, id)
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
// requires, and skips it. Reading ends with the input, after the requests in it were
// answered, at most after wait.
type lines struct {
	in   *bufio.Reader
	out  *messageWriter
	rest []byte // the rest of the line that is being read
	wait time.Duration
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
				l.out.await(l.wait)
				return 0, err
			}
			continue
		}
		message, refusal := judge(line)
		if refusal != nil {
			if err := l.out.refuse(refusal); err != nil {
				return 0, err
			}
			continue
		}
		if request, is := message.(*jsonrpc.Request); is {
			l.note(request)
		}
		line = append(line, '\n')
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// answersWait is how long requests may take after the input has ended. The SDK cancels
// them when it reads that end; a client that writes its requests and closes the input wants
// their answers. One that has ended itself cannot stop a command that takes very long.
const answersWait = 30 * time.Second

// note records what gets an answer.
func (l *lines) note(request *jsonrpc.Request) {
	if request.IsCall() {
		l.out.expect(idOf(request.ID.Raw()))
		return
	}
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if request.Method == "notifications/cancelled" && json.Unmarshal(request.Params, &cancelled) == nil {
		l.out.forget(idOf(cancelled.RequestID))
	}
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

// judge returns the message of a line, or why it is none.
func judge(line []byte) (jsonrpc.Message, *rpcError) {
	if len(line) > sdk.DefaultMaxLineLength {
		return nil, &rpcError{rpcInvalid, fmt.Sprintf("a message has %d MB at most", sdk.DefaultMaxLineLength>>20)}
	}
	if !json.Valid(line) {
		return nil, &rpcError{rpcParse, "this is no JSON"}
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &rpcError{rpcInvalid, fmt.Sprintf("this is no message: send one JSON-RPC 2.0 object a line (%v)", err)}
	}
	return message, nil
}
