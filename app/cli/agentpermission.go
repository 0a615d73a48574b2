package main

import (
	"context"
	"encoding/json"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// permissionInput is the part of the input of claude's hook PermissionRequest that we
// need.
type permissionInput struct {
	Event string          `json:"hook_event_name"`
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// permissionOutput is what that hook prints to decide.
type permissionOutput struct {
	Specific struct {
		Event    string `json:"hookEventName"`
		Decision struct {
			Behavior string `json:"behavior"`
			Message  string `json:"message,omitempty"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

// agentPermission is claude's hook PermissionRequest: it asks the user in the app, and
// prints the answer. It prints nothing and succeeds when there is no answer, whatever
// the reason, because then claude's own prompt in the terminal decides; it never allows
// anything by itself.
func (p *program) agentPermission(ctx context.Context, _ syntax.Invocation) error {
	text := readHook(p.stdin)
	var asked permissionInput
	if text == nil || json.Unmarshal(text, &asked) != nil || asked.Event != "PermissionRequest" || p.getenv(protocol.EnvToken) == "" {
		return nil
	}
	c, err := client.Find(p.getenv)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.ApprovalTimeout+protocol.CLIMargin)
	defer cancel()
	var reply protocol.ToolPermissionReply
	if c.Post(ctx, "/agent-permission", protocol.ToolPermissionRequest{Tool: asked.Tool, Input: asked.Input}, &reply) != nil {
		return nil // likewise; the app's log has the reason
	}
	var out permissionOutput
	out.Specific.Event = asked.Event
	switch reply.Decision {
	case protocol.ToolAllowed:
		out.Specific.Decision.Behavior = "allow"
	case protocol.ToolDenied:
		out.Specific.Decision.Behavior = "deny"
		out.Specific.Decision.Message = "The user denied this in Pilotfish."
	case protocol.ToolUndecided:
		return nil
	default:
		return nil
	}
	return say.Object(p.stdout, out)
}
