package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing says what a command is about to do to an element that could set off
// something; ok is false for what cannot.
func (in *invocation) doing(name string) (do policy.Doing, target string, ok bool) {
	target = in.args.text("target")
	switch name {
	case "click", "dblclick":
		do.Click = in.args.text("button") != "right"
	case "press":
		do.Enter = slices.ContainsFunc(strings.Fields(in.args.text("key")), func(chord string) bool {
			switch strings.ToLower(chord[strings.LastIndexByte(chord, '+')+1:]) {
			case "enter", "numpadenter", "return", "space":
				return true
			}
			return false
		})
	case "type", "fill":
		do.Text = in.args.text("value") != ""
		do.Enter = name == "type" && strings.Contains(in.args.text("value"), "\n")
	}
	return do, target, do.Click || do.Enter || do.Text
}

// weigh asks the person about what an action would set off, where the rules say
// so. They are shown what would be hit, and what a form would send.
func (in *invocation) weigh(ctx context.Context, c *command, page string, args []protocol.ApprovalArg) error {
	do, target, ok := in.doing(c.Name)
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
	if facts.Type == "password" {
		args = slices.Clone(args)
		for i := range args {
			if args[i].Name == "value" {
				args[i].Value = "•••"
			}
		}
	}
	err = in.policy.Authorize(ctx, policy.Request{
		Actor: in.actor, Kind: kind, Tab: in.tab, Page: page, Command: c.Name, Args: append(args, shownFacts(facts)...),
	})
	if err == nil && kind == protocol.ActionData {
		in.policy.Learn(in.actor, page) // not for each field
	}
	return err
}

// shownFacts are what a person is shown of an element beside the arguments.
func shownFacts(f protocol.TargetFacts) []protocol.ApprovalArg {
	shown := []protocol.ApprovalArg{{Name: "what it hits", Value: f.Line}}
	if f.Href != "" {
		shown = append(shown, protocol.ApprovalArg{Name: "which leads to", Value: f.Href})
	}
	if f.Form == nil {
		return shown
	}
	if f.Submits && f.Form.Action != "" {
		shown = append(shown, protocol.ApprovalArg{Name: "the form goes to", Value: f.Form.Action})
	}
	var lines []string
	for _, field := range f.Form.Fields {
		lines = append(lines, fmt.Sprintf("%s: %s", field.Name, field.Value))
	}
	if len(lines) > 0 {
		shown = append(shown, protocol.ApprovalArg{Name: "with", Value: strings.Join(lines, "\n")})
	}
	return shown
}
