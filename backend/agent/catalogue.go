// Package agent knows the agents that can run in a terminal: which there are,
// which of them are installed, how to get the others, and with what environment
// and arguments each starts. It never reads an agent's screen: what an agent is
// doing comes from the agent's own hooks (see claude.go).
package agent

import (
	"strings"

	"pilotfish/backend/protocol"
)

// Entry is one agent of the catalogue.
type Entry struct {
	Kind protocol.AgentKind
	Name string
	// Program is what it is called on the PATH; empty for the shell and for a
	// command line of the person's own.
	Program string
	// Install is the command that its makers give for installing it.
	Install string
	// URL is where its makers describe it.
	URL string
	// Folders are where its own installer puts it, beside the usual ones; "~"
	// is the home folder.
	Folders []string
	// NotThis is in the version text of another program of the same name.
	NotThis string
}

// Catalogue lists the agents that Pilotfish knows, in the order in which a
// person is shown them. The install commands are those of the makers' own
// pages.
func Catalogue() []Entry {
	return []Entry{
		{
			Kind: protocol.AgentClaude, Name: "Claude Code", Program: "claude",
			Install: "curl -fsSL https://claude.ai/install.sh | bash",
			URL:     "https://code.claude.com/docs", Folders: []string{"~/.claude/local"},
		},
		{
			Kind: "codex", Name: "Codex", Program: "codex",
			Install: "npm install -g @openai/codex@latest", URL: "https://github.com/openai/codex",
		},
		{
			Kind: "gemini", Name: "Gemini CLI", Program: "gemini",
			Install: "npm install -g @google/gemini-cli@latest", URL: "https://github.com/google-gemini/gemini-cli",
		},
		{
			Kind: "opencode", Name: "OpenCode", Program: "opencode",
			Install: "curl -fsSL https://opencode.ai/install | bash", URL: "https://opencode.ai/docs",
			Folders: []string{"~/.opencode/bin"},
		},
		{
			Kind: "goose", Name: "Goose", Program: "goose",
			Install: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash",
			URL:     "https://block.github.io/goose",
			// A tool for database migrations has the same name.
			NotThis: "goose version:",
		},
		{
			Kind: "copilot", Name: "GitHub Copilot CLI", Program: "copilot",
			Install: "npm install -g @github/copilot@latest", URL: "https://github.com/github/copilot-cli",
		},
		{
			Kind: "qwen", Name: "Qwen Code", Program: "qwen",
			Install: "npm install -g @qwen-code/qwen-code@latest", URL: "https://github.com/QwenLM/qwen-code",
		},
		{
			Kind: "kimi", Name: "Kimi CLI", Program: "kimi",
			Install: "uv tool install --python 3.13 kimi-cli", URL: "https://github.com/MoonshotAI/kimi-cli",
		},
		{
			Kind: "aider", Name: "Aider", Program: "aider",
			Install: "python3 -m pip install aider-install && aider-install", URL: "https://aider.chat",
		},
		{Kind: protocol.AgentShell, Name: "Shell"},
		{Kind: protocol.AgentCustom, Name: "Command of your own"},
	}
}

// entry finds an agent of the catalogue.
func entry(kind protocol.AgentKind) (Entry, error) {
	known := make([]string, 0, 16)
	for _, e := range Catalogue() {
		if e.Kind == kind {
			return e, nil
		}
		known = append(known, string(e.Kind))
	}
	return Entry{}, protocol.NewError(protocol.CodeBadArgument,
		"no agent is called \""+string(kind)+"\"", "known are "+strings.Join(known, ", ")+" and "+string(protocol.AgentAuto))
}
