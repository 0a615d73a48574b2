package server

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/op"
)

// DecodePanelMessage is decodePanelMessage, for the fuzz test.
var DecodePanelMessage = decodePanelMessage

// whole returns the table of a server that has all routes. None of them is called.
func whole(operations []op.Operation) map[string]map[string]route {
	s := &Server{welcome: http.NotFoundHandler(), control: &controlpage.Page{}, operations: operations}
	return s.table()
}

// Requests returns, as TypeScript, what each POST route takes.
func Requests(operations []op.Operation) string {
	table := whole(operations)
	var b strings.Builder
	b.WriteString(`// Generated from the table of routes by "make generate". Do not edit.
import type * as p from './protocol';

/** What each POST route takes. docs/reference/http.md says what it does. */
export interface RequestBodies {
`)
	for _, path := range slices.Sorted(maps.Keys(table)) {
		rt, post := table[path][http.MethodPost]
		if !post {
			continue
		}
		in := "unknown"
		switch rt.doc.in.(type) {
		case nil:
		case op.None:
			in = "Record<string, never>"
		default:
			in = "p." + reflect.TypeOf(rt.doc.in).Name()
		}
		fmt.Fprintf(&b, "  '%s': %s;\n", path, in)
	}
	b.WriteString("}\n")
	return b.String()
}

// Reference returns the routes as Markdown.
func Reference(operations []op.Operation) string {
	table := whole(operations)
	var b strings.Builder
	b.WriteString(`# HTTP routes

Generated from the table of routes (` + "`backend/server`" + `) by ` + "`make generate`" + `. Do not edit.

The server listens on 127.0.0.1 only. Its address and the cli token are in ` + "`pilotfish.json`" + ` in the state folder (mode
0600); an agent has its own in ` + "`PILOTFISH_URL` and `PILOTFISH_TOKEN`" + `. Send the token as ` + "`Authorization: Bearer …`" + `. A WebSocket
offers it as the subprotocol ` + "`token.<token>`" + `. No token is taken from a URL.

The messages are TypeScript, with comments, in [protocol.ts](../../frontend/ui/protocol/protocol.ts).

"Token" says which kinds of token a route takes. Routes marked "panel only" also want the Origin of our
extension. "Events" are server-sent events.
`)
	for _, path := range slices.Sorted(maps.Keys(table)) {
		methods := slices.Sorted(maps.Keys(table[path]))
		for _, method := range methods {
			rt := table[path][method]
			fmt.Fprintf(&b, "\n## %s %s\n\n", method, path)
			b.WriteString(rt.doc.about + "\n\n")
			fmt.Fprintf(&b, "- Token: %s\n", kinds(rt))
			if len(rt.doc.query) > 0 {
				fmt.Fprintf(&b, "- Query: `%s`\n", strings.Join(rt.doc.query, "`, `"))
			}
			if rt.socket {
				b.WriteString("- WebSocket\n")
			}
			if rt.body > 0 {
				fmt.Fprintf(&b, "- Body: %s, at most %d KiB\n", message(rt.doc.in), rt.body>>10)
			}
			switch {
			case rt.doc.out != nil:
				fmt.Fprintf(&b, "- Reply: %s\n", message(rt.doc.out))
			case rt.doc.binary:
				b.WriteString("- Reply: the bytes\n")
			}
			if rt.doc.stream != nil {
				fmt.Fprintf(&b, "- Events: %s\n", message(rt.doc.stream))
			}
		}
	}
	return b.String()
}

// kinds returns the kinds of token that are valid for a route.
func kinds(rt route) string {
	if rt.capability == "" {
		return "none"
	}
	var names []string
	for _, k := range []auth.Kind{auth.KindPanel, auth.KindAttach, auth.KindAgent, auth.KindCLI, auth.KindShare, auth.KindShareMCP, auth.KindControl} {
		if k.Opens(rt.capability) {
			names = append(names, string(k))
		}
	}
	text := strings.Join(names, ", ")
	switch rt.origin {
	case originExtension:
		text += " (panel only)"
	case originControl:
		text += " (control page only)"
	case originNoPage:
	}
	return text
}

// message returns the name of the type of a message.
func message(v any) string {
	switch v.(type) {
	case nil:
		return "as the protocol says"
	case op.None:
		return "an empty object"
	default:
		name := reflect.TypeOf(v).Name()
		if name == "" {
			panic(fmt.Sprintf("a route takes or returns %T, which has no name: give it a struct of backend/protocol", v))
		}
		return "`" + name + "`"
	}
}
