package main

import (
	"context"

	"pilotfish/app/cli/client"
	"pilotfish/app/cli/say"
	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// command runs a command of the browser.
func (p *program) command(ctx context.Context, in syntax.Invocation) error {
	if err := p.secretValue(&in); err != nil {
		return err
	}
	to, err := recordingTo(&in)
	if err != nil {
		return err
	}
	args, err := in.Payload()
	if err != nil {
		return err
	}
	c, err := client.FindOrStart(ctx, p.getenv)
	if err != nil {
		return err
	}
	timely, cancel := client.Deadline(ctx, client.Patience(in.Timeout))
	defer cancel()
	reply, err := c.Command(timely, protocol.CommandRequest{
		Command: in.Spec.Name, Args: args, Tab: in.Tab, Session: in.Session, TimeoutMS: int(in.Timeout.Milliseconds()),
	}, func(q protocol.Waiting) { say.Waiting(p.stderr, q) })
	if err != nil {
		return err
	}
	to.deliverRecording(ctx, &reply)
	if !reply.OK {
		reply.Error = say.Failed(reply)
		if len(reply.Data) > 0 && !in.JSON { // data of what was done before it failed
			if err := p.print(reply.Text); err != nil {
				return err
			}
		}
		return &replyError{reply}
	}
	if in.JSON {
		return p.printJSON(reply)
	}
	return p.print(reply.Text)
}

// replyError is the error of a command together with the complete reply, for
// programs.
type replyError struct{ reply protocol.CommandReply }

// Error returns what went wrong and what to do.
func (e *replyError) Error() string { return e.reply.Error.Error() }

// Unwrap returns the *protocol.Error.
func (e *replyError) Unwrap() error { return e.reply.Error }
