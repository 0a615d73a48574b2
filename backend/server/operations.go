package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// operationRoutes returns the routes of the operations that have one.
func (s *Server) operationRoutes() []route {
	var list []route
	for _, o := range s.operations {
		if o.Route == nil {
			continue
		}
		rt := route{path: o.Route.Path, capability: o.Route.Capability, origin: originNoPage, handle: s.operated(o), doc: routeDoc{about: o.Route.About}}
		if o.Route.Panel {
			rt.origin = originExtension
		}
		if auth.KindCLI.Opens(o.Route.Capability) {
			rt.doc.query = []string{"session"} // every other token has its session
		}
		if o.Stream != nil {
			rt.doc.stream = o.Out
		} else {
			rt.doc.out = o.Out
		}
		if o.Route.Get || o.Route.GetToo {
			get := rt
			get.method = http.MethodGet
			get.doc.query = append(fieldsOf(o.In), rt.doc.query...)
			list = append(list, get)
		}
		if !o.Route.Get {
			rt.method, rt.doc.in, rt.body = http.MethodPost, o.In, o.Route.Body
			if rt.body == 0 {
				rt.body = protocol.MaxBody
			}
			list = append(list, rt)
		}
	}
	return list
}

// operated makes the handler of an operation's route.
func (s *Server) operated(o op.Operation) func(http.ResponseWriter, *http.Request, call) error {
	return func(w http.ResponseWriter, r *http.Request, c call) error {
		grant, err := chooseSession(c.grant, r)
		if err != nil {
			return err
		}
		in, err := argument(w, r, o.In)
		if err != nil {
			return err
		}
		asked := op.Call{Session: grant.Session, Grant: grant}
		if grant.Kind == auth.KindPanel {
			asked.Place = "panel"
		}
		if o.Stream != nil {
			ctx, release := s.lasting(r, c)
			defer release()
			return stream(ctx, w, o, asked, in) //nolint:contextcheck // it is derived from the request's
		}
		out, err := o.Run(r.Context(), asked, in)
		if err != nil {
			return err
		}
		if _, none := out.(op.None); none {
			out = struct{}{}
		}
		return reply(w, out)
	}
}

// argument returns the JSON of what an operation takes: the body, or the query of a GET.
func argument(w http.ResponseWriter, r *http.Request, in any) (json.RawMessage, error) {
	if r.Method != http.MethodGet {
		body, err := readBody(w, r)
		if err == nil && !json.Valid(body) {
			err = protocol.NewError(protocol.CodeBadArgument, "the body is not JSON", "")
		}
		return body, err
	}
	query := r.URL.Query()
	// A client of a stream that was cut off sends its last index in this header when it
	// connects again; its URL still has the index of its first request.
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		query.Set("after", last)
	}
	return fromQuery(query, in)
}

// fromQuery returns a query as the JSON of a value of the type of in: its fields are texts,
// whole numbers or true, or pointers to them.
func fromQuery(query url.Values, in any) (json.RawMessage, error) {
	values := map[string]any{}
	of := reflect.TypeOf(in)
	for i, name := range fieldsOf(in) {
		text := query.Get(name)
		if text == "" {
			continue
		}
		kind := of.Field(i).Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.String {
			values[name] = text
			continue
		}
		if kind.Kind() == reflect.Bool {
			values[name] = text == "true"
			continue
		}
		if _, err := strconv.ParseUint(text, 10, 63); err != nil {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s is a whole number, not %.40q", name, text), "")
		}
		values[name] = json.Number(text)
	}
	return json.Marshal(values)
}

// fieldsOf returns the names of the fields that a value of the type of in has as JSON.
func fieldsOf(in any) []string {
	of := reflect.TypeOf(in)
	names := make([]string, of.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(of.Field(i).Tag.Get("json"), ",")
	}
	return names
}
