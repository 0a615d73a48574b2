package catalogue

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// doing returns a function that says what a call of an action is about to do to
// an element, and to which element; nil for a kind of action that has no
// consequence.
func (c *commands) doing(kind protocol.ActKind) func(*command.Invocation) (policy.Doing, string) {
	about := func(judge func(args command.Values) policy.Doing) func(*command.Invocation) (policy.Doing, string) {
		return func(in *command.Invocation) (policy.Doing, string) {
			return judge(in.Args), in.Args.Text("target")
		}
	}
	switch kind {
	case protocol.ActClick:
		return about(func(args command.Values) policy.Doing { return policy.Doing{Click: args.Text("button") != "right"} })
	case protocol.ActTap:
		return about(func(command.Values) policy.Doing { return policy.Doing{Click: true} })
	case protocol.ActMouse:
		return c.doingMouse
	case protocol.ActPress, protocol.ActKeyDown:
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Enter: keysActivate(args.Text("key")), Text: keysWrite(args.Text("key"))}
		})
	case protocol.ActKeyUp: // releasing Space presses a button too; without a key, all keys are released
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Enter: args.Text("key") == "" || keysActivate(args.Text("key"))}
		})
	case protocol.ActFill:
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Text: args.Text("value")+args.Text("secret") != ""}
		})
	case protocol.ActType:
		return about(func(args command.Values) policy.Doing {
			return policy.Doing{Text: args.Text("value")+args.Text("secret") != "", Enter: strings.Contains(args.Text("value"), "\n")}
		})
	}
	return nil
}

// doingMouse is doing for the command mouse. The button acts at the current position
// of the mouse, unless the call names a target.
func (c *commands) doingMouse(in *command.Invocation) (do policy.Doing, target string) {
	target = in.Args.Text("target")
	do.Click = in.Args.Text("action") != "move" && in.Args.Text("button") != "right"
	if target == "" && do.Click {
		target = c.Browser.Pointer(protocol.Caller{Name: in.Caller()}, in.Tab)
	}
	return do, target
}

// keysWrite reports whether one of these keys writes a character.
func keysWrite(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(chord string) bool {
		return utf8.RuneCountInString(strings.TrimPrefix(strings.ToLower(chord), "shift+")) == 1
	})
}

// keysActivate reports whether one of these keys activates the focused element.
func keysActivate(keys string) bool {
	return slices.ContainsFunc(strings.Fields(keys), func(chord string) bool {
		switch strings.ToLower(chord[strings.LastIndexByte(chord, '+')+1:]) {
		case "enter", "numpadenter", "return", "space":
			return true
		}
		return false
	})
}
