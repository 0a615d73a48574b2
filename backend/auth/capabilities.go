package auth

import "slices"

// Capability is a capability: one thing that a token may allow. The server names one
// for each route that needs a token.
type Capability string

// The capabilities.
const (
	CapabilityPanel       Capability = "panel"        // the panel's socket
	CapabilityTerminal    Capability = "terminal"     // create an attach token, restart and close terminals
	CapabilityAttach      Capability = "attach"       // the upgrade of a terminal's socket
	CapabilityCommand     Capability = "command"      // run commands on the browser
	CapabilityTabs        Capability = "tabs"         // list the tabs
	CapabilityAgents      Capability = "agents"       // list the agents
	CapabilityProbe       Capability = "probe"        // search for agents again
	CapabilityAgentStatus Capability = "agent_status" // an agent reports its status
	CapabilityApp         Capability = "app"          // control the app itself
	CapabilityMCP         Capability = "mcp"          // run commands on the browser by MCP
	CapabilityActivity    Capability = "activity"     // read the activity of a session
	CapabilityFile        Capability = "file"         // fetch a screenshot or download
	CapabilityChat        Capability = "chat"         // conversations
	CapabilityTask        Capability = "task"         // start a task, read it, stop it
	CapabilityTaskRun     Capability = "task_run"     // for the panel that runs a task: write its journal, run its commands, manage it
	CapabilityModels      Capability = "models"       // model profiles, their keys, prompts
	CapabilityShare       Capability = "share"        // speak the DevTools protocol with shared tabs
	CapabilityShareMCP    Capability = "share_mcp"    // run commands at an address of MCP
	CapabilityControl     Capability = "control"      // the control page: what the window does, and live views
)

// Capabilities returns all capabilities, for tests and documents.
func Capabilities() []Capability {
	return []Capability{
		CapabilityPanel, CapabilityTerminal, CapabilityAttach, CapabilityCommand, CapabilityTabs,
		CapabilityAgents, CapabilityProbe, CapabilityAgentStatus, CapabilityApp, CapabilityMCP, CapabilityActivity, CapabilityFile,
		CapabilityChat, CapabilityTask, CapabilityTaskRun, CapabilityModels, CapabilityShare, CapabilityShareMCP, CapabilityControl,
	}
}

// Opens is the table of kinds and capabilities: it reports whether tokens of a
// kind have a capability. Everything that the table does not name is denied.
func (k Kind) Opens(capability Capability) bool {
	switch capability {
	case CapabilityPanel, CapabilityTerminal, CapabilityTaskRun, CapabilityModels:
		return k == KindPanel
	case CapabilityAttach:
		return k == KindAttach
	case CapabilityTabs, CapabilityMCP:
		return slices.Contains([]Kind{KindAgent, KindCLI}, k)
	case CapabilityCommand, CapabilityAgents, CapabilityActivity, CapabilityTask, CapabilityFile:
		return slices.Contains([]Kind{KindPanel, KindAgent, KindCLI}, k)
	case CapabilityProbe, CapabilityChat:
		return slices.Contains([]Kind{KindPanel, KindCLI}, k)
	case CapabilityAgentStatus:
		return k == KindAgent
	case CapabilityApp:
		return k == KindCLI
	case CapabilityShare:
		return k == KindShare
	case CapabilityShareMCP:
		return k == KindShareMCP
	case CapabilityControl:
		return k == KindControl
	default:
		return false
	}
}
