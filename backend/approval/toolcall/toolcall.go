// Package toolcall asks the user whether the agent of a terminal may use one of its own
// tools. The agent shows its own prompt in the terminal at the same time; whoever
// answers first decides. The question goes through the session's broker, so that panel,
// window, tray and notification can answer it.
package toolcall

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

// Terminals is the part of the session's terminals that is needed to ask.
type Terminals interface {
	Get(id protocol.TerminalID) (protocol.TerminalInfo, error)
	SetStatus(id protocol.TerminalID, status protocol.AgentStatus, message string) error
}

// Desk holds the questions of the terminals' agents. Its zero value is ready. It is safe
// for concurrent use.
type Desk struct {
	mu      sync.Mutex
	waiting map[protocol.TerminalID][]*asked
}

// asked is one question that waits.
type asked struct{ end context.CancelCauseFunc }

// Ask asks the user and waits. Without an answer, for whatever reason, the decision is
// ToolUndecided: nothing is ever allowed that the user did not allow. Its error is only
// about a request that cannot be shown.
func (d *Desk) Ask(ctx context.Context, broker *policy.Broker, terminals Terminals, actor protocol.Actor, req protocol.ToolPermissionRequest) (protocol.ToolPermissionReply, error) {
	undecided := protocol.ToolPermissionReply{Decision: protocol.ToolUndecided}
	question, err := approval(actor, req)
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
	defer d.wait(id, &asked{end})()
	d.Changed(terminals, id) // it may have been answered before it waited
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
func (d *Desk) wait(id protocol.TerminalID, q *asked) (over func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = map[protocol.TerminalID][]*asked{}
	}
	d.waiting[id] = append(d.waiting[id], q)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.waiting[id] = slices.DeleteFunc(d.waiting[id], func(other *asked) bool { return other == q }); len(d.waiting[id]) == 0 {
			delete(d.waiting, id)
		}
	}
}

// Changed ends the questions of a terminal whose agent does not need the user any more:
// its own prompt was answered in the terminal. Call it after each change of a terminal.
func (d *Desk) Changed(terminals Terminals, id protocol.TerminalID) {
	d.mu.Lock()
	waiting := slices.Clone(d.waiting[id])
	d.mu.Unlock()
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

// approval returns the question as the broker needs it. The text in it is the agent's.
func approval(actor protocol.Actor, req protocol.ToolPermissionRequest) (protocol.Approval, error) {
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
