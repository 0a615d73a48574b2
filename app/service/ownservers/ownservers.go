// Package ownservers is `pilotfish mcp-servers`: the user's own MCP servers, which agents
// of conversations get beside the browser's tools.
package ownservers

import (
	"context"
	"fmt"
	"io"
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
	// Line is the command line of a server to add.
	Line string
	// Env are its variables with commas between: NAME=value, or NAME for the value that
	// this command's own environment has.
	Env string
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
	words, err := command.SplitLine(req.Line)
	if err != nil {
		return "", err
	}
	if len(words) == 0 {
		return "", protocol.NewError(protocol.CodeBadArgument, "the command line of the server is missing", `pilotfish mcp-servers add files "npx -y @modelcontextprotocol/server-filesystem /tmp"`)
	}
	server := toolservers.Server{Name: req.Name, Command: words[0], Args: words[1:], Env: map[string]string{}}
	for _, pair := range strings.FieldsFunc(req.Env, func(r rune) bool { return r == ',' }) {
		name, value, given := strings.Cut(pair, "=")
		if !given {
			if value = at.Getenv(name); value == "" {
				return "", protocol.NewError(protocol.CodeBadArgument, "this shell has no variable "+name, "set it, or give NAME=value")
			}
		}
		server.Env[name] = value
	}
	if err := at.Store.Add(ctx, server); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is added. You are asked before an agent gets it; `pilotfish mcp-servers allow %s` allows it always.", req.Name, req.Name), nil
}

func take(ctx context.Context, at Place, program string) (string, error) {
	others, err := at.Others(program)
	if err != nil {
		return "", err
	}
	var taken []toolservers.Server
	var said strings.Builder
	for _, other := range others {
		if other.Skipped != "" {
			fmt.Fprintf(&said, "%s is left out: %s.\n", say.OneLine(other.Name), other.Skipped)
			continue
		}
		taken = append(taken, toolservers.Server{Name: other.Name, Command: other.Command, Args: other.Args, Env: other.Env, From: program})
	}
	if err := at.Store.Add(ctx, taken...); err != nil {
		return "", err
	}
	fmt.Fprintf(&said, "%s from %s. You are asked before an agent gets one.", spelling.Plural(len(taken), "server"), program)
	return said.String(), nil
}

// shown is a server without the values of its variables.
type shown struct {
	Name       string                 `json:"name"`
	Command    string                 `json:"command"`
	Variables  []string               `json:"variables"`
	From       string                 `json:"from,omitempty"`
	Permission toolservers.Permission `json:"permission"`
}

func show(at Place, req Request, did string, out io.Writer) error {
	all, err := at.Store.List()
	if err != nil {
		return err
	}
	list := make([]shown, 0, len(all))
	for _, s := range all {
		list = append(list, shown{Name: s.Name, Command: s.Shown(), Variables: s.Variables(), From: s.From, Permission: s.Permission})
	}
	if req.JSON {
		return say.Object(out, map[string]any{"text": did, "servers": list})
	}
	if did != "" {
		return say.Text(out, did)
	}
	if len(list) == 0 {
		return say.Text(out, "You have no MCP servers of your own. `pilotfish mcp-servers add NAME COMMAND` adds one, and `pilotfish mcp-servers import PROGRAM` takes over those of another program.")
	}
	var text strings.Builder
	for _, s := range list {
		fmt.Fprintf(&text, "%-5s %-20s %s", s.Permission, s.Name, say.OneLine(s.Command))
		for _, name := range s.Variables {
			fmt.Fprintf(&text, " %s=%s", name, redact.Masked)
		}
		if s.From != "" {
			fmt.Fprintf(&text, " [from %s]", s.From)
		}
		text.WriteString("\n")
	}
	return say.Text(out, strings.TrimRight(text.String(), "\n"))
}
