package syntax

import (
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

// registry returns the commands of the browser. The backend's registry declares
// them; they are added or changed only there.
func registry() []Spec {
	declared := catalogue.Specs()
	specs := make([]Spec, len(declared))
	for i, d := range declared {
		specs[i] = declaredSpec(d)
	}
	return specs
}

func declaredSpec(d command.Spec) Spec {
	s := Spec{Name: d.Name, Aliases: d.Aliases, Summary: d.Summary, Help: d.About(), Group: GroupBrowser}
	for _, a := range d.Args {
		s.Args = append(s.Args, declaredArg(a))
	}
	if d.Name == "record" { // it stays in this program: the address is a credential
		s.Args = append(s.Args, Arg{Name: "out", Flag: true, Help: "for stop and save: an https:// address that gets the video by PUT, or the routine when no video is recorded"})
		s.Examples = append(s.Examples, "pilotfish record stop login --out 'https://store.example/login.webm?signature=…'")
	}
	for _, example := range d.Examples {
		s.Examples = append(s.Examples, "pilotfish "+example)
	}
	return s
}

func declaredArg(a command.Arg) Arg {
	converted := Arg{Name: a.Name, Help: a.Help, Required: a.Required, Flag: a.Flag, Choices: a.Choices}
	switch a.Type {
	case command.Integer:
		converted.Kind = KindInt
	case command.Boolean:
		converted.Kind = KindBool
	case command.Lines:
		converted.Rest, converted.Lines = !a.Flag, true
	case command.Path:
		converted.Kind = KindPath
	case command.Paths:
		converted.Kind, converted.Rest, converted.Lines = KindPaths, !a.Flag, true
	case command.String, command.TabArg, command.ClipArg:
		// The backend parses tabs and clips itself.
	}
	if a.Default != "" {
		converted.Help += " (" + a.Default + " when it is left out)"
	}
	return converted
}
