//go:build unix

// Command server is an MCP server for the tests of package client: a real program with
// real pipes. Its argument says how it behaves.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// deaf answers what a client says first, and reads nothing after that.
func deaf() {
	lines := bufio.NewScanner(os.Stdin)
	for _, result := range []string{
		`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deaf","version":"1"}}`,
		"", // the client has initialized
		`{"tools":[{"name":"hear","inputSchema":{"type":"object"}}]}`,
	} {
		if !lines.Scan() {
			os.Exit(1)
		}
		var request struct{ ID json.RawMessage }
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			os.Exit(1)
		}
		if result != "" {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", request.ID, result)
		}
	}
	untilEnded()
}

// untilEnded waits for the signal that ends the server.
func untilEnded() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
}

func main() {
	how := ""
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	switch how {
	case "fails":
		fmt.Fprintln(os.Stderr, "starting")
		fmt.Fprintln(os.Stderr, "this key is not valid:", os.Getenv("KEY"))
		os.Exit(3)
	case "prose":
		fmt.Println("Welcome to my server!")
		untilEnded()
		return
	case "deaf":
		deaf()
		return
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "where", Description: "what the server sees"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		dir, err := os.Getwd()
		said := fmt.Sprintf("pid %d in %s, KEY=%s", os.Getpid(), dir, os.Getenv("KEY"))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, err
	})
	mcp.AddTool(server, &mcp.Tool{Name: "daemon", Description: "starts a program that outlives the call"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		child := exec.CommandContext(context.WithoutCancel(ctx), "sleep", "600")
		if err := child.Start(); err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strconv.Itoa(child.Process.Pid)}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "quit", Description: "ends the server"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		os.Exit(0)
		return nil, nil, nil
	})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}
