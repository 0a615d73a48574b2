package server

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/protocol"
)

// controlRoutes returns the routes of the control page. The gates let nobody to them before
// the user has asked for an address of it.
func (s *Server) controlRoutes() []route {
	if s.control == nil {
		return nil
	}
	list := []route{
		{
			method: http.MethodPost, path: controlpage.Prefix + "token", origin: originControl, body: maxCodeRequest, handle: s.controlToken,
			doc: routeDoc{about: "Exchange the code of an address of `pilotfish control` for a token. The code counts once. The reply sets a cookie, which has to come with the token.", in: protocol.ControlCode{}, out: protocol.ControlToken{}},
		},
		{
			method: http.MethodPost, path: controlpage.Prefix + "call", origin: originControl, capability: auth.CapabilityControl, body: protocol.MaxBody, handle: s.controlCall,
			doc: routeDoc{about: "Call an operation, as the app's window does.", in: protocol.ControlCall{}, out: protocol.ControlAnswer{}},
		},
		{
			method: http.MethodGet, path: controlpage.Prefix + "events", origin: originControl, capability: auth.CapabilityControl, socket: true, handle: s.controlEvents,
			doc: routeDoc{about: "The state after each change, and records of the log: each message is a `ControlEvent`."},
		},
	}
	list = append(list, route{
		method: http.MethodGet, path: controlpage.Prefix + "view", origin: originControl, capability: auth.CapabilityControl, socket: true, handle: s.controlView,
		doc: routeDoc{about: "The live view of a tab. Binary messages are pictures: 4 bytes, its number, and a JPEG; text messages are a `LiveFrame` with the dialog that the page shows, and the list of a select or the picker that is open. The page sends `LiveInput`, with an `ack` for each picture that it has drawn.", query: []string{"session", "tab"}},
	})
	for _, path := range s.control.Paths() {
		list = append(list, route{
			method: http.MethodGet, path: path, origin: originNoPage, handle: s.controlFile,
			doc: routeDoc{about: "The control page, once `pilotfish control` has been asked for an address.", binary: true},
		})
	}
	return list
}

func (s *Server) controlFile(w http.ResponseWriter, r *http.Request, _ call) error {
	s.control.ServeHTTP(w, r)
	return nil
}

func (s *Server) controlToken(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.ControlCode
	if err := decode(w, r, &req); err != nil {
		return err
	}
	// The gates have compared the Origin with the only one that is allowed.
	token, cookie, err := s.control.Exchange(r.Header.Get("Origin"), c.own, r.UserAgent(), req.Code) //nolint:contextcheck // what it begins lives as long as the grant
	if err != nil {
		if slow := s.auth.Failed(r.Context()); slow != nil {
			return slow
		}
		return err
	}
	http.SetCookie(w, cookie)
	return reply(w, token)
}

func (s *Server) controlCall(w http.ResponseWriter, r *http.Request, c call) error {
	var req protocol.ControlCall
	if err := decode(w, r, &req); err != nil {
		return err
	}
	return reply(w, s.control.Call(r.Context(), c.grant, req))
}

// controlEvents sends events to a control page. What it says is ignored.
func (s *Server) controlEvents(w http.ResponseWriter, r *http.Request, c call) error {
	return s.socket(w, r, c, c.grant.ID, protocol.MaxPanelMessage, func(ctx context.Context, conn *websocket.Conn, _ *auth.Watch) error {
		ctx = conn.CloseRead(ctx)
		ctx, cancel := context.WithCancel(ctx)
		var beating sync.WaitGroup
		defer beating.Wait()
		defer cancel()
		beating.Go(func() {
			defer cancel()
			_ = heartbeat(ctx, conn) // the socket is closed then
		})
		return s.control.Watch(ctx, c.grant, func(event protocol.ControlEvent) error {
			text, err := json.Marshal(event)
			if err != nil {
				return err
			}
			return write(ctx, conn, websocket.MessageText, text)
		})
	})
}

// controlView serves the live view of a tab.
func (s *Server) controlView(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	tab := protocol.TabID(r.URL.Query().Get("tab"))
	return s.socket(w, r, c, c.grant.ID, protocol.MaxLiveInput, func(ctx context.Context, conn *websocket.Conn, _ *auth.Watch) error {
		ctx, cancel := context.WithCancelCause(ctx)
		inputs := make(chan protocol.LiveInput)
		var parts sync.WaitGroup
		defer parts.Wait()
		// Closing ends the reader, which ends with nothing but the socket.
		defer closeSocket(conn, nil, func() { cancel(nil) })
		parts.Go(func() { cancel(readInputs(ctx, conn, inputs)) })
		parts.Go(func() {
			if err := heartbeat(ctx, conn); err != nil {
				cancel(err)
			}
		})
		err := s.sessions.View(ctx, grant, tab, inputs, func(f protocol.LiveFrame) error {
			if f.JPEG == nil {
				text, err := json.Marshal(f)
				if err != nil {
					return err
				}
				return write(ctx, conn, websocket.MessageText, text)
			}
			picture := binary.BigEndian.AppendUint32(make([]byte, 0, protocol.LiveHeader+len(f.JPEG)), f.Seq)
			return write(ctx, conn, websocket.MessageBinary, append(picture, f.JPEG...))
		})
		if ctx.Err() != nil {
			err = nil // the viewer has gone
		}
		closeSocket(conn, err, func() { cancel(nil) })
		return err
	})
}

// readInputs reads what the user does in a live view, until the socket ends.
func readInputs(ctx context.Context, conn *websocket.Conn, to chan<- protocol.LiveInput) error {
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		var in protocol.LiveInput
		if kind != websocket.MessageText || json.Unmarshal(data, &in) != nil {
			return errProtocol("not an input of a live view")
		}
		if !post(ctx, to, in) {
			return ctx.Err()
		}
	}
}

// write writes one message within writeTimeout.
func write(ctx context.Context, conn *websocket.Conn, kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return conn.Write(ctx, kind, data)
}
