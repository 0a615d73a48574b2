package command

import (
	"context"
	"slices"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing says what a call is about to do to an element that could set off
// something; nothing for a command that cannot.
func (in *Invocation) doing(ctx context.Context, c *Command) (do policy.Doing, target string) {
	if c.Doing == nil {
		return do, ""
	}
	return c.Doing(ctx, in)
}

// weigh asks the user about what an action would cause, where the rules say so.
// They are shown what would be hit, and what a form would send.
func (in *Invocation) weigh(ctx context.Context, c *Command, page string, args []protocol.ApprovalArg) error {
	do, target := in.doing(ctx, c)
	if !do.Click && !do.Enter && !do.Text || !in.registry.policy.Judges(in.Actor, page) {
		return nil
	}
	do.Known = in.registry.policy.Known(in.Actor, page)
	facts, err := in.facts(ctx, target)
	if err != nil {
		// Nothing is done that could not be judged: a page may be slow on purpose.
		return err
	}
	kind := policy.Consequence(facts, do)
	if kind == protocol.ActionAct {
		return nil
	}
	args = unsecret(args, facts)
	err = in.registry.policy.Authorize(ctx, policy.Request{
		Actor: in.Actor, Kind: kind, Tab: in.Tab, Page: page, Command: c.Name, Args: args, Target: &facts, Asking: in.call.Watch.Asking,
	})
	if err == nil && kind == protocol.ActionData {
		in.registry.policy.Learn(in.Actor, page) // not for each field
	}
	return err
}

// hidden stands for a secret in an approval.
const hidden = "•••"

// unsecret masks what is typed into a field for a password.
func unsecret(args []protocol.ApprovalArg, facts protocol.TargetFacts) []protocol.ApprovalArg {
	if facts.Type != "password" {
		return args
	}
	args = slices.Clone(args)
	for i := range args {
		if args[i].Name == "value" {
			args[i].Value = hidden
		}
	}
	return args
}

// aimed is the element that a command would act on, for a question to name; nil
// when there is none, or when it cannot be found: then nothing is done to it either.
func (in *Invocation) aimed(ctx context.Context, c *Command) *protocol.TargetFacts {
	target := in.Args.Text("target")
	if target == "" || c.Tab != OwnTab {
		return nil
	}
	facts, err := in.facts(ctx, target)
	if err != nil {
		return nil
	}
	return &facts
}
