package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Note is what a call does besides its own reply: it begins to run other
// commands (Phase is begun), or it has run one of them, with its reply.
type Note struct {
	Phase   protocol.ActivityPhase
	Began   time.Time
	Request protocol.CommandRequest
	Reply   protocol.CommandReply
}

// Begun records that the call begins to run other commands.
func (in *Invocation) Begun(count int) {
	if in.call.Watch.Note != nil {
		in.call.Watch.Note(Note{
			Phase: protocol.ActivityBegun, Began: time.Now(), Request: in.call.Request,
			Reply: protocol.CommandReply{OK: true, Tab: in.Tab, Text: "runs " + spelling.Plural(count, "command")},
		})
	}
}

// Step runs one of several commands as the caller, and records it.
func (in *Invocation) Step(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
	return in.step(ctx, req, req, nil)
}

// step is Step. shown is the request to record, without the values of a
// routine's parameters; hide removes those values from the recorded reply.
func (in *Invocation) step(ctx context.Context, req, shown protocol.CommandRequest, hide func(string) string) protocol.CommandReply {
	began := time.Now()
	one := in.call
	one.Request, one.within = req, in.By()
	reply := in.registry.Execute(ctx, one)
	if in.call.Watch.Note != nil {
		noted := reply
		if hide != nil {
			noted.Text = hide(noted.Text)
			if noted.Error != nil {
				noted.Error = protocol.NewError(noted.Error.Code, hide(noted.Error.Message), "")
			}
		}
		shown.Tab = req.Tab
		in.call.Watch.Note(Note{Began: began, Request: shown, Reply: noted})
	}
	return reply
}

// Read parses a command line, and reports whether its command runs others.
func (in *Invocation) Read(line string) (req protocol.CommandRequest, nests bool, err error) {
	return in.read(line, func(word string) string { return word })
}

func (in *Invocation) read(line string, fill func(word string) string) (req protocol.CommandRequest, nests bool, err error) {
	table := in.registry.table
	if req, err = parseFilled(line, fill, table.Find); err != nil {
		return req, false, err
	}
	c, err := table.command(req.Command)
	return req, err == nil && c.Nests, err
}

// parse parses the lines of a call that runs several commands. It does so
// before any of them runs, so that an error in one stops all.
func (in *Invocation) parse(lines []string, fill func(word string) string) ([]protocol.CommandRequest, error) {
	if len(lines) > protocol.MaxBatch {
		return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("at most %d commands at once, not %d", protocol.MaxBatch, len(lines)), "send them in several calls")
	}
	requests := make([]protocol.CommandRequest, len(lines))
	for i, l := range lines {
		request, nests, err := in.read(l, fill)
		if err == nil && nests {
			err = BadArgument(request.Command+" cannot stand inside of another", "name its commands one by one")
		}
		if err != nil {
			e := protocol.AsError(err)
			return nil, e.Saying(fmt.Sprintf("command %d: %s", i+1, e.Message))
		}
		requests[i] = request
	}
	return requests, nil
}

// Batch holds command lines that run in order.
type Batch struct {
	// Lines appear in the reply exactly as they are here.
	Lines []string
	// Fill replaces parameters in a word of a line by their values; nil when there
	// are none.
	Fill func(word string) string
	// KeepGoing continues after a command that failed.
	KeepGoing bool
	// Hide removes the values of parameters from what is recorded; nil when there
	// are none.
	Hide func(string) string
}

// stepReply is the reply of one of several commands.
type stepReply struct {
	Command string                `json:"command"`
	Reply   protocol.CommandReply `json:"reply"`
}

// RunBatch runs command lines in order.
func (in *Invocation) RunBatch(ctx context.Context, b Batch) (Result, error) {
	fill := b.Fill
	if fill == nil {
		fill = func(word string) string { return word }
	}
	requests, err := in.parse(b.Lines, fill)
	if err != nil {
		return Result{}, err
	}
	in.Begun(len(requests))
	replies := []stepReply{}
	var parts []string
	var failed error
	tab := in.call.Request.Tab
	for i, req := range requests {
		if ctx.Err() != nil {
			parts = append(parts, fmt.Sprintf("… %d more were not run: the time is over", len(requests)-i))
			if failed == nil {
				failed = protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("the time ran out after %s", spelling.Plural(i, "command")), "", protocol.MoreTime())
			}
			break
		}
		if req.Tab == "" && req.Args["tab"] == nil {
			req.Tab = tab
		}
		kept := req
		if b.Fill != nil {
			if kept, _, err = in.Read(b.Lines[i]); err != nil {
				kept = protocol.CommandRequest{Command: req.Command}
			}
		}
		reply := in.step(ctx, req, kept, b.Hide)
		replies = append(replies, stepReply{b.Lines[i], reply})
		mark := ""
		if !reply.OK {
			mark = "failed: "
		}
		parts = append(parts, fmt.Sprintf("%d. %s\n%s%s", i+1, foreign.Line(b.Lines[i], 200), mark, reply.Text))
		if reply.OK {
			if c := in.registry.table.byName[req.Command]; c.OpensTab && reply.Tab != "" {
				tab = reply.Tab // the next commands act on the tab that this one opened
			}
			continue
		}
		if failed == nil {
			failed = reply.Error.Saying(fmt.Sprintf("command %d of %d failed: %s", i+1, len(requests), reply.Error.Message))
		}
		if !b.KeepGoing {
			if more := len(requests) - i - 1; more > 0 {
				parts = append(parts, fmt.Sprintf("… %d more were not run (--keep-going runs them)", more))
			}
			break
		}
	}
	return Result{Text: strings.Join(parts, "\n"), Data: replies, Failed: failed}, nil
}
