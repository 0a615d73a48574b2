package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// inspectorRoutes are the routes below /inspector, for the user at the panel
// who picks an element of a page.
func (s *Server) inspectorRoutes() []route {
	return []route{
		{
			method: http.MethodPost, path: "/inspector/pick", capability: auth.CapabilityPanel, origin: originExtension, body: protocol.MaxBody, handle: handled(func(ctx context.Context, g auth.Grant, req protocol.PickRequest) (protocol.PickReply, error) {
				return s.sessions.Pick(ctx, g, req)
			}),
			doc: routeDoc{about: "Let the user pick an element of a tab's page, with the browser's own picker. The panel's socket delivers the picked element. The panel only.", in: protocol.PickRequest{}, out: protocol.PickReply{}},
		},
	}
}
