// Package scripts lets another program speak the DevTools protocol with some tabs of a browser.
// The program sees a browser that has these tabs alone: what it asks of the browser, the
// package answers itself, and what it asks of a tab passes through lists of methods (methods.go),
// which refuse what they do not name. Messages are read only as far as that needs.
package scripts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/gate"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Rules are the rules of the session, as they hold for one address. Their methods answer at
// once.
type Rules interface {
	// Shows says why a page with this address is not shared; nil when it is.
	Shows(address string) error
	// Loads says why a tab does not load an address.
	Loads(address string, document bool) error
	// Cookies says why the cookies of a page are not read.
	Cookies(page string) error
	// Address and Patterns are as in gate.Rule.
	Address(address string, ip netip.Addr) error
	Patterns() []string
	// Saver decides about the files of a tab.
	Saver(tab protocol.TabID) protocol.Saver

	// Acts records that the program acts on a tab from now on; Navigates and Refused record
	// what it does.
	Acts(tab protocol.TabID)
	Navigates(tab protocol.TabID, address string)
	Refused(tab protocol.TabID, method string, why error)
}

// Terms are what an address gives.
type Terms struct {
	// Tab is the tab that is shared, with those that its pages open from now on; empty for
	// all tabs of the session.
	Tab protocol.TabID
	// Read means that the program cannot act.
	Read  bool
	Rules Rules
}

// Socket carries the messages of the program. Write is not called by two goroutines at once.
type Socket interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
}

// Opener opens and closes tabs of the browser.
type Opener interface {
	NewTab(ctx context.Context, beside protocol.TabID, background bool) (protocol.TabID, error)
	CloseTab(ctx context.Context, id protocol.TabID) error
	ActivateTab(ctx context.Context, id protocol.TabID) error
}

// Browser is the browser whose tabs are shared.
type Browser struct {
	Conn   *devtools.Conn
	Tabs   *tabs.Registry
	Gates  *gate.Rules
	Opener Opener
	Log    *slog.Logger
}

// callTime is how long what Pilotfish itself asks of the browser may take. It is a guess: a
// tab whose page has a dialog open answers when that is closed.
const callTime = 15 * time.Second

// errSlow ends the connection of a program that does not read.
var errSlow = errors.New("the program does not read what it is sent")

// Serve serves one program until its socket, the browser or ctx ends.
func Serve(ctx context.Context, b Browser, socket Socket, terms Terms) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	root, err := b.Conn.AttachBrowser(ctx)
	if err != nil {
		return fmt.Errorf("opening a connection to the browser: %w", err)
	}
	c := newClient(ctx, b, root, terms, func() { cancel(errSlow) })
	root.Follow(c.targets)
	defer c.leave(context.WithoutCancel(ctx))
	if err := c.begin(ctx); err != nil {
		return err
	}
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel(nil)
	parts.Go(func() { cancel(c.out.write(ctx, socket)) })
	parts.Go(func() { c.follow(ctx) })
	parts.Go(func() {
		select {
		case <-root.Done:
			cancel(devtools.ErrPipeEnded)
		case <-ctx.Done():
		}
	})
	for {
		text, err := socket.Read(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		if err := c.message(ctx, text); err != nil {
			return ended(ctx, err)
		}
	}
}

// ended returns why a connection ended: the cause of ctx before what that did to the socket.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// mostUnsent is how many bytes wait for a program that reads slowly.
const mostUnsent = 64 << 20

// outbox are the messages to the program, in their order. Putting one never waits.
type outbox struct {
	full func()

	mu    sync.Mutex
	list  [][]byte
	bytes int
	more  chan struct{} // has room for one signal
}

func newOutbox(full func()) *outbox { return &outbox{full: full, more: make(chan struct{}, 1)} }

func (o *outbox) put(message []byte) {
	o.mu.Lock()
	o.bytes += len(message)
	over := o.bytes > mostUnsent
	if !over {
		o.list = append(o.list, message)
	}
	o.mu.Unlock()
	if over {
		o.full()
		return
	}
	select {
	case o.more <- struct{}{}:
	default:
	}
}

func (o *outbox) write(ctx context.Context, socket Socket) error {
	for {
		o.mu.Lock()
		list := o.list
		o.list, o.bytes = nil, 0
		o.mu.Unlock()
		for _, message := range list {
			if err := socket.Write(ctx, message); err != nil {
				return err
			}
		}
		select {
		case <-o.more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// command is a message of the program.
type command struct {
	ID        int64        `json:"id"`
	SessionID string       `json:"sessionId,omitempty"`
	Method    string       `json:"method"`
	Params    jsonv2.Value `json:"params,omitempty"`
}

// reply answers a command, and event is a message without one.
type (
	reply struct {
		ID        int64        `json:"id"`
		SessionID string       `json:"sessionId,omitempty"`
		Result    jsonv2.Value `json:"result,omitempty"`
		Error     *failure     `json:"error,omitempty"`
	}
	event struct {
		SessionID string `json:"sessionId,omitempty"`
		Method    string `json:"method"`
		Params    any    `json:"params"`
	}
	failure struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
)

// Codes of failures, as the browser uses them.
const (
	codeServer    = -32000
	codeNoSession = -32001
	codeRequest   = -32600
)
