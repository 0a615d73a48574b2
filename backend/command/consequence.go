package command

import (
	"context"
	"slices"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing returns what a call is about to do to an element that could have a
// consequence; the zero value for a command that cannot.
func (in *Invocation) doing(c *Command) (do policy.Doing, target string) {
	if c.Doing == nil {
		return do, ""
	}
	return c.Doing(in)
}

// weigh asks the user about the consequence of an action, where the rules say
// so. The user sees the target, and what a form would send.
func (in *Invocation) weigh(ctx context.Context, c *Command, page string, args []protocol.ApprovalArg) error {
	do, target := in.doing(c)
	if do.Gives {
		return mayGive(ctx, in, c, page, args)
	}
	if !do.Click && !do.Enter && !do.Text || !in.registry.policy.Judges(in.Actor, page) {
		return nil
	}
	facts, err := in.facts(ctx, target, !do.Click)
	if err != nil {
		// An action that could not be judged is not done: a page may be slow on
		// purpose.
		return err
	}
	if facts.Frame != "" {
		page = facts.Frame // what is in a frame is its site's
		if err := in.registry.policy.Authorize(ctx, policy.Request{
			Actor: in.Actor, Kind: protocol.ActionAct, Tab: in.Tab, Page: page, Command: c.Name, Args: unsecret(args, facts), Target: &facts, Asking: in.call.Watch.Asking,
		}); err != nil {
			return err
		}
	}
	do.Known = !in.registry.policy.Gives(in.Actor, page)
	do.Elsewhere = facts.Form != nil && policy.Elsewhere(page, facts.Form.Action)
	kind := policy.Consequence(facts, do)
	if kind == protocol.ActionAct {
		return nil
	}
	return mayCause(ctx, in, policy.Request{
		Actor: in.Actor, Kind: kind, Tab: in.Tab, Page: page, Command: c.Name, Args: unsecret(args, facts), Target: &facts, Asking: in.call.Watch.Asking,
	})
}

// mayGive asks the user before data of the caller is given to the site of a page
// that the caller did not begin on.
func mayGive(ctx context.Context, in *Invocation, c *Command, page string, args []protocol.ApprovalArg) error {
	if !in.registry.policy.Gives(in.Actor, page) {
		return nil
	}
	return mayCause(ctx, in, policy.Request{
		Actor: in.Actor, Kind: protocol.ActionData, Tab: in.Tab, Page: page, Command: c.Name, Args: args, Asking: in.call.Watch.Asking,
	})
}

// mayCause asks the user about a consequence.
func mayCause(ctx context.Context, in *Invocation, q policy.Request) error {
	err := in.registry.policy.Authorize(ctx, q)
	switch {
	case err != nil:
	case q.Kind == protocol.ActionData:
		in.registry.policy.Learn(in.Actor, q.Page) // so that the user is not asked again for each field
	case q.Kind == protocol.ActionDownload:
		in.saving.grant()
	}
	return err
}

// hidden replaces a secret in an approval.
const hidden = "•••"

// unsecret masks the value that is typed into a password field.
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

// aimed returns the element that a command would act on, so that the approval
// can name it. It is nil when there is none, or when it cannot be found; the
// command then does not act on it either.
func (in *Invocation) aimed(ctx context.Context, c *Command) *protocol.TargetFacts {
	target := in.Args.Text("target")
	if target == "" || c.Tab != OwnTab {
		return nil
	}
	facts, err := in.facts(ctx, target, c.Kind != protocol.ActionDownload)
	if err != nil {
		return nil
	}
	return &facts
}
