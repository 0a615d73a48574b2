package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server/inspectorcall"
)

// inspectorRoutes are the routes below /inspector. All but the picker of a panel are
// commands under another name, and judged as such.
func inspectorRoutes(s *Server) []route {
	list := []route{{
		method: http.MethodGet, path: "/inspector/events", capability: auth.CapabilityCommand, origin: originNoPage, handle: s.inspectorEvents,
		doc: routeDoc{about: "What happens to the element of a tab that was read last, as server-sent events: `inspector` has an event, `gap` says that some are missing.", query: []string{"tab", "after", "session"}, stream: protocol.InspectorEvent{}},
	}}
	for name, about := range inspectorcall.Routes() {
		rt := route{
			method: http.MethodPost, path: "/inspector/" + name, capability: auth.CapabilityCommand, origin: originNoPage, body: protocol.MaxBody,
			handle: handled(func(ctx context.Context, g auth.Grant, req protocol.InspectorRequest) (protocol.CommandReply, error) {
				return inspectorCommand(ctx, s, g, name, req)
			}),
			doc: routeDoc{about: about, in: protocol.InspectorRequest{}, out: protocol.CommandReply{}},
		}
		if name == "pick" {
			rt.handle = handled(s.inspectorPick)
			rt.doc = routeDoc{about: "Let the user pick an element of a tab's page, with the browser's own picker. With an action of a panel, the panel's socket delivers the picked element; without, the reply to the command pick does, when the user has picked.", in: protocol.InspectorPickRequest{}, out: protocol.PickReply{}}
		}
		list = append(list, rt)
	}
	return list
}

func inspectorCommand(ctx context.Context, s *Server, g auth.Grant, name string, req protocol.InspectorRequest) (protocol.CommandReply, error) {
	command, err := inspectorcall.Request(name, req)
	if err != nil {
		return protocol.CommandReply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	return s.sessions.Command(ctx, g, command, nil), nil
}

// inspectorPick lets a user pick an element.
func (s *Server) inspectorPick(ctx context.Context, g auth.Grant, req protocol.InspectorPickRequest) (any, error) {
	if req.Action == "" {
		return inspectorCommand(ctx, s, g, "pick", protocol.InspectorRequest{Tab: req.Tab, TimeoutMS: req.TimeoutMS, Session: req.Session})
	}
	if g.Kind != auth.KindPanel {
		return nil, status(http.StatusForbidden, protocol.CodeForbidden, "only a panel has a picker of its own")
	}
	return s.sessions.Pick(ctx, g, req.PickRequest)
}

// inspectorEvents sends the Inspector's events as server-sent events.
func (s *Server) inspectorEvents(w http.ResponseWriter, r *http.Request, c call) error {
	grant, err := chooseSession(c.grant, r)
	if err != nil {
		return err
	}
	after, _, err := position(r)
	if err != nil {
		return err
	}
	ctx, release := s.lasting(r, c)
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, err := s.sessions.Feed(ctx, grant, protocol.FeedInspector, protocol.TabID(r.URL.Query().Get("tab")), after)
	if err != nil {
		return err
	}
	streamEvents(ctx, cancel, w, "the Inspector of a tab", batches, inspectorcall.Events)
	return nil
}
