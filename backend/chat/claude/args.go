package claude

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
)

// toolsConfig returns the tools in the format of claude's option --mcp-config. It
// names the variables of the tools' environment and not their values: the values
// include a token, and everybody on the machine can read the arguments of a process.
// Claude replaces each ${NAME} by the variable of its own environment, see
// environment.
func toolsConfig(tools []driver.ToolServer) string {
	type program struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	// Claude replaces variables in an address and in headers, too; an address may have a
	// key in it.
	type remote struct {
		Type    string            `json:"type"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	servers := map[string]any{}
	for i, tool := range tools {
		values := map[string]string{}
		if tool.URL != "" {
			for at, header := range tool.Headers {
				values[header.Name] = "${" + variable(i, headerVariable(at)) + "}"
			}
			servers[tool.Name] = remote{"http", "${" + variable(i, urlVariable) + "}", values}
			continue
		}
		for _, pair := range tool.Env {
			name, _, _ := strings.Cut(pair, "=")
			values[name] = "${" + variable(i, name) + "}"
		}
		servers[tool.Name] = program{tool.Command, append([]string{}, tool.Args...), values}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return "{}" // strings can always be encoded
	}
	return string(raw)
}

// environment returns the variables of claude's process: those of its tools are added,
// so that `pilotfish` in claude's own shell acts as the conversation, too.
func environment(launched []string, tools []driver.ToolServer) []string {
	env := slices.Clone(launched)
	for i, tool := range tools {
		for _, pair := range tool.Env {
			env = append(env, variable(i, pair))
		}
		if tool.URL != "" {
			env = append(env, variable(i, urlVariable+"="+tool.URL))
		}
		for at, header := range tool.Headers {
			env = append(env, variable(i, headerVariable(at)+"="+header.Value))
		}
	}
	return env
}

// urlVariable is the variable of the address of a server.
const urlVariable = "URL"

// headerVariable is the variable of a header of a server, by its index: names of headers
// are no names of variables.
func headerVariable(at int) string { return fmt.Sprintf("HEADER_%d", at) }

// variable returns the name, or the pair with it, under which claude has a variable of a
// tool. Those of the browser's tools, the first, keep their names; others may be called
// the same, or mean something else to claude.
func variable(tool int, name string) string {
	if tool == 0 {
		return name
	}
	return fmt.Sprintf("PILOTFISH_SERVER_%d_%s", tool, name)
}

// args returns the arguments of the process.
func (s *session) args(cfg driver.SessionConfig) []string {
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages",
		// Claude reports when it starts with a message: before that there is
		// nothing to interrupt.
		"--replay-user-messages",
		"--permission-prompt-tool", "stdio",
		// AskUserQuestion needs a form of its own; claude can ask in plain text
		// instead.
		"--disallowedTools", "AskUserQuestion",
	}
	if cfg.Resume != "" {
		args = append(args, "--resume", cfg.Resume)
	} else {
		args = append(args, "--session-id", s.id)
	}
	if cfg.System != "" {
		args = append(args, "--append-system-prompt", cfg.System)
	}
	if len(cfg.Tools) > 0 {
		args = append(args, "--mcp-config", toolsConfig(cfg.Tools))
	}
	return append(args, s.agent.launch.Args...)
}

// newID returns a UUID, version 4.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails; see its documentation
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
