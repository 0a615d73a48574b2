// Command calls answers the calls of the window's pages about programs, with the files of
// the home folder HOME and a keychain in memory: a face test drives it. It reads a line
// {"method": …, "request": …} for each call, and prints the reply, or the error. With the
// argument mcp it is the MCP server that the programs start.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/zalando/go-keyring"

	"pilotfish/app/programs"
	"pilotfish/app/service/connecting"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		if err := serve(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := answer(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is an MCP server with one tool. It does not start while the file "broken" is in
// the home folder.
func serve(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), "broken")); err == nil {
		return fmt.Errorf("it is broken")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "calls", Version: "1"}, nil)
	type none struct{}
	mcp.AddTool(server, &mcp.Tool{Name: "look", Description: "looks"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, none, error) {
		return nil, none{}, nil
	})
	if err := server.Run(ctx, &mcp.StdioTransport{}); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func answer(ctx context.Context) error {
	keyring.MockInit()
	dir := filepath.Join(os.Getenv("HOME"), "pilotfish")
	keeper := credentials.New(filepath.Join(dir, "secrets.json"), func(context.Context) bool {
		_, err := os.Stat(filepath.Join(os.Getenv("HOME"), "locked"))
		return err != nil
	})
	p := programs.Programs{
		Place:   connecting.Place{Getenv: os.Getenv, Executable: os.Executable},
		Servers: toolservers.NewStore(filepath.Join(dir, "mcp-servers.json"), keeper),
	}
	out := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var call struct {
			Method  string          `json:"method"`
			Request json.RawMessage `json:"request"`
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			return fmt.Errorf("reading a call: %w", err)
		}
		reply, err := carryOut(ctx, p, call.Method, call.Request)
		said := map[string]any{"reply": reply}
		if err != nil {
			said = map[string]any{"error": protocol.AsError(err)}
		}
		if err := out.Encode(said); err != nil {
			return fmt.Errorf("answering a call: %w", err)
		}
	}
	return nil
}

func carryOut(ctx context.Context, p programs.Programs, method string, request json.RawMessage) (any, error) {
	if method == "Programs" {
		var req protocol.ProgramsRequest
		if err := json.Unmarshal(request, &req); err != nil {
			return nil, fmt.Errorf("reading a request: %w", err)
		}
		return p.Connect(ctx, req)
	}
	var req protocol.ToolServersRequest
	if err := json.Unmarshal(request, &req); err != nil {
		return nil, fmt.Errorf("reading a request: %w", err)
	}
	return p.ToolServers(ctx, req)
}
