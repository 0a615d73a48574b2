package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// errAnswered ends a question because the user answered the agent's own prompt.
var errAnswered = errors.New("answered in the terminal")

// ToolCalls ask the user whether the agent of a terminal may use one of its own
// tools. The agent shows its own prompt in the terminal at the same time; whoever
// answers first decides. The question goes through the session's broker, so that panel,
// window, tray and notification can answer it. The zero value is ready. It is safe for
// concurrent use.
type ToolCalls struct {
	mu      sync.Mutex
	waiting map[protocol.TerminalID][]*toolQuestion
}

// toolQuestion is one question that waits.
type toolQuestion struct{ end context.CancelCauseFunc }

// Ask asks the user and waits. Without an answer, for whatever reason, the decision is
// ToolUndecided: nothing is ever allowed that the user did not allow. Its error is only
// about a request that cannot be shown.
func (c *ToolCalls) Ask(ctx context.Context, broker *policy.Broker, terminals Terminals, actor protocol.Actor, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
	undecided := protocol.ToolPermissionReply{Decision: protocol.ToolUndecided}
	question, err := toolApproval(actor, req)
	if err != nil {
		return undecided, err
	}
	id := protocol.TerminalID(actor.ID)
	// The status first: a change away from it means that the user has answered there.
	if err := terminals.SetStatus(id, protocol.AgentNeedsYou, "Needs your approval: use "+question.Command); err != nil {
		return undecided, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer c.wait(id, &toolQuestion{end})()
	c.Changed(terminals, id) // it may have been answered before it waited
	switch answer, err := broker.Ask(ctx, question); {
	case err != nil:
		return undecided, nil
	case answer == protocol.AnswerOnce:
		return protocol.ToolPermissionReply{Decision: protocol.ToolAllowed}, nil
	case answer == protocol.AnswerDeny:
		return protocol.ToolPermissionReply{Decision: protocol.ToolDenied}, nil
	}
	return undecided, nil // an answer that was not offered
}

// wait adds a question of a terminal, and returns what removes it.
func (c *ToolCalls) wait(id protocol.TerminalID, q *toolQuestion) (over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[protocol.TerminalID][]*toolQuestion{}
	}
	c.waiting[id] = append(c.waiting[id], q)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting[id] = slices.DeleteFunc(c.waiting[id], func(other *toolQuestion) bool { return other == q }); len(c.waiting[id]) == 0 {
			delete(c.waiting, id)
		}
	}
}

// Changed ends the questions of a terminal whose agent does not need the user any more:
// its own prompt was answered in the terminal. Call it after each change of a terminal.
func (c *ToolCalls) Changed(terminals Terminals, id protocol.TerminalID) {
	c.mu.Lock()
	waiting := slices.Clone(c.waiting[id])
	c.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	// The newest state counts, not the one of the event: events are about the past.
	if info, err := terminals.Get(id); err == nil && info.Status == protocol.AgentNeedsYou {
		return
	}
	for _, q := range waiting {
		q.end(errAnswered)
	}
}

// toolApproval returns the question as the broker needs it. The text in it is the agent's.
func toolApproval(actor protocol.Actor, req protocol.ToolPermissionRequest) (protocol.Approval, error) {
	name := cut(strings.Join(strings.Fields(req.Tool), " "), protocol.MaxToolName)
	if name == "" {
		return protocol.Approval{}, protocol.NewError(protocol.CodeBadArgument, "the tool has no name", "")
	}
	a := protocol.Approval{Actor: actor, Tab: actor.Tab, Command: name, Kind: protocol.ActionTool}
	if len(req.Input) == 0 {
		return a, nil
	}
	var input map[string]json.RawMessage
	if json.Unmarshal(req.Input, &input) != nil {
		return protocol.Approval{}, protocol.NewError(protocol.CodeBadArgument, "the tool's arguments are no JSON object", "")
	}
	names := make([]string, 0, len(input))
	for arg := range input {
		names = append(names, arg)
	}
	slices.Sort(names)
	for i, arg := range names {
		if i == protocol.MaxToolArgs {
			// The user must not allow what the card leaves out.
			return protocol.Approval{}, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("a tool with %d arguments cannot be shown", len(names)), "answer in the terminal")
		}
		text := string(input[arg])
		if json.Unmarshal(input[arg], &text) != nil {
			text = string(input[arg])
		}
		if len([]rune(text)) > protocol.MaxToolArg {
			return protocol.Approval{}, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the argument %.40q is too long to be shown", arg), "answer in the terminal")
		}
		a.Args = append(a.Args, protocol.ApprovalArg{Name: cut(arg, protocol.MaxToolName), Value: text})
	}
	return a, nil
}

// cut returns the first characters of a text.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
