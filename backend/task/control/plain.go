package control

import (
	"context"
	"fmt"

	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// plainHelp is the answer to a request for help.
const plainHelp = "These are plain instructions, such as “go to example.com”, “click Save”, “type hello into Search” or “scroll down”; several are joined by “then”."

// plainPlan parses plain instructions; unknown says why they cannot be carried
// out, for the user.
func (t *Tasks) plainPlan(text string) (plan grammar.Plan, unknown string) {
	t.mu.Lock()
	if t.grammar == nil {
		t.grammar = grammar.New(nil)
	}
	grammar := t.grammar
	t.mu.Unlock()
	plan, not := grammar.Parse(text)
	switch {
	case not != nil:
		return plan, builtin.Why(not)
	case plan.Helps():
		return plan, plainHelp
	}
	return plan, ""
}

// Plain parses plain instructions and makes a dry run of one of them on a
// task's tab. It looks at the page on behalf of the task, and changes nothing:
// the task acts, as it does for a model.
func (t *Tasks) Plain(ctx context.Context, req protocol.TaskPlainRequest) (protocol.TaskPlainReply, error) {
	plan, unknown := t.plainPlan(req.Text)
	if unknown != "" {
		return protocol.TaskPlainReply{Steps: []string{}, Unknown: unknown}, nil
	}
	reply := protocol.TaskPlainReply{Steps: builtin.Intents(plan)}
	if req.Task == "" {
		return reply, nil
	}
	if req.Step < 0 || req.Step >= len(plan.Steps) {
		return reply, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there are %d instructions, and this is none of them: %d", len(plan.Steps), req.Step), "")
	}
	tried := make([]builtin.Tried, len(req.Tried))
	for i, one := range req.Tried {
		tried[i] = one.Error
	}
	looks := builtin.Commander(func(ctx context.Context, command protocol.CommandRequest) protocol.CommandReply {
		return t.command(ctx, protocol.TaskCommandRequest{Task: req.Task, Viewer: req.Viewer, Command: command})
	})
	dryRun := builtin.NewEngine(looks, req.Tab).DryRun(ctx, plan.Steps[req.Step], tried, req.Chosen)
	if err := ctx.Err(); err != nil {
		return reply, fmt.Errorf("looking at the page for an instruction: %w", err)
	}
	reply.Commands, reply.Said, reply.Error, reply.Choices = dryRun.Commands, dryRun.Said, dryRun.Error, dryRun.Choices
	return reply, nil
}
