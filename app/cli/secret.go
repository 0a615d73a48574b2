package main

import (
	"fmt"
	"io"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// secretValue reads the value of a secret that is added: from the terminal, without
// showing it, or from the input. An argument would be in the shell's history, and in
// the list of processes.
func (p *program) secretValue(in *syntax.Invocation) error {
	if in.Spec.Name != "secret" {
		return nil
	}
	if _, given := in.Values["value"]; given {
		return protocol.NewError(protocol.CodeBadArgument, "the value of a secret is never an argument, because others could see it", "leave --value out: you are asked for it, or give it on the standard input")
	}
	if in.Values["do"] != "add" || in.Values["from"] != "" || in.Values["name"] == "" || in.Values["origin"] == "" {
		return nil
	}
	value, asked, err := readHidden(p.stdin, func() { _ = say.Part(p.stderr, "Value of the secret "+in.Values["name"]+" (it is not shown): ") }) // a question that cannot be shown is not answered
	if asked {
		_ = say.Part(p.stderr, "\n") // it ends the line of the question
	}
	if err == nil && !asked {
		var raw []byte
		raw, err = io.ReadAll(io.LimitReader(p.stdin, 2*protocol.MaxSecretValue))
		value = string(raw)
	}
	if err != nil {
		return fmt.Errorf("reading the value: %w", err)
	}
	value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
	if value == "" {
		return protocol.NewError(protocol.CodeBadArgument, "no value was given", "type it when you are asked, or give it on the standard input")
	}
	in.Values["value"] = value
	return nil
}
