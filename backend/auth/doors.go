package auth

import "slices"

// Door is a capability: one thing that a token may allow. The server names one
// for each route that needs a token.
type Door string

// The capabilities.
const (
	DoorPanel       Door = "panel"        // the panel's socket
	DoorTerminal    Door = "terminal"     // create an attach token, restart and close terminals
	DoorAttach      Door = "attach"       // the upgrade of a terminal's socket
	DoorCommand     Door = "command"      // run commands on the browser
	DoorTabs        Door = "tabs"         // list the tabs
	DoorAgents      Door = "agents"       // list the agents
	DoorProbe       Door = "probe"        // search for agents again
	DoorAgentStatus Door = "agent_status" // an agent reports its status
	DoorApp         Door = "app"          // control the app itself
	DoorMCP         Door = "mcp"          // run commands on the browser by MCP
	DoorActivity    Door = "activity"     // read the activity of a session
	DoorFile        Door = "file"         // fetch a screenshot or download
	DoorChat        Door = "chat"         // conversations
	DoorTask        Door = "task"         // start a task, read it, stop it
	DoorTaskRun     Door = "task_run"     // for the panel that runs a task: write its journal, run its commands, manage it
	DoorModels      Door = "models"       // model profiles, their keys, prompts
)

// Doors returns all capabilities, for tests and documents.
func Doors() []Door {
	return []Door{
		DoorPanel, DoorTerminal, DoorAttach, DoorCommand, DoorTabs,
		DoorAgents, DoorProbe, DoorAgentStatus, DoorApp, DoorMCP, DoorActivity, DoorFile,
		DoorChat, DoorTask, DoorTaskRun, DoorModels,
	}
}

// Opens is the table of kinds and capabilities: it reports whether tokens of a
// kind have a capability. Everything that the table does not name is denied.
func (k Kind) Opens(door Door) bool {
	switch door {
	case DoorPanel, DoorTerminal, DoorTaskRun, DoorModels:
		return k == KindPanel
	case DoorAttach:
		return k == KindAttach
	case DoorCommand, DoorTabs, DoorMCP:
		return slices.Contains([]Kind{KindAgent, KindCLI}, k)
	case DoorAgents, DoorActivity, DoorTask, DoorFile:
		return slices.Contains([]Kind{KindPanel, KindAgent, KindCLI}, k)
	case DoorProbe, DoorChat:
		return slices.Contains([]Kind{KindPanel, KindCLI}, k)
	case DoorAgentStatus:
		return k == KindAgent
	case DoorApp:
		return k == KindCLI
	default:
		return false
	}
}
