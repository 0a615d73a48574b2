package protocol

// AgentStatus is what an agent is doing.
type AgentStatus string

// The states of an agent.
const (
	AgentStarting AgentStatus = "starting"
	AgentIdle     AgentStatus = "idle"    // it waits for the person's next word
	AgentWorking  AgentStatus = "working" // it runs
	AgentNeedsYou AgentStatus = "needs_you"
	AgentEnded    AgentStatus = "ended"
	AgentMissing  AgentStatus = "missing"
)

// AgentKind names an entry of the catalogue of agents: "claude", "shell",
// "codex", …; "custom" is a command line of the person's own.
type AgentKind string

// The kinds that the code itself speaks of; the catalogue has more.
const (
	AgentClaude AgentKind = "claude"
	AgentShell  AgentKind = "shell"
	AgentCustom AgentKind = "custom"
	// AgentAuto is claude when it is installed, else the shell.
	AgentAuto AgentKind = "auto"
)

// AgentInfo is one agent of the catalogue as the probe found it.
type AgentInfo struct {
	Kind      AgentKind `json:"kind"`
	Name      string    `json:"name"`
	Installed bool      `json:"installed"`
	Path      string    `json:"path,omitempty"`
	Version   string    `json:"version,omitempty"`
	// Install is the command that installs it; empty when there is none.
	Install string `json:"install,omitempty"`
	// URL is where its makers describe it.
	URL string `json:"url,omitempty"`
	// Chat is the driver by which it can be talked to in Chat ("acp", "claude" or
	// "model");
	// empty when it cannot. ChatInstall is then the command that makes it possible,
	// if there is one.
	Chat        string `json:"chat,omitempty"`
	ChatInstall string `json:"chatInstall,omitempty"`
	// Problem says why an installed agent cannot be used.
	Problem string `json:"problem,omitempty"`
	// Detail is what a user is told beside the name: of a model, its provider and
	// the provider's name of it.
	Detail string `json:"detail,omitempty"`
}

// AgentsFile is agents.json, and the reply of GET /agents.
type AgentsFile struct {
	Version int         `json:"version"`
	Agents  []AgentInfo `json:"agents"`
	// Default is what AgentAuto means on this machine.
	Default AgentKind `json:"default"`
	// Models are the model profiles, each an agent in Chat. They are not in the
	// file.
	Models []AgentInfo `json:"models,omitempty"`
}

// AgentStatusRequest is the body of POST /agent-status: an agent's hook says
// what its agent does. The terminal is that of the token.
type AgentStatusRequest struct {
	Status AgentStatus `json:"status"`
	// Message is what a person is shown with "needs you".
	Message string `json:"message,omitempty"`
}

// The environment of an agent process.
const (
	EnvURL     = "PILOTFISH_URL"     // http://127.0.0.1:PORT
	EnvToken   = "PILOTFISH_TOKEN"   // the agent's own token; scope "browse" only
	EnvSession = "PILOTFISH_SESSION" // the session's name
	EnvTab     = "PILOTFISH_TAB"     // the tab beside the agent
	EnvState   = "PILOTFISH_STATE"   // the folder with tabs.json and active-tab.json
	// EnvTTY is the terminal of the user\'s own shell in the panel: only the user
	// reads what goes there. Agents have none.
	EnvTTY     = "PILOTFISH_TTY"
	EnvMark    = "PILOTFISH_PROC"       // marks every descendant, so that none is left behind
	EnvHome    = "PILOTFISH_HOME"       // replaces every user folder; for tests and portable installations
	EnvSandbox = "PILOTFISH_NO_SANDBOX" // "1": as root, run Chromium without its sandbox
)
