// Package openapi describes routes and commands in the OpenAPI format.
package openapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"pilotfish/backend/protocol"
)

// Command is the documentation of a command in /openapi.json.
type Command struct {
	Name    string
	Summary string
	Help    string
	Scope   protocol.Scope
	// Schema is the JSON schema of the arguments.
	Schema json.RawMessage
}

// Route is the documentation of a route.
type Route struct {
	Method, Path string
	// About says what the route does, in a sentence.
	About string
	// Query are the names of its parameters.
	Query []string
	// In and Out are values of the types of body and reply; nil for none.
	In, Out any
	// Stream is a value of the type that each event carries. With Out, it
	// describes the reply to a caller that asks for events.
	Stream any
	// Binary marks a reply of bytes, Socket a WebSocket, Token a route that needs a
	// token.
	Binary, Socket, Token bool
}

// object is a JSON object; encoding/json sorts its keys.
type object map[string]any

// Describe returns the OpenAPI description of routes and commands, a value for
// encoding/json.
func Describe(version string, routes []Route, commands []Command) (any, error) {
	d := describer{schemas: object{}}
	paths := object{}
	for _, rt := range routes {
		item, known := paths[rt.Path].(object)
		if !known {
			item = object{}
			paths[rt.Path] = item
		}
		item[strings.ToLower(rt.Method)] = d.operation(rt)
	}
	if len(commands) > 0 {
		d.commands(commands)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Pilotfish", "version": version,
			"description": "The local server of Pilotfish. It listens on the loopback interface only, and answers no page.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": []object{{"url": "/"}},
		"paths":   paths,
		"components": object{
			"schemas":         d.schemas,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}, d.err
}

// describer collects the schemas while it describes the routes, and the last
// error.
type describer struct {
	schemas object
	err     error
}

func (d *describer) operation(rt Route) object {
	name := strings.Trim(strings.NewReplacer("/", "-", ".", "-").Replace(rt.Path), "-")
	op := object{
		"operationId": strings.ToLower(rt.Method) + "-" + name,
		"summary":     rt.About,
		"responses":   object{"default": d.json("What went wrong", protocol.ErrorReply{})},
	}
	responses, _ := op["responses"].(object)
	switch {
	case rt.Socket:
		responses["101"] = object{"description": "The WebSocket; its token is offered as the subprotocol token.<token> beside " + protocol.Version}
	case rt.Stream != nil:
		content := object{"text/event-stream": object{"schema": object{"type": "string", "contentMediaType": "application/json", "contentSchema": d.ref(rt.Stream)}}}
		if rt.Out != nil {
			content["application/json"] = object{"schema": d.ref(rt.Out)}
		}
		responses["200"] = object{"description": "Events, or the reply alone", "content": content}
	case rt.Binary:
		responses["200"] = object{"description": "The bytes", "content": object{"application/octet-stream": object{}}}
	case rt.Out != nil:
		responses["200"] = d.json("Done", rt.Out)
	default:
		responses["200"] = object{"description": "Done"}
	}
	if rt.Token {
		op["security"] = []object{{"token": []string{}}}
	} else {
		op["security"] = []object{}
	}
	if rt.In != nil {
		op["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": d.ref(rt.In)}}}
	}
	var parameters []object
	for _, q := range rt.Query {
		parameters = append(parameters, object{"name": q, "in": "query", "required": q == "path", "schema": object{"type": "string"}})
	}
	if len(parameters) > 0 {
		op["parameters"] = parameters
	}
	return op
}

func (d *describer) json(about string, v any) object {
	return object{"description": about, "content": object{"application/json": object{"schema": d.ref(v)}}}
}

// ref returns a reference to the schema of a value's type.
func (d *describer) ref(v any) object {
	t := reflect.TypeOf(v)
	if t.Name() == "" {
		return object{"type": "object"}
	}
	if _, known := d.schemas[t.Name()]; !known {
		d.schemas[t.Name()] = d.schema(t)
	}
	return object{"$ref": "#/components/schemas/" + t.Name()}
}

func (d *describer) schema(t reflect.Type) any {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}},
	})
	if err != nil {
		d.err = fmt.Errorf("describing %s: %w", t.Name(), err)
		return object{}
	}
	b, err := json.Marshal(s)
	var plain any
	if err == nil {
		err = json.Unmarshal(b, &plain)
	}
	if err != nil {
		d.err = fmt.Errorf("describing %s: %w", t.Name(), err)
	}
	return open(plain)
}

// open lets objects have properties that the schema does not name: a newer
// client may send them.
func open(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v["additionalProperties"] == false {
			delete(v, "additionalProperties")
		}
		for _, inner := range v {
			open(inner)
		}
	case []any:
		for _, inner := range v {
			open(inner)
		}
	}
	return v
}

// commands adds the commands to the schema of CommandRequest: one alternative
// for each command.
func (d *describer) commands(list []Command) {
	general, ok := d.schemas["CommandRequest"].(map[string]any)
	if !ok {
		return
	}
	alternatives := make([]object, len(list))
	for i, c := range list {
		name := "command." + c.Name
		d.schemas[name] = object{
			"type": "object", "title": c.Name, "required": []string{"command"},
			"description": strings.TrimSpace(c.Summary + ". Scope: " + string(c.Scope) + ". " + c.Help),
			"properties":  object{"command": object{"const": c.Name}, "args": c.Schema},
		}
		alternatives[i] = object{"$ref": "#/components/schemas/" + name}
	}
	// An alias is accepted too, so this is anyOf and not oneOf.
	general["description"] = "The commands and their arguments are in anyOf."
	general["anyOf"] = append(alternatives, object{"description": "an alias of one of them"})
}
