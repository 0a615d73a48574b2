package connect

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// verifyTimeout is the time that a server has to answer; it may have to start a session.
const verifyTimeout = 60 * time.Second

// Verify starts the server the way a program does, from the folder dir and with the
// environment env, and returns the names of its tools.
func Verify(ctx context.Context, s Server, dir string, env []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, s.Command, s.Args...)
	command.Dir, command.Env = dir, env
	client := mcp.NewClient(&mcp.Implementation{Name: "pilotfish-connect", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("%s does not start as an MCP server: %v", s.Command, err), "`pilotfish doctor` checks the installation")
	}
	defer func() { _ = session.Close() }()
	var names []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("%s does not list its tools: %v", s.Command, err), "`pilotfish doctor` checks the installation")
		}
		names = append(names, tool.Name)
	}
	return names, nil
}
