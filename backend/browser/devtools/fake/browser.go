// Package fake is the browser's end of the DevTools protocol in memory, for tests
// that need no Chromium. It speaks the wire format: what it is asked and what it
// answers went through JSON.
package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Call is a command that the browser got, and the session that it was sent to.
type Call struct {
	Session target.SessionID
	Method  string
	Params  jsonv2.Value
}

// ErrSilence is what an answer returns that leaves the command without any.
var ErrSilence = errors.New("no answer")

// Browser is a browser that answers as a test says. The zero value is not ready;
// New makes one. It is a devtools.Transport.
type Browser struct {
	out  chan *cdproto.Message
	done chan struct{}

	mu       sync.Mutex
	closed   bool
	sessions int
	answers  map[string]func(Call) (any, error)
	calls    []Call
}

// outbox is how many messages may wait to be read.
const outbox = 1024

// New returns a browser that answers every command with an empty object, and
// Target.attachToTarget with a new session.
func New() *Browser {
	return &Browser{out: make(chan *cdproto.Message, outbox), done: make(chan struct{}), answers: make(map[string]func(Call) (any, error))}
}

// Answer says how a method is answered from now on: with a result that is
// encoded, with the error of a refused command, or with ErrSilence.
func (b *Browser) Answer(method string, answer func(Call) (any, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[method] = answer
}

// Calls are the commands that came so far, in order.
func (b *Browser) Calls() []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Call(nil), b.calls...)
}

// Emit sends an event of a session; the empty id is the browser's own.
func (b *Browser) Emit(session target.SessionID, method string, params any) {
	b.send(&cdproto.Message{SessionID: session, Method: cdproto.MethodType(method), Params: encode(params)})
}

// Reply sends an answer to a command that was not asked, or once more to one that was.
func (b *Browser) Reply(id int64) {
	b.send(&cdproto.Message{ID: id, Result: encode(struct{}{})})
}

// Read is the next message to the client, until the browser is closed.
func (b *Browser) Read(ctx context.Context, msg *cdproto.Message) error {
	select {
	case m := <-b.out:
		*msg = *m
		return nil
	case <-b.done:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Write takes a command and answers it.
func (b *Browser) Write(_ context.Context, msg *cdproto.Message) error {
	call := Call{Session: msg.SessionID, Method: string(msg.Method), Params: msg.Params}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return io.ErrClosedPipe
	}
	b.calls = append(b.calls, call)
	answer := b.answers[call.Method]
	b.mu.Unlock()
	var result any = struct{}{}
	var err error
	switch {
	case answer != nil:
		result, err = answer(call)
	case call.Method == target.AttachToTarget.Method:
		result = b.attach(call)
	}
	reply := &cdproto.Message{ID: msg.ID, SessionID: msg.SessionID}
	switch {
	case errors.Is(err, ErrSilence):
		return nil
	case err != nil:
		reply.Error = &cdproto.Error{Code: -32000, Message: err.Error()}
	default:
		reply.Result = encode(result)
	}
	b.send(reply)
	return nil
}

// Close ends the pipe.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.done)
	}
	return nil
}

// attach opens a session and tells of it before the answer, as Chromium does.
func (b *Browser) attach(call Call) target.AttachToTargetResult {
	var params target.AttachToTargetParams
	if err := jsonv2.Unmarshal(call.Params, &params, chromedp.DefaultUnmarshalOptions); err != nil {
		panic(fmt.Errorf("reading Target.attachToTarget: %w", err))
	}
	b.mu.Lock()
	b.sessions++
	id := target.SessionID(fmt.Sprintf("S%d", b.sessions))
	b.mu.Unlock()
	b.Emit(call.Session, target.AttachedToTarget.Method, target.EventAttachedToTarget{
		SessionID: id, TargetInfo: &target.Info{TargetID: params.TargetID, Type: "page", URL: "about:blank"},
	})
	return target.AttachToTargetResult{SessionID: id}
}

func (b *Browser) send(m *cdproto.Message) {
	select {
	case b.out <- m:
	case <-b.done:
	}
}

func encode(v any) jsonv2.Value {
	raw, err := jsonv2.Marshal(v, chromedp.DefaultMarshalOptions)
	if err != nil {
		panic(fmt.Errorf("encoding for the client: %w", err))
	}
	return raw
}
