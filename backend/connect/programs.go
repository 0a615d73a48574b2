package connect

import (
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/connect/edit"
)

// Program is a program whose agents can use MCP servers.
type Program struct {
	// Name is what `pilotfish connect` calls it; Title its makers' name.
	Name, Title string
	// Binary is its command on the PATH.
	Binary string
	// files are its configuration files for MCP servers, below the folders of Homes;
	// the first one that exists is used, and the first one is made if none does.
	files []file
	place edit.Place
	// entry is the server in the program's own form.
	entry func(Server) any
	// read is the reverse of entry; ok is false for what is not a server of this form.
	read func(any) (s Server, ok bool)
	// own is the program's own command that adds the server, for a program that rewrites
	// its file at any moment and locks it while it does. Nil for the others: `qwen mcp
	// add` leaves a copy of all settings beside them, `gemini mcp add` notes the home
	// folder as a project, and takes up to 25 seconds.
	own func(Server) []string
	// skills is its folder of skills; nil for a program without.
	skills *file
}

// file is a file of a program: a path below one of the user's folders.
type file struct {
	below base
	path  string
	// variable is the environment variable with which a user moves the folder that path
	// begins with, and cut that folder; "" for a program that has no such variable.
	variable, cut string
}

// base is one of the folders in which programs keep their files.
type base int

const (
	home   base = iota // the home folder
	config             // where programs of this system keep their settings
)

// Homes are the user's folders.
type Homes struct {
	Home, Config string
	// Getenv returns a variable of the user's environment; nil has none.
	Getenv func(name string) string
}

// root returns the user's folder that the file is below, and its path from there.
func (f file) root(h Homes) (folder, path string) {
	if f.variable != "" && h.Getenv != nil {
		if folder := h.Getenv(f.variable); filepath.IsAbs(folder) {
			return filepath.Clean(folder), filepath.FromSlash(strings.TrimPrefix(f.path, f.cut))
		}
	}
	if f.below == config {
		return h.Config, filepath.FromSlash(f.path)
	}
	return h.Home, filepath.FromSlash(f.path)
}

func (f file) in(h Homes) string {
	root, path := f.root(h)
	return filepath.Join(root, path)
}

// prune removes the folders above the file that are empty, up to the user's own folder.
func (f file) prune(h Homes) {
	root, path := f.root(h)
	for path = filepath.Dir(path); path != "."; path = filepath.Dir(path) {
		if os.Remove(filepath.Join(root, path)) != nil {
			return // it is not empty, or not there
		}
	}
}

// Server is how a program starts the MCP server.
type Server struct {
	Command string
	Args    []string
}

// Programs returns the programs that can be connected, in the order of the help. Each
// file and form is from its makers' documentation. The tests of app/agents start the real
// claude, codex, gemini, opencode and qwen, which list our server themselves.
func Programs() []Program {
	mcpServers := func(path ...string) edit.Place {
		return edit.Place{Format: edit.JSON, Path: path, Name: serverName}
	}
	return []Program{
		{
			Name: "claude", Title: "Claude Code", Binary: "claude",
			files: []file{{home, ".claude.json", "CLAUDE_CONFIG_DIR", ""}}, place: mcpServers("mcpServers"), entry: typed("stdio"), read: commandArgs,
			own: func(s Server) []string {
				return append([]string{"mcp", "add", "--scope", "user", serverName, "--", s.Command}, s.Args...)
			},
			skills: &file{home, ".claude/skills", "CLAUDE_CONFIG_DIR", ".claude/"},
		},
		{
			Name: "codex", Title: "Codex", Binary: "codex",
			files: []file{{home, ".codex/config.toml", "CODEX_HOME", ".codex/"}},
			place: edit.Place{Format: edit.TOML, Path: []string{"mcp_servers"}, Name: serverName}, entry: plain, read: commandArgs,
			own: func(s Server) []string {
				return append([]string{"mcp", "add", serverName, "--", s.Command}, s.Args...)
			},
			skills: &file{home, ".codex/skills", "CODEX_HOME", ".codex/"},
		},
		{
			Name: "cursor", Title: "Cursor", Binary: "cursor",
			files: []file{{below: home, path: ".cursor/mcp.json"}}, place: mcpServers("mcpServers"), entry: plain, read: commandArgs,
			skills: &file{below: home, path: ".cursor/skills"},
		},
		{
			Name: "vscode", Title: "Visual Studio Code", Binary: "code",
			files: []file{{below: config, path: "Code/User/mcp.json"}, {below: config, path: "VSCodium/User/mcp.json"}},
			place: mcpServers("servers"), entry: typed("stdio"), read: commandArgs,
		},
		{
			Name: "gemini", Title: "Gemini CLI", Binary: "gemini",
			files: []file{{home, ".gemini/settings.json", "GEMINI_CLI_HOME", ""}}, place: mcpServers("mcpServers"), entry: plain, read: commandArgs,
			skills: &file{home, ".gemini/skills", "GEMINI_CLI_HOME", ""},
		},
		{
			Name: "opencode", Title: "OpenCode", Binary: "opencode",
			files: []file{{home, ".config/opencode/opencode.json", "XDG_CONFIG_HOME", ".config/"}, {home, ".config/opencode/opencode.jsonc", "XDG_CONFIG_HOME", ".config/"}},
			place: mcpServers("mcp"), entry: inList, read: listed,
			skills: &file{home, ".config/opencode/skills", "XDG_CONFIG_HOME", ".config/"},
		},
		{
			Name: "zed", Title: "Zed", Binary: "zed",
			files: []file{{home, ".config/zed/settings.json", "XDG_CONFIG_HOME", ".config/"}}, place: mcpServers("context_servers"), entry: plain, read: commandArgs,
		},
		{
			Name: "windsurf", Title: "Windsurf", Binary: "windsurf",
			files: []file{{below: home, path: ".codeium/windsurf/mcp_config.json"}}, place: mcpServers("mcpServers"), entry: plain, read: commandArgs,
		},
		{
			Name: "goose", Title: "Goose", Binary: "goose",
			files: []file{{home, ".config/goose/config.yaml", "XDG_CONFIG_HOME", ".config/"}},
			place: edit.Place{Format: edit.YAML, Path: []string{"extensions"}, Name: serverName}, entry: extension, read: cmdArgs,
		},
		{
			Name: "copilot", Title: "GitHub Copilot CLI", Binary: "copilot",
			files: []file{{below: home, path: ".copilot/mcp-config.json"}}, place: mcpServers("mcpServers"), entry: local, read: commandArgs,
			skills: &file{below: home, path: ".copilot/skills"},
		},
		{
			Name: "qwen", Title: "Qwen Code", Binary: "qwen",
			files: []file{{below: home, path: ".qwen/settings.json"}}, place: mcpServers("mcpServers"), entry: plain, read: commandArgs,
			skills: &file{below: home, path: ".qwen/skills"},
		},
	}
}

// serverName is the name of our server in every program.
const serverName = "pilotfish"

// The forms of an entry.

func plain(s Server) any { return map[string]any{"command": s.Command, "args": s.Args} }

func typed(kind string) func(Server) any {
	return func(s Server) any { return map[string]any{"type": kind, "command": s.Command, "args": s.Args} }
}

func local(s Server) any {
	return map[string]any{"type": "local", "command": s.Command, "args": s.Args, "tools": []string{"*"}}
}

func inList(s Server) any {
	return map[string]any{"type": "local", "command": append([]string{s.Command}, s.Args...), "enabled": true}
}

// extension has the name and the time limit in seconds that Goose wants.
func extension(s Server) any {
	return map[string]any{"type": "stdio", "name": serverName, "cmd": s.Command, "args": s.Args, "enabled": true, "timeout": 300}
}

func commandArgs(value any) (Server, bool) { return serverOf(value, "command") }

func cmdArgs(value any) (Server, bool) { return serverOf(value, "cmd") }

func serverOf(value any, command string) (Server, bool) {
	table, _ := value.(map[string]any)
	program, ok := table[command].(string)
	args, listed := texts(table["args"])
	return Server{Command: program, Args: args}, ok && listed
}

func listed(value any) (Server, bool) {
	table, _ := value.(map[string]any)
	words, ok := texts(table["command"])
	if !ok || len(words) == 0 {
		return Server{}, false
	}
	return Server{Command: words[0], Args: words[1:]}, true
}

// texts returns a list of texts; a missing list is empty.
func texts(value any) ([]string, bool) {
	if value == nil {
		return nil, true
	}
	list, ok := value.([]any)
	out := make([]string, 0, len(list))
	for _, one := range list {
		text, is := one.(string)
		ok = ok && is
		out = append(out, text)
	}
	return out, ok
}
