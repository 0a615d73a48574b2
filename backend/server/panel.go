package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// panel is the panel's socket. It sends the whole state first, then every
// change.
func (s *Server) panel(w http.ResponseWriter, r *http.Request, c call) error {
	return s.socket(w, r, c, c.grant.ID, protocol.MaxPanelMessage,
		func(ctx context.Context, conn *websocket.Conn, watch *auth.Watch) error {
			p := &panelSocket{
				server:  s,
				tasks:   r.URL.Query().Has(protocol.PanelTasks),
				conn:    conn,
				grant:   c.grant,
				watch:   watch,
				replies: make(chan any),
				authed:  make(chan int),
				failed:  make(chan error, 3), // one for each goroutine
			}
			return p.run(ctx)
		})
}

// panelSocket is the socket of one panel. The writer makes all writes except
// pings; reader, guard and heartbeat are goroutines of their own.
type panelSocket struct {
	server *Server
	conn   *websocket.Conn
	grant  auth.Grant
	watch  *auth.Watch
	tasks  bool   // it is the task page, which shows nothing
	panel  string // the panel's id while it is connected

	replies chan any   // to the writer
	authed  chan int   // token generations that the panel has authenticated with, for guard
	failed  chan error // the errors with which reader, guard and heartbeat ended
}

// run serves the socket until it ends, and returns only when its goroutines
// have ended. The reader ends when the socket is closed, so run closes it.
func (p *panelSocket) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	panel, release := p.server.sessions.PanelConnected(p.grant, p.tasks)
	p.panel = panel
	defer release()
	// Subscribe before reading the state, so that no event is lost in between.
	events := p.server.sessions.Subscribe(p.grant)
	defer events.Close()

	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{p.read, p.guard, func(ctx context.Context) error { return heartbeat(ctx, p.conn) }} {
		parts.Go(func() {
			err := p.server.guarded(func() error { return part(ctx) })
			p.failed <- err
			// The writer may be blocked in a write because the panel does not read.
			// Closing the socket ends that write.
			closeSocket(p.conn, err, cancel)
		})
	}
	err := p.server.guarded(func() error { return p.write(ctx, events) })
	closeSocket(p.conn, err, cancel)
	parts.Wait()
	return err
}

// write sends the state, the events and the replies.
func (p *panelSocket) write(ctx context.Context, events *hub.Subscription[any]) error {
	if err := p.hello(ctx, !p.tasks); err != nil {
		return err
	}
	for {
		var err error
		select {
		case event, ok := <-events.C():
			switch {
			case !ok:
				return errGoingAway()
			case events.Gap():
				// Events were lost. Those still queued are older than the state that is
				// sent now.
				discard(events)
				err = p.hello(ctx, false)
			default:
				err = p.send(ctx, event)
			}
		case message := <-p.replies:
			err = p.send(ctx, message)
		case err = <-p.failed:
			return err
		}
		if err != nil {
			return err
		}
	}
}

// discard drops the queued events of a subscription.
func discard(events *hub.Subscription[any]) {
	for {
		select {
		case _, ok := <-events.C():
			if !ok {
				return
			}
		default:
			return
		}
	}
}

// hello sends the state. The first one of a panel also has the token for the terminal that
// it will show.
func (p *panelSocket) hello(ctx context.Context, first bool) error {
	hello, err := p.server.sessions.Hello(ctx, p.grant)
	if err != nil {
		return err
	}
	hello.Type, hello.Version, hello.Panel = protocol.PanelHello, protocol.Version, p.panel
	if next := hello.Session.Awaited(); first && next != nil {
		hello.Attach = &protocol.HelloAttach{Terminal: next.ID, Token: p.server.mintAttach(p.grant, next)}
	}
	return p.send(ctx, hello)
}

func (p *panelSocket) send(ctx context.Context, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode an event for the panel: %w", err)
	}
	if err := write(ctx, p.conn, websocket.MessageText, b); err != nil {
		return fmt.Errorf("write to the panel: %w", err)
	}
	return nil
}

// read handles the panel's messages.
func (p *panelSocket) read(ctx context.Context) error {
	w := watches[protocol.ConversationID]{ends: map[protocol.ConversationID]context.CancelFunc{}}
	defer w.close()
	feeds := watches[int]{ends: map[int]context.CancelFunc{}}
	defer feeds.close()
	for {
		kind, data, err := p.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("read from the panel: %w", err)
		}
		if kind != websocket.MessageText {
			return errProtocol("the panel's messages are text")
		}
		msg, err := decodePanelMessage(data)
		if err != nil {
			return err
		}
		switch msg.Type {
		case protocol.PanelPing:
			if !post(ctx, p.replies, any(protocol.PongEvent{Type: protocol.PanelPong, ID: msg.ID})) {
				return nil
			}
		case protocol.PanelAuth:
			grant, err := p.server.auth.Check(msg.Token, auth.CapabilityPanel)
			if err != nil || grant.ID != p.grant.ID {
				return errReauthenticate()
			}
			if !post(ctx, p.authed, grant.Generation) {
				return nil
			}
		case protocol.PanelWatch:
			w.watch(ctx, msg.Conversation, func(ctx context.Context) { p.tellConversation(ctx, msg.Conversation, msg.After) })
		case protocol.PanelUnwatch:
			w.unwatch(msg.Conversation)
		case protocol.PanelFollow:
			feeds.watch(ctx, msg.ID, func(ctx context.Context) { p.tellFeed(ctx, msg) })
		case protocol.PanelUnfollow:
			feeds.unwatch(msg.ID)
		default:
			p.server.sessions.PanelMessage(p.grant, msg)
		}
	}
}

// decodePanelMessage decodes a message and rejects what is not a message of the
// panel.
func decodePanelMessage(data []byte) (protocol.PanelMessage, error) {
	var msg protocol.PanelMessage
	if err := json.Unmarshal(data, &msg); err != nil {
		return msg, errProtocol("this is not a message")
	}
	switch msg.Type {
	case protocol.PanelAuth, protocol.PanelPing, protocol.PanelAnswer, protocol.PanelTheme, protocol.PanelWindow, protocol.PanelWatch, protocol.PanelUnwatch, protocol.PanelUnfollow:
		return msg, nil
	case protocol.PanelViewing, protocol.PanelFollow:
		if msg.Tab != "" {
			tab, err := protocol.ParseTabID(string(msg.Tab))
			if err != nil || tab != msg.Tab {
				return msg, errProtocol("this is not a tab")
			}
		}
		return msg, nil
	default:
		return msg, errProtocol("a message of an unknown type")
	}
}

// guard asks the panel for the new token after a rotation. It ends the socket
// if the panel does not send the new one while the old one is still valid.
func (p *panelSocket) guard(ctx context.Context) error {
	shown := p.grant.Generation
	asked := shown // the last generation that the panel was asked for
	var late <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-late:
			return errReauthenticate()
		case generation := <-p.authed:
			shown = max(shown, generation)
		case <-p.watch.Changed():
		}
		status := p.watch.Status()
		switch {
		case status.Ended:
			return errReauthenticate()
		case shown >= status.Generation:
			late = nil
		case asked < status.Generation:
			asked = status.Generation
			if shown < status.Generation-1 {
				// The panel has not authenticated with the previous token either. The grace
				// period covers only one rotation.
				return errReauthenticate()
			}
			late = time.After(status.Grace)
			if !post(ctx, p.replies, any(protocol.ReauthEvent{Type: protocol.PanelReauth})) {
				return nil
			}
		}
	}
}

// heartbeat ends a socket whose other side does not answer pings. Somebody has to read the
// socket meanwhile.
func heartbeat(ctx context.Context, conn *websocket.Conn) error {
	ticker := time.NewTicker(protocol.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		pong, cancel := context.WithTimeout(ctx, protocol.DeadAfter-protocol.PingInterval)
		err := conn.Ping(pong)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return &closing{websocket.StatusPolicyViolation, "no answer to a ping"}
		}
		if err != nil {
			return fmt.Errorf("ping: %w", err)
		}
	}
}

// post sends v to another goroutine of the socket; it returns false when the
// socket ended.
func post[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}
