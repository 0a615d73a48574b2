package protocol

import "encoding/json"

// ToolPermissionRequest is the body of POST /agent-permission: the agent of a terminal
// asks whether it may use one of its own tools. The terminal is the one of the token.
type ToolPermissionRequest struct {
	// Tool is the tool's name in the agent's words ("Bash").
	Tool string `json:"tool"`
	// Input are the tool's arguments, a JSON object.
	Input json.RawMessage `json:"input,omitempty"`
}

// ToolDecision is the user's answer to a ToolPermissionRequest.
type ToolDecision string

// The decisions. ToolUndecided means that nobody answered here, so that the agent's
// own prompt decides; it never stands for a permission.
const (
	ToolAllowed   ToolDecision = "allow"
	ToolDenied    ToolDecision = "deny"
	ToolUndecided ToolDecision = "undecided"
)

// ToolPermissionReply is the reply of POST /agent-permission.
type ToolPermissionReply struct {
	Decision ToolDecision `json:"decision"`
}

// The limits of a question about a tool, so that a card stays readable and one agent
// cannot fill the memory of every client.
const (
	// MaxToolName is how many characters of a tool's name are shown.
	MaxToolName = 120
	// MaxToolArgs is how many arguments of a tool are shown, MaxToolArg how many
	// characters of each.
	MaxToolArgs = 24
	MaxToolArg  = 8000
)
