package acp

import (
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/chat/driver"
)

// servers returns MCP servers in ACP's form. Only an agent that announces
// mcpCapabilities.http may get one with an address.
func servers(tools []driver.ToolServer) []sdk.McpServer {
	out := make([]sdk.McpServer, 0, len(tools))
	for _, tool := range tools {
		if tool.URL != "" {
			headers := make([]sdk.HttpHeader, 0, len(tool.Headers))
			for _, header := range tool.Headers {
				headers = append(headers, sdk.HttpHeader{Name: header.Name, Value: header.Value})
			}
			out = append(out, sdk.McpServer{Http: &sdk.McpServerHttpInline{Name: tool.Name, Type: "http", Url: tool.URL, Headers: headers}})
			continue
		}
		env := make([]sdk.EnvVariable, 0, len(tool.Env))
		for _, pair := range tool.Env {
			name, value, _ := strings.Cut(pair, "=")
			env = append(env, sdk.EnvVariable{Name: name, Value: value})
		}
		args := tool.Args
		if args == nil {
			args = []string{}
		}
		out = append(out, sdk.McpServer{Stdio: &sdk.McpServerStdio{Name: tool.Name, Command: tool.Command, Args: args, Env: env}})
	}
	return out
}
