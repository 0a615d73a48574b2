package server

import (
	"net/http"

	"pilotfish/backend/server/openapi"
)

// CommandDoc is the documentation of a command in /openapi.json.
type CommandDoc = openapi.Command

// routeDoc is the documentation of a route in /openapi.json; see openapi.Route.
type routeDoc struct {
	about   string
	query   []string
	in, out any
	stream  any
	binary  bool
}

// openAPI replies with the OpenAPI description of the routes and the commands,
// made from the table and the registry.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request, _ call) error {
	var routes []openapi.Route
	for _, methods := range s.routes {
		for _, rt := range methods {
			d := rt.doc
			routes = append(routes, openapi.Route{
				Method: rt.method, Path: rt.path, About: d.about, Query: d.query, In: d.in, Out: d.out, Stream: d.stream,
				Binary: d.binary, Socket: rt.socket, Token: rt.capability != "",
			})
		}
	}
	doc, err := openapi.Describe(s.version, routes, s.commands)
	if err != nil {
		return err
	}
	return reply(w, doc)
}
