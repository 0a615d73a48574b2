package action

import (
	"context"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing says what a call of an action is about to do to an element that could set
// off something, and to which; nil for a kind that cannot.
func (c commands) doing(kind protocol.ActKind) func(context.Context, *command.Invocation) (policy.Doing, string) {
	about := func(judge func(args command.Values) policy.Doing) func(context.Context, *command.Invocation) (policy.Doing, string) {
		return func(_ context.Context, in *command.Invocation) (policy.Doing, string) {
			return judge(in.Args), in.Args.Text("target")
		}
	}
	switch kind {
	case protocol.ActClick:
		return about(func(args command.Values) policy.Doing { return policy.Doing{Click: args.Text("button") != "right"} })
	case protocol.ActTap:
		return about(func(command.Values) policy.Doing { return policy.Doing{Click: true} })
	case protocol.ActMouse:
		return c.mouse
	case protocol.ActPress, protocol.ActKeyDown:
		return about(func(args command.Values) policy.Doing { return policy.Doing{Enter: sends(args.Text("key"))} })
	case protocol.ActKeyUp: // of Space presses a button, too; without a key all go up
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Enter: args.Text("key") == "" || sends(args.Text("key"))}
		})
	case protocol.ActFill:
		return about(func(args command.Values) policy.Doing { return policy.Doing{Text: args.Text("value") != ""} })
	case protocol.ActType:
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Text: args.Text("value") != "", Enter: strings.Contains(args.Text("value"), "\n")}
		})
	}
	return nil
}

// mouse is doing for a mouse, whose button goes down or up where it is unless a
// target is named.
func (c commands) mouse(ctx context.Context, in *command.Invocation) (do policy.Doing, target string) {
	target = in.Args.Text("target")
	do.Click = in.Args.Text("action") != "move" && in.Args.Text("button") != "right"
	if target == "" && do.Click {
		target = c.browser.Pointer(protocol.WithCaller(ctx, in.Caller()), in.Tab)
	}
	return do, target
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
