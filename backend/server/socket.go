package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// closing is an error that specifies how to close a socket.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func (c *closing) Error() string { return c.reason }

// The reasons for which a socket ends other than by its owner's choice.
func errGoingAway() error {
	return &closing{websocket.StatusGoingAway, "the app is stopping or restarting"}
}

func errReauthenticate() error {
	return &closing{protocol.CloseUnauthorized, "authenticate again"}
}

func errProtocol(reason string) error {
	return &closing{websocket.StatusProtocolError, reason}
}

// closeFor returns how to close a socket for an error.
func closeFor(err error) *closing {
	if err == nil {
		return &closing{websocket.StatusNormalClosure, ""}
	}
	if c, ok := errors.AsType[*closing](err); ok {
		return c
	}
	switch protocol.AsError(err).Code {
	case protocol.CodeUnauthorized, protocol.CodeForbidden:
		return &closing{protocol.CloseUnauthorized, "authenticate again"}
	case protocol.CodeUnknownSession, protocol.CodeUnknownTerminal, protocol.CodeUnknownTab, protocol.CodeNotRunning:
		return &closing{protocol.CloseGone, "what this socket was for does not exist any more"}
	default:
		return &closing{websocket.StatusInternalError, "an error inside Pilotfish"}
	}
}

// socket accepts a WebSocket and runs serve until it returns. When the server
// stops or the grant ends, the viewer gets a close frame; a viewer that does
// not answer it is cut off after protocol.SocketCloseGrace. watched is the
// grant that keeps the socket open.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, c call, watched string, limit int64, serve func(context.Context, *websocket.Conn, *auth.Watch) error) error {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{protocol.Version},
		// The library's check accepts a missing Origin, and any Origin that equals a
		// Host that a page chose by DNS rebinding. The gates have already compared
		// Host and Origin exactly.
		InsecureSkipVerify: true,
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		// Accept has replied already.
		s.log.Debug("an upgrade was not one", "error", err)
		return nil
	}
	conn.SetReadLimit(limit)
	watch := s.auth.Watch(watched)
	defer watch.Close()

	ctx, cut := context.WithCancel(r.Context())
	defer cut()
	over := make(chan struct{})
	var outside sync.WaitGroup
	outside.Go(func() {
		if err := endedOutside(c.stopping, watch, over); err != nil {
			closeSocket(conn, err, cut)
		}
	})
	err = s.guarded(func() error { return serve(ctx, conn, watch) })
	close(over)
	closeSocket(conn, err, cut)
	outside.Wait()
	if err != nil && ctx.Err() == nil {
		s.log.Debug("a socket ended", "path", r.URL.Path, "error", err)
	}
	return nil
}

// endedOutside waits until the server or the grant ends the socket, and returns
// the reason; it returns nil when over closes first.
func endedOutside(stopping <-chan struct{}, watch *auth.Watch, over <-chan struct{}) error {
	select {
	case <-stopping:
		return errGoingAway()
	case <-watch.Ended():
		return errReauthenticate()
	case <-over:
		return nil
	}
}

// closeSocket closes the socket with a close frame and ends its context: at
// once when the other side has answered the frame, else after the grace. Only
// the first call sends a frame.
func closeSocket(conn *websocket.Conn, err error, cut context.CancelFunc) {
	how := closeFor(err)
	timer := time.AfterFunc(protocol.SocketCloseGrace, cut)
	defer timer.Stop()
	_ = conn.Close(how.code, how.reason) // the other side may be gone already
	cut()
}

// share serves a program that speaks the DevTools protocol.
func (s *Server) share(w http.ResponseWriter, r *http.Request, c call) error {
	return s.socket(w, r, c, c.grant.ID, maxShareMessage,
		func(ctx context.Context, conn *websocket.Conn, _ *auth.Watch) error {
			return s.sessions.ServeShare(ctx, c.grant, conn)
		})
}

// terminal serves a viewer of one terminal. The socket lasts as long as the
// panel's grant that created its token.
func (s *Server) terminal(w http.ResponseWriter, r *http.Request, c call) error {
	return s.socket(w, r, c, c.grant.Parent, protocol.MaxInputFrame+protocol.FrameHeader,
		func(ctx context.Context, conn *websocket.Conn, _ *auth.Watch) error {
			return s.sessions.ServeTerminal(ctx, c.grant, conn)
		})
}
