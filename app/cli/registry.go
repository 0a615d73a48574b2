package main

import (
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

// registry are the commands of the browser: the backend's registry describes
// them, and only there is one added or changed.
func registry() []spec {
	declared := catalogue.Specs()
	specs := make([]spec, len(declared))
	for i, d := range declared {
		specs[i] = declaredSpec(d)
	}
	return specs
}

func declaredSpec(d command.Spec) spec {
	s := spec{name: d.Name, aliases: d.Aliases, summary: d.Summary, help: d.Help, group: groupBrowser}
	for _, a := range d.Args {
		s.args = append(s.args, declaredArg(a))
	}
	for _, example := range d.Examples {
		s.examples = append(s.examples, "pilotfish "+example)
	}
	return s
}

func declaredArg(a command.Arg) arg {
	converted := arg{name: a.Name, help: a.Help, required: a.Required, flag: a.Flag, choices: a.Choices}
	switch a.Type {
	case command.Integer:
		converted.kind = kindInt
	case command.Boolean:
		converted.kind = kindBool
	case command.Lines:
		converted.rest, converted.lines = !a.Flag, true
	case command.Path:
		converted.kind = kindPath
	case command.Paths:
		converted.kind, converted.rest, converted.lines = kindPaths, !a.Flag, true
	case command.String, command.TabArg, command.ClipArg:
		// The backend reads tabs and clips as they are written.
	}
	if a.Default != "" {
		converted.help += " (" + a.Default + " when it is left out)"
	}
	return converted
}
