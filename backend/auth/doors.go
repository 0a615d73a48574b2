package auth

import "slices"

// Door is one thing that a token may open. The server names one for each route
// that needs a token.
type Door string

// The doors.
const (
	DoorPanel       Door = "panel"        // the panel's socket
	DoorTerminal    Door = "terminal"     // mint an attach token, restart, close
	DoorAttach      Door = "attach"       // the upgrade of a terminal's socket
	DoorCommand     Door = "command"      // drive the browser
	DoorTabs        Door = "tabs"         // list the tabs
	DoorAgents      Door = "agents"       // which agents exist
	DoorProbe       Door = "probe"        // look again for agents
	DoorAgentStatus Door = "agent_status" // an agent says what it does
	DoorApp         Door = "app"          // the app itself
	DoorMCP         Door = "mcp"          // drive the browser by MCP
	DoorActivity    Door = "activity"     // what was done in a session
	DoorFile        Door = "file"         // fetch a screenshot or download
	DoorChat        Door = "chat"         // conversations
	DoorTask        Door = "task"         // ask for a task, read it, stop it
	DoorTaskRun     Door = "task_run"     // run a task: write it, act for it, manage it
	DoorModels      Door = "models"       // models: profiles, keys to be kept, prompts
)

// Doors are all doors, for tests and documents.
func Doors() []Door {
	return []Door{
		DoorPanel, DoorTerminal, DoorAttach, DoorCommand, DoorTabs,
		DoorAgents, DoorProbe, DoorAgentStatus, DoorApp, DoorMCP, DoorActivity, DoorFile,
		DoorChat, DoorTask, DoorTaskRun, DoorModels,
	}
}

// Opens is the table: whether tokens of a kind open a door. What it does not name
// is denied.
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
