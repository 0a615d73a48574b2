package server

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/auth"
)

var update = flag.Bool("update", false, "write docs/reference/http.md anew")

// TestReference keeps docs/reference/http.md, and the types of requests in TypeScript, equal
// to the table of routes.
func TestReference(t *testing.T) {
	// A server with all its parts has all routes; none of them is called. The
	// interface is embedded under another name, because it has a method with its
	// own name.
	type models interface{ Models }
	s := &Server{
		welcome: http.NotFoundHandler(),
		mcp:     func(http.ResponseWriter, *http.Request, auth.Grant) {},
		models:  struct{ models }{}, tasks: func(auth.Grant) (Tasks, error) { return nil, nil },
		chat: func(auth.Grant) (Conversations, error) { return nil, nil },
	}
	for path, want := range map[string]string{
		"docs/reference/http.md":           reference(s.table()),
		"frontend/ui/protocol/requests.ts": requests(s.table()),
	} {
		path = filepath.Join("..", "..", filepath.FromSlash(path))
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil || string(have) != want {
			t.Errorf("%s differs from the routes (make generate writes it): %v", path, err)
		}
	}
}

// requests returns, as TypeScript, what each POST route takes.
func requests(table map[string]map[string]route) string {
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
		if rt.doc.in != nil {
			in = "Record<string, never>"
			if name := reflect.TypeOf(rt.doc.in).Name(); name != "" {
				in = "p." + name
			}
		}
		fmt.Fprintf(&b, "  '%s': %s;\n", path, in)
	}
	b.WriteString("}\n")
	return b.String()
}

// reference returns the routes as Markdown.
func reference(table map[string]map[string]route) string {
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
	for _, k := range []auth.Kind{auth.KindPanel, auth.KindAttach, auth.KindAgent, auth.KindCLI} {
		if k.Opens(rt.capability) {
			names = append(names, string(k))
		}
	}
	text := strings.Join(names, ", ")
	if rt.origin == originExtension {
		text += " (panel only)"
	}
	return text
}

// message returns the name of the type of a message.
func message(v any) string {
	if v == nil {
		return "as the protocol says"
	}
	if t := reflect.TypeOf(v); t.Name() != "" {
		return "`" + t.Name() + "`"
	}
	return "an empty object"
}
