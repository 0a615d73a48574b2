package server

import (
	"context"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// activityRoutes are the routes that search the activity.
func activityRoutes(s *Server) []route {
	post := func(path string, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		doc.query = []string{"session"}
		return route{method: http.MethodPost, path: path, capability: auth.CapabilityActivity, origin: originNoPage, body: protocol.MaxBody, handle: inSession(handle), doc: doc}
	}
	return []route{
		post("/activity/search", handled(func(ctx context.Context, g auth.Grant, q protocol.ActivityQuery) (out protocol.ActivityFound, err error) {
			did, err := s.sessions.Activity(g)
			if err != nil {
				return out, err
			}
			return did.Search(ctx, g, q)
		}), routeDoc{about: "Search the activity backwards, and read it as Markdown. An agent sees its own.", in: protocol.ActivityQuery{}, out: protocol.ActivityFound{}}),
		post("/activity/shot", handled(func(ctx context.Context, g auth.Grant, req protocol.ActivityShotRequest) (out protocol.ChatAttachment, err error) {
			did, err := s.sessions.Activity(g)
			if err != nil {
				return out, err
			}
			return did.Shot(ctx, g, req.Index)
		}), routeDoc{about: "The screenshot of an entry's moment, as data.", in: protocol.ActivityShotRequest{}, out: protocol.ChatAttachment{}}),
	}
}
