// Package builtin is Pilot, the built-in agent that needs no account and no
// network. It carries out what the package grammar understands, by the commands
// of the registry, and reports the outcome from the commands' own reports. It
// is frozen with that grammar: no new rules.
//
// Texts of a page are only matched against the user's words, and shown as data.
package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// Commander runs one command of the registry for the conversation. It always
// returns a reply; an error is in the reply.
type Commander func(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply

// Event reports the progress of a step. Each step has one event when it begins,
// and one when it ends.
type Event struct {
	// Step counts from 0.
	Step int
	// Title describes what the step is doing or has done: "Click Save",
	// "Clicked Save".
	Title  string
	Status protocol.ToolStatus
	// Text describes the outcome in Markdown, once the step has ended. Texts of
	// a page are in it only as data: escaped, or inside a code block or a
	// quotation.
	Text string
	// Which is set if the user is asked which element is meant.
	Which *protocol.ChatWhich
	// Path is a file that the step created.
	Path string
	// Picture: the file Path is an image.
	Picture bool
}

// Outcome is the result of a plan.
type Outcome struct {
	// Status is ToolDone, ToolFailed or ToolCancelled.
	Status protocol.ToolStatus
	// Text describes what was done and what was not, as Markdown. Texts of a
	// page are in it only as data: escaped, or inside a code block or a
	// quotation.
	Text string
	// Brief describes the same for another agent, only in our words and the
	// user's: it has no text of a page.
	Brief string
	// Touched: a page or the tabs were changed, or may have been. If another
	// agent carried out the message instead of Pilot, it would repeat that.
	Touched bool
	// Error is why it failed.
	Error *protocol.Error
	// Commands is how long the commands took in the backend; the rest of the
	// time was Pilot's own.
	Commands time.Duration
}

// Engine carries out plans.
type Engine struct {
	commander Commander
	// tab is the tab in which a plan begins; empty for the commander's own.
	tab protocol.TabID
	// Chosen are the refs that the user chose where several elements matched.
	Chosen []string
}

// NewEngine returns an engine that acts on a tab through a commander. If tab is
// empty, it acts on the commander's own tab.
func NewEngine(c Commander, tab protocol.TabID) *Engine { return &Engine{commander: c, tab: tab} }

// running is a plan that is being carried out.
type running struct {
	*Engine
	tab     protocol.TabID
	touched bool
	spent   time.Duration
	// prose: texts of a page are wanted as Markdown, for a user.
	prose bool
	// chosen are the refs of Engine.Chosen that were not used yet.
	chosen []string
}

// done is the outcome of a step that succeeded.
type done struct {
	// line describes what was done, on one line.
	line string
	// marked is the line as Markdown, if it differs from the escaped line.
	marked string
	// more are further sentences, as Markdown.
	more []string
	// data is text of the page as plain text; shown is the same as Markdown.
	data  string
	shown *string
	// left describes how much of data was left out.
	left    string
	path    string
	picture bool
}

// Run carries out a plan, step by step, and stops at the first step that fails.
// It calls tell in order, in this goroutine. Cancelling ctx cancels the running
// step.
func (e *Engine) Run(ctx context.Context, plan grammar.Plan, tell func(Event)) Outcome {
	r := &running{Engine: e, tab: e.tab, prose: true, chosen: slices.Clone(e.Chosen)}
	out := Outcome{Status: protocol.ToolDone}
	var brief, texts []string
	for i := range plan.Steps {
		step := &plan.Steps[i]
		listed := ""
		event := Event{Step: i, Title: intent(*step), Status: protocol.ToolRunning}
		tell(event)
		result, err := r.do(ctx, *step)
		switch {
		case err == nil:
			event.Status, event.Title, event.Path, event.Picture = protocol.ToolDone, result.line, result.path, result.picture
			event.Text = result.prose()
		case ctx.Err() != nil:
			event.Status = protocol.ToolCancelled
			out.Status = protocol.ToolCancelled
			event.Text = markdown.Paragraphs(stoppedText(*step), skipped(plan.Steps[i+1:]))
		default:
			event.Status = protocol.ToolFailed
			out.Status = protocol.ToolFailed
			out.Error = plainError(err)
			var found []match.Thing
			event.Text, found = failure(*step, err)
			event.Text = markdown.Paragraphs(event.Text, skipped(plan.Steps[i+1:]))
			if len(found) > 0 {
				event.Which = r.which(plan.Steps[i:], found)
				listed = choices(found, step.Verb)
			}
		}
		tell(event)
		texts = append(texts, event.Text, listed)
		brief = append(brief, fmt.Sprintf("%s: %s", intent(*step), event.Status))
		if err != nil {
			break
		}
	}
	out.Brief = strings.Join(brief, "; ")
	out.Text, out.Touched, out.Commands = markdown.Paragraphs(texts...), r.touched, r.spent
	return out
}

// problem is an error with more information than a protocol.Error has.
type problem struct {
	cause *protocol.Error
	// found are the elements of the page that may have been meant.
	found []match.Thing
	ask   string
}

// Error returns the message of the cause.
func (p *problem) Error() string { return p.cause.Error() }

// Unwrap returns the cause.
func (p *problem) Unwrap() error { return p.cause }

type args map[string]any

// command runs one command on the plan's tab and decodes its data into out,
// which may be nil.
func (r *running) command(ctx context.Context, name string, a args, out any) (protocol.CommandReply, error) {
	if err := ctx.Err(); err != nil {
		return protocol.CommandReply{}, err
	}
	req := protocol.CommandRequest{Command: name, Tab: r.tab, Args: make(map[string]json.RawMessage, len(a))}
	for key, value := range a {
		raw, err := json.Marshal(value)
		if err != nil {
			return protocol.CommandReply{}, err
		}
		if key == "timeout" {
			if ms, ok := value.(int); ok {
				req.TimeoutMS = ms
			}
			continue
		}
		req.Args[key] = raw
	}
	if changes(name) {
		r.touched = true
	}
	reply := r.commander(ctx, req)
	r.spent += time.Duration(reply.DurationMS * float64(time.Millisecond))
	if reply.Error != nil {
		return reply, reply.Error
	}
	if !reply.OK {
		return reply, protocol.NewError(protocol.CodeInternal, name+" failed without saying why", "")
	}
	if out != nil {
		if err := json.Unmarshal(reply.Data, out); err != nil {
			return reply, protocol.NewError(protocol.CodeInternal, "the report of "+name+" cannot be read", "the app and this agent may be of different versions")
		}
	}
	return reply, nil
}

// changes reports whether a command may change a page or the tabs.
func changes(name string) bool {
	switch name {
	case "snapshot", "forms", "links", "tables", "media", "frame", "find", "text", "markdown", "url", "title", "tabs", "wait", "screenshot", "pdf", "console", "downloads":
		return false
	}
	return true
}

// plainError returns an error without the envelope that agents get around texts
// of a page.
func plainError(err error) *protocol.Error {
	e := protocol.AsError(err)
	if p, ok := errors.AsType[*problem](err); ok {
		e = p.cause
	}
	return e.Saying(markdown.Unwrapped(e.Message))
}
