// Package agent knows the agents that can run in a terminal: which ones exist,
// which are installed, how to install the others, and with which environment
// and arguments each is started. It never reads an agent's screen: the status
// of an agent comes from the agent's own hooks (see claude.go).
package agent

import (
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Entry is one agent of the catalogue.
type Entry struct {
	Kind protocol.AgentKind
	Name string
	// Program is its name on the PATH; empty for the shell and for a custom
	// agent.
	Program string
	// Install is the command with which its makers install it.
	Install string
	// URL is its makers' page about it.
	URL string
	// Folders are where its installer puts it, besides the usual folders; "~"
	// is the home folder.
	Folders []string
	// Chat has the ways to run it in Chat, the best one first; empty for an
	// agent that works only in a terminal.
	Chat []ChatWay
	// SignIn says how a user signs in, for an agent that offers no way itself.
	SignIn string
	// SignedIn has the files that the agent writes when a user signs in, "~" is
	// the home folder, and Keys the variables that it takes a key from. Both are
	// looked for, and never read. An agent without either does not say whether
	// it is signed in.
	SignedIn, Keys []string
	// Moves is the variable with which a user moves the folder Moved, which files of
	// SignedIn begin with; empty for an agent without one.
	Moves, Moved string
	// NotThis is a text in the version output of another program with the same
	// name.
	NotThis string
}

// Catalogue returns the agents that Pilotfish knows, in the order in which the
// user sees them: those that are tested with Pilotfish first, then those of the
// ACP registry. The install commands are from the makers' own pages.
func Catalogue() []Entry {
	return slices.Concat(tested(), registered(), []Entry{
		{Kind: protocol.AgentShell, Name: "Shell"},
		{Kind: protocol.AgentCustom, Name: "Command of your own"},
	})
}

// tested returns the agents that are tested with Pilotfish.
func tested() []Entry {
	return []Entry{
		{
			Kind: protocol.AgentClaude, Name: "Claude Code", Program: "claude",
			Install: "curl -fsSL https://claude.ai/install.sh | bash",
			URL:     "https://code.claude.com/docs", Folders: []string{"~/.claude/local"},
			Chat:     []ChatWay{{Driver: DriverACP, Program: "claude-agent-acp", Install: "npm install -g @agentclientprotocol/claude-agent-acp@latest"}, {Driver: DriverClaude, Program: "claude"}},
			SignIn:   "start claude in a terminal and type /login",
			SignedIn: []string{"~/.claude/.credentials.json"}, Keys: []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"},
			Moves: "CLAUDE_CONFIG_DIR", Moved: "~/.claude",
		},
		{
			Kind: "codex", Name: "Codex", Program: "codex",
			Install: "npm install -g @openai/codex@latest", URL: "https://github.com/openai/codex",
			Chat:     []ChatWay{{Driver: DriverACP, Program: "codex-acp", Install: "npm install -g @agentclientprotocol/codex-acp@latest"}},
			SignIn:   "run `codex login` in a terminal",
			SignedIn: []string{"~/.codex/auth.json"}, Keys: []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
			Moves: "CODEX_HOME", Moved: "~/.codex",
		},
		{
			Kind: "gemini", Name: "Gemini CLI", Program: "gemini",
			Install: "npm install -g @google/gemini-cli@latest", URL: "https://github.com/google-gemini/gemini-cli",
			Chat:     []ChatWay{{Driver: DriverACP, Program: "gemini", Args: []string{"--acp"}, Since: "0.33", Before: []string{"--experimental-acp"}}},
			SignIn:   "start gemini in a terminal and choose how to sign in, or put GEMINI_API_KEY=your-key into the file ~/.gemini/.env",
			SignedIn: []string{"~/.gemini/oauth_creds.json", "~/.gemini/.env"}, Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			Moves: "GEMINI_CLI_HOME", Moved: "~",
		},
		{
			Kind: "opencode", Name: "OpenCode", Program: "opencode",
			Install: "curl -fsSL https://opencode.ai/install | bash", URL: "https://opencode.ai/docs",
			Folders: []string{"~/.opencode/bin"},
			Chat:    []ChatWay{{Driver: DriverACP, Program: "opencode", Args: []string{"acp"}}},
			SignIn:  "run `opencode auth login` in a terminal",
		},
		{
			Kind: "goose", Name: "Goose", Program: "goose",
			Install: "curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash",
			URL:     "https://block.github.io/goose",
			// A tool for database migrations has the same name.
			NotThis:  "goose version:",
			Chat:     []ChatWay{{Driver: DriverACP, Program: "goose", Args: []string{"acp"}}},
			SignIn:   "run `goose configure` in a terminal",
			SignedIn: []string{"~/.config/goose/config.yaml"}, Keys: []string{"GOOSE_PROVIDER"},
			Moves: "XDG_CONFIG_HOME", Moved: "~/.config",
		},
		{
			Kind: "copilot", Name: "GitHub Copilot CLI", Program: "copilot",
			Install: "npm install -g @github/copilot@latest", URL: "https://github.com/github/copilot-cli",
			Chat:   []ChatWay{{Driver: DriverACP, Program: "copilot", Args: []string{"--acp"}}},
			SignIn: "start copilot in a terminal and type /login",
		},
		{
			Kind: "qwen", Name: "Qwen Code", Program: "qwen",
			Install: "npm install -g @qwen-code/qwen-code@latest", URL: "https://github.com/QwenLM/qwen-code",
			Chat:     []ChatWay{{Driver: DriverACP, Program: "qwen", Args: []string{"--acp"}, Since: "0.6", Before: []string{"--experimental-acp"}}},
			SignIn:   "start qwen in a terminal and type /auth, or put OPENAI_API_KEY=your-key into the file ~/.qwen/.env",
			SignedIn: []string{"~/.qwen/oauth_creds.json", "~/.qwen/.env"}, Keys: []string{"OPENAI_API_KEY"},
		},
		{
			Kind: "kimi", Name: "Kimi Code", Program: "kimi",
			Install: "npm install -g @moonshot-ai/kimi-code@latest", URL: "https://github.com/MoonshotAI/kimi-code",
			Chat:   []ChatWay{{Driver: DriverACP, Program: "kimi", Args: []string{"acp"}}},
			SignIn: "run `kimi login` in a terminal",
		},
		{
			Kind: "aider", Name: "Aider", Program: "aider",
			Install: "python3 -m pip install aider-install && aider-install", URL: "https://aider.chat",
		},
	}
}

// entry returns an agent of the catalogue.
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
