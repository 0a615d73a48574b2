// Package ownservers is `pilotfish mcp-servers`: the user's own MCP servers, which agents
// of conversations get beside the browser's tools.
package ownservers

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/backend/command"
	"pilotfish/backend/connect"
	"pilotfish/backend/protocol"
	"pilotfish/backend/redact"
	"pilotfish/backend/spelling"
	"pilotfish/backend/toolservers"
)

// Request is what the command line asks for.
type Request struct {
	// Action is list, add, remove, allow, ask, deny or import; empty lists.
	Action string
	// Name is the server; with import the program.
	Name string
	// Line is the command line of a server to add, or its address.
	Line string
	// Env are its variables with commas between: NAME=value, or NAME for the value that
	// this command's own environment has.
	Env string
	// Headers are sent to an address, with commas between: NAME=value. ${NAME} in a value
	// stands for a variable of this command's own environment.
	Headers string
	// JSON prints data in place of text.
	JSON bool
}

// Place says where the command works.
type Place struct {
	Getenv func(string) string
	Store  *toolservers.Store
	// Others returns the servers in a program's settings.
	Others func(program string) ([]connect.Other, error)
}

// Run carries a request out and prints what was done.
func Run(ctx context.Context, at Place, req Request, out io.Writer) error {
	if at.Getenv(protocol.EnvMark) != "" || at.Getenv(protocol.EnvConfined) != "" {
		return protocol.NewError(protocol.CodeRefused, "only the user decides which MCP servers agents get, and an agent asked", "run it in a shell of your own")
	}
	var did string
	var err error
	switch req.Action {
	case "", "list":
	case "add":
		did, err = add(ctx, at, req)
	case "remove":
		err = at.Store.Remove(ctx, req.Name)
		did = req.Name + " is removed."
	case "allow", "ask", "deny":
		err = at.Store.Permit(req.Name, toolservers.Permission(req.Action))
		did = fmt.Sprintf("%s: %s. Conversations that have an agent already keep what they have.", req.Name, req.Action)
	case "import":
		did, err = take(ctx, at, req.Name)
	default:
		err = protocol.NewError(protocol.CodeBadArgument, "this is nothing to do with MCP servers", "list, add, remove, allow, ask, deny or import")
	}
	if err != nil {
		return err
	}
	return show(at, req, did, out)
}

func add(ctx context.Context, at Place, req Request) (string, error) {
	draft := protocol.ToolServerDraft{Name: req.Name, Line: req.Line}
	for _, pair := range strings.FieldsFunc(req.Env, func(r rune) bool { return r == ',' }) {
		name, value, given := strings.Cut(pair, "=")
		if !given {
			if value = at.Getenv(name); value == "" {
				return "", protocol.NewError(protocol.CodeBadArgument, "this shell has no variable "+name, "set it, or give NAME=value")
			}
		}
		draft.Variables = append(draft.Variables, protocol.NamedValue{Name: name, Value: value})
	}
	var err error
	if draft.Headers, err = headers(req.Headers, at.Getenv); err != nil {
		return "", err
	}
	if err := Add(ctx, at.Store, draft); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is added. You are asked before an agent gets it; `pilotfish mcp-servers allow %s` allows it always.", req.Name, req.Name), nil
}

// headers reads headers with commas between. A part without a name belongs to the value
// before it, because values have commas, too.
func headers(text string, getenv func(string) string) ([]protocol.NamedValue, error) {
	name := regexp.MustCompile("^\\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(.*)$")
	var all []protocol.NamedValue
	for part := range strings.SplitSeq(text, ",") {
		switch found := name.FindStringSubmatch(part); {
		case found != nil:
			all = append(all, protocol.NamedValue{Name: found[1], Value: found[2]})
		case len(all) > 0:
			all[len(all)-1].Value += "," + part
		case strings.TrimSpace(part) != "":
			return nil, protocol.NewError(protocol.CodeBadArgument, "a header has no name", `give NAME=value, such as --header "X-Team=blue"`)
		}
	}
	missing := ""
	for i, header := range all {
		all[i].Value = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`).ReplaceAllStringFunc(strings.TrimSpace(header.Value), func(variable string) string {
			value := getenv(variable[2 : len(variable)-1])
			if value == "" {
				missing = variable[2 : len(variable)-1]
			}
			return value
		})
	}
	if missing != "" {
		return nil, protocol.NewError(protocol.CodeBadArgument, "this shell has no variable "+missing, "set it, or give the value")
	}
	return all, nil
}

// Add adds a server: a line that is an address is one that agents connect to, any other
// is the command line of a program.
func Add(ctx context.Context, store *toolservers.Store, draft protocol.ToolServerDraft) error {
	words, err := command.SplitLine(draft.Line)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return protocol.NewError(protocol.CodeBadArgument, "the command line of the server, or its address, is missing", `pilotfish mcp-servers add files "npx -y @modelcontextprotocol/server-filesystem /tmp"`)
	}
	server := toolservers.Server{Name: draft.Name, Env: map[string]string{}}
	if len(words) == 1 && regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`).MatchString(words[0]) {
		server.URL = words[0]
	} else {
		server.Command, server.Args = words[0], words[1:]
	}
	for _, variable := range draft.Variables {
		server.Env[variable.Name] = variable.Value
	}
	for _, header := range draft.Headers {
		server.Headers = append(server.Headers, toolservers.Header{Name: header.Name, Value: header.Value})
	}
	return store.Add(ctx, server)
}

// Import takes over the servers of another program, and says which it took, and why not
// the others.
func Import(ctx context.Context, store *toolservers.Store, others []connect.Other, program string) (taken []string, left []protocol.ToolServerLeft, err error) {
	for _, other := range others {
		name := say.OneLine(other.Name)
		if other.Skipped != "" {
			left = append(left, protocol.ToolServerLeft{Name: name, Why: other.Skipped})
			continue
		}
		server := toolservers.Server{Name: other.Name, Command: other.Command, Args: other.Args, Env: other.Env, URL: other.URL, From: program}
		for _, header := range slices.Sorted(maps.Keys(other.Headers)) {
			server.Headers = append(server.Headers, toolservers.Header{Name: header, Value: other.Headers[header]})
		}
		err := store.Add(ctx, server)
		e := protocol.AsError(err)
		switch {
		case err == nil:
			taken = append(taken, name)
		case e.Code == protocol.CodeBadArgument || e.Code == protocol.CodeNoKeyring:
			left = append(left, protocol.ToolServerLeft{Name: name, Why: e.Error()})
		default:
			return taken, left, err
		}
	}
	return taken, left, nil
}

func take(ctx context.Context, at Place, program string) (string, error) {
	others, err := at.Others(program)
	if err != nil {
		return "", err
	}
	taken, left, err := Import(ctx, at.Store, others, program)
	if err != nil {
		return "", err
	}
	var said strings.Builder
	for _, one := range left {
		fmt.Fprintf(&said, "%s is left out: %s.\n", one.Name, strings.TrimSuffix(one.Why, "."))
	}
	fmt.Fprintf(&said, "%s from %s. You are asked before an agent gets one.", spelling.Plural(len(taken), "server"), program)
	return said.String(), nil
}

// Shown returns servers as they are shown: without the values of variables and headers.
func Shown(servers []toolservers.Server) []protocol.ToolServer {
	out := make([]protocol.ToolServer, 0, len(servers))
	for _, s := range servers {
		out = append(out, protocol.ToolServer{
			Name: s.Name, Line: s.Shown(), Remote: s.Remote(), Variables: s.Variables(), Headers: s.HeaderNames(), From: s.From, Permission: string(s.Permission),
		})
	}
	return out
}

// shown is a server as the command line prints it in JSON.
type shown struct {
	Name       string   `json:"name"`
	Command    string   `json:"command,omitempty"`
	URL        string   `json:"url,omitempty"`
	Variables  []string `json:"variables"`
	Headers    []string `json:"headers"`
	From       string   `json:"from,omitempty"`
	Permission string   `json:"permission"`
}

func show(at Place, req Request, did string, out io.Writer) error {
	all, err := at.Store.List()
	if err != nil {
		return err
	}
	list := Shown(all)
	if req.JSON {
		data := make([]shown, 0, len(list))
		for _, s := range list {
			one := shown{Name: s.Name, Command: s.Line, Variables: s.Variables, Headers: s.Headers, From: s.From, Permission: s.Permission}
			if s.Remote {
				one.Command, one.URL = "", s.Line
			}
			data = append(data, one)
		}
		return say.Object(out, map[string]any{"text": did, "servers": data})
	}
	if did != "" {
		return say.Text(out, did)
	}
	if len(list) == 0 {
		return say.Text(out, "You have no MCP servers of your own. `pilotfish mcp-servers add NAME COMMAND`, or an address in place of the command, adds one, and `pilotfish mcp-servers import PROGRAM` takes over those of another program.")
	}
	var text strings.Builder
	for _, s := range list {
		fmt.Fprintf(&text, "%-5s %-20s %s", s.Permission, s.Name, say.OneLine(s.Line))
		for _, name := range slices.Concat(s.Variables, s.Headers) {
			fmt.Fprintf(&text, " %s=%s", name, redact.Masked)
		}
		if s.From != "" {
			fmt.Fprintf(&text, " [from %s]", s.From)
		}
		text.WriteString("\n")
	}
	return say.Text(out, strings.TrimRight(text.String(), "\n"))
}
