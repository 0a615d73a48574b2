package main

import (
	"context"
	"os"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/confine"
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

// seal becomes a program of an agent that is confined; see confine.Seal.
func (p *program) seal(_ context.Context, in syntax.Invocation) error {
	return confine.Seal(in.Program[0], in.Program[1:])
}
