package command

import (
	"context"
	"slices"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing says what a command is about to do to an element that could set off
// something; ok is false for what cannot.
func (in *invocation) doing(ctx context.Context, name string) (do policy.Doing, target string, ok bool) {
	target = in.args.text("target")
	switch name {
	case "click", "dblclick":
		do.Click = in.args.text("button") != "right"
	case "tap":
		do.Click = true
	case "mouse":
		do.Click = in.args.text("action") != "move" && in.args.text("button") != "right"
		if target == "" && do.Click {
			target = in.browser.Pointer(protocol.WithCaller(ctx, in.caller()), in.tab)
		}
	case "press", "keydown":
		do.Enter = sends(in.args.text("key"))
	case "keyup": // of Space presses a button, too; without a key all go up
		do.Enter = in.args.text("key") == "" || sends(in.args.text("key"))
	case "type", "fill":
		do.Text = in.args.text("value") != ""
		do.Enter = name == "type" && strings.Contains(in.args.text("value"), "\n")
	}
	return do, target, do.Click || do.Enter || do.Text
}

// sends says whether one of these keys presses what has the focus.
func sends(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(chord string) bool {
		switch strings.ToLower(chord[strings.LastIndexByte(chord, '+')+1:]) {
		case "enter", "numpadenter", "return", "space":
			return true
		}
		return false
	})
}

// weigh asks the user about what an action would cause, where the rules say so.
// They are shown what would be hit, and what a form would send.
func (in *invocation) weigh(ctx context.Context, c *command, page string, args []protocol.ApprovalArg) error {
	do, target, ok := in.doing(ctx, c.Name)
	if !ok || !in.policy.Judges(in.actor, page) {
		return nil
	}
	do.Known = in.policy.Known(in.actor, page)
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
	err = in.policy.Authorize(ctx, policy.Request{
		Actor: in.actor, Kind: kind, Tab: in.tab, Page: page, Command: c.Name, Args: args, Target: &facts,
	})
	if err == nil && kind == protocol.ActionData {
		in.policy.Learn(in.actor, page) // not for each field
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
func (in *invocation) aimed(ctx context.Context, c *command) *protocol.TargetFacts {
	target := in.args.text("target")
	if target == "" || c.tab != ownTab {
		return nil
	}
	facts, err := in.facts(ctx, target)
	if err != nil {
		return nil
	}
	return &facts
}
