package main

import (
	"context"
	"os"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/proc"
)

// adopt runs a program of an agent that is not confined; see proc.Adopt.
func (p *program) adopt(_ context.Context, in syntax.Invocation) error {
	code, err := proc.Adopt(in.Program[0], in.Program[1:])
	if err != nil {
		return err
	}
	os.Exit(code)
	return nil
}
