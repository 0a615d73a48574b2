package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// hookInputWait is how long a hook waits for the JSON on its input.
const hookInputWait = 250 * time.Millisecond

// hookInput is the part of claude's hook input that we need.
type hookInput struct {
	Event            string `json:"hook_event_name"`
	Message          string `json:"message"`
	NotificationType string `json:"notification_type"`
}

// agentStatus reports to the app what the agent of this terminal is doing. As a
// hook it must never disturb the agent: claude takes exit code 2 as an order to
// stop, and gives what a hook prints to the model.
func (p *program) agentStatus(ctx context.Context, in syntax.Invocation) error {
	request := protocol.AgentStatusRequest{Status: protocol.AgentStatus(in.Values["status"]), Message: in.Values["message"]}
	if in.Values["hook"] != "true" {
		if p.getenv(protocol.EnvToken) == "" {
			return protocol.NewError(protocol.CodeBadArgument, "this is not an agent's terminal", "run it in a terminal of Pilotfish's side panel")
		}
		return p.tellStatus(ctx, request)
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.HookTimeout)
	defer cancel()
	var said hookInput
	if text := readHook(p.stdin); text != nil && json.Unmarshal(text, &said) == nil {
		var tell bool
		if request, tell = interpret(request, said); !tell {
			return nil
		}
	}
	if p.getenv(protocol.EnvToken) != "" {
		_ = p.tellStatus(ctx, request) // the agent cannot fix it, and the app's log has it
	}
	return nil
}

func (p *program) tellStatus(ctx context.Context, request protocol.AgentStatusRequest) error {
	c, err := client.Find(p.getenv)
	if err != nil {
		return err
	}
	ctx, cancel := client.Deadline(ctx, 0)
	defer cancel()
	var reply struct{}
	return c.Post(ctx, "/agent-status", request, &reply)
}

// interpret derives the status from a hook's input. Claude's notifications have
// several types, and not all of them need the user.
func interpret(request protocol.AgentStatusRequest, said hookInput) (protocol.AgentStatusRequest, bool) {
	if said.Event != "Notification" {
		return request, true
	}
	switch said.NotificationType {
	case "idle_prompt":
		// Claude has waited for a minute. It is idle and asks nothing.
		request.Status = protocol.AgentIdle
	case "auth_success":
		return request, false
	default:
		if request.Message == "" {
			request.Message = said.Message
		}
	}
	return request, true
}

// readHook reads the complete JSON of the input, but does not wait long for it: a
// user may have called the hook from a terminal, or a script with an input that
// stays open.
func readHook(in *os.File) []byte {
	info, err := in.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	done := make(chan []byte, 1)
	go func() { // the goroutine ends with the process, a moment later
		var text json.RawMessage
		if err := json.NewDecoder(io.LimitReader(in, protocol.MaxBody)).Decode(&text); err != nil {
			text = nil
		}
		done <- text
	}()
	select {
	case text := <-done:
		return text
	case <-time.After(hookInputWait):
		return nil
	}
}
