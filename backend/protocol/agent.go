package protocol

import "runtime"

// AgentStatus is what an agent is doing.
type AgentStatus string

// The states of an agent.
const (
	AgentStarting AgentStatus = "starting"
	AgentIdle     AgentStatus = "idle"    // it waits for the user's next message
	AgentWorking  AgentStatus = "working" // a turn runs
	AgentNeedsYou AgentStatus = "needs_you"
	AgentEnded    AgentStatus = "ended"
	AgentMissing  AgentStatus = "missing"
)

// AgentKind names an entry of the catalogue of agents: "claude", "shell",
// "codex", …; "custom" is the user's own command line.
type AgentKind string

// The kinds that the code refers to; the catalogue has more.
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
	// Install is the command that installs the agent; empty when there is none.
	Install string `json:"install,omitempty"`
	// URL is a page of its makers about the agent.
	URL string `json:"url,omitempty"`
	// Chat is the driver with which Chat can use the agent ("acp", "claude" or
	// "model"); empty when it cannot. ChatInstall is then the command that makes
	// it possible, if there is one.
	Chat        string `json:"chat,omitempty"`
	ChatInstall string `json:"chatInstall,omitempty"`
	// SignedIn says whether a sign-in of the agent was found on this machine;
	// empty when the agent does not tell. SignIn says how a user signs in.
	SignedIn SignInState `json:"signedIn,omitempty"`
	SignIn   string      `json:"signIn,omitempty"`
	// Problem says why an installed agent cannot be used.
	Problem string `json:"problem,omitempty"`
	// Detail is shown beside the name: for a model, its provider and the
	// provider's name for it.
	Detail string `json:"detail,omitempty"`
}

// SignInState says whether a sign-in was found. A sign-in that was found may
// have ended: only the agent itself can tell.
type SignInState string

// The states of a sign-in; SignInUnknown is for agents that keep it where we do
// not look.
const (
	SignInUnknown SignInState = ""
	SignInFound   SignInState = "found"
	SignInNone    SignInState = "none"
)

// AgentsFile is agents.json, and the reply of GET /agents.
type AgentsFile struct {
	Version int         `json:"version"`
	Agents  []AgentInfo `json:"agents"`
	// Default is the agent that AgentAuto means on this machine.
	Default AgentKind `json:"default"`
	// Models are the model profiles, each of which is an agent in Chat. They are
	// not in the file.
	Models []AgentInfo `json:"models,omitempty"`
}

// AgentStatusRequest is the body of POST /agent-status: an agent's hook reports
// the agent's status. The terminal is the one of the token.
type AgentStatusRequest struct {
	Status AgentStatus `json:"status"`
	// Message is shown to the user with "needs you".
	Message string `json:"message,omitempty"`
}

// Confinement says whether agents run confined: without sight of Pilotfish's own
// folders and processes (backend/confine). It has three states: closed, closed without
// the desktop (Desktop is set), and open.
type Confinement struct {
	// On is the setting. Agents are confined when it is true and Problem is nil.
	On bool `json:"on"`
	// Problem says why programs cannot be confined on this machine, and its hint
	// what to do about that.
	Problem *Error `json:"problem,omitempty"`
	// Desktop says why programs that are confined can still reach the desktop, such as
	// its X server and message bus, and its hint what to do about that.
	Desktop *Error `json:"desktop,omitempty"`
}

// Closed says that an agent reaches neither Pilotfish nor the desktop.
func (c Confinement) Closed() bool { return c.On && c.Problem == nil && c.Desktop == nil }

// AllowsByBus says whether a question of an actor may be allowed in the tray's menu and in a
// notification. On Linux both are reached over the session's message bus, where an agent
// that is not kept from it, or a program connected by MCP, could press for the user.
func (c Confinement) AllowsByBus(actor Actor) bool {
	return runtime.GOOS != "linux" || c.Closed() && actor.Kind != ActorMCP
}

// The environment of an agent process.
const (
	EnvURL     = "PILOTFISH_URL"     // http://127.0.0.1:PORT
	EnvToken   = "PILOTFISH_TOKEN"   // the agent's own token; scopes "read" and "act"
	EnvSession = "PILOTFISH_SESSION" // the session's name
	EnvTab     = "PILOTFISH_TAB"     // the tab beside the agent
	EnvState   = "PILOTFISH_STATE"   // the folder with tabs.json and active-tab.json
	// EnvTTY is the terminal of the user's own shell in the panel: only the user
	// reads what goes there. Agents have none.
	EnvTTY      = "PILOTFISH_TTY"
	EnvConfined = "PILOTFISH_CONFINED"   // "1": the process runs confined (backend/confine)
	EnvMark     = "PILOTFISH_PROC"       // marks every descendant, so that none is left behind
	EnvHome     = "PILOTFISH_HOME"       // replaces every user folder; for tests and portable installations
	EnvSandbox  = "PILOTFISH_NO_SANDBOX" // "1": as root, run Chromium without its sandbox
	EnvNotify   = "PILOTFISH_NOTIFY_URL" // replaces Settings.NotifyURL; agents do not get it
)
