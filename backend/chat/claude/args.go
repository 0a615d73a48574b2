//go:build unix

package claude

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/chat/driver"
)

// files are what claude is given in files: its tools carry a token, which
// everybody on the machine could read in the arguments of a process.
type files struct{ dir string }

func newFiles(cfg driver.SessionConfig) (*files, error) {
	if len(cfg.Tools) == 0 {
		return &files{}, nil
	}
	dir, err := os.MkdirTemp("", "pilotfish-claude-") // 0700
	if err != nil {
		return nil, fmt.Errorf("making a folder for claude's tools: %w", err)
	}
	f := &files{dir}
	if err := f.write(cfg.Tools); err != nil {
		f.remove()
		return nil, err
	}
	return f, nil
}

// write writes the tools as claude reads them.
func (f *files) write(tools []driver.ToolServer) error {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	servers := map[string]server{}
	for _, tool := range tools {
		env := map[string]string{}
		for _, pair := range tool.Env {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		servers[tool.Name] = server{tool.Command, append([]string{}, tool.Args...), env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err == nil {
		err = os.WriteFile(f.tools(), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing claude's tools: %w", err)
	}
	return nil
}

func (f *files) tools() string { return filepath.Join(f.dir, "mcp.json") }

func (f *files) remove() {
	if f.dir != "" {
		_ = os.RemoveAll(f.dir) // what cannot be removed is in the system's temporary folder
	}
}

// args are the arguments of a session.
func (s *session) args(cfg driver.SessionConfig) []string {
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages",
		// It says when it takes a message up: before that there is nothing to interrupt.
		"--replay-user-messages",
		"--permission-prompt-tool", "stdio",
		// It asks with a form of its own; what it has to ask it can ask in words.
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
		args = append(args, "--mcp-config", s.files.tools())
	}
	return append(args, s.agent.launch.Args...)
}

// newID is a UUID, version 4.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails; see its documentation
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
