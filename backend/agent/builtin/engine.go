// Package builtin is Pilot, the built-in agent that needs no account and no network.
// It carries out what the package grammar understands through the commands of the
// registry, and says what came of it from the commands' own reports. It is frozen with
// that grammar: no new rules.
//
// What a page says is matched against the user's words and shown as data.
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
// answers; what went wrong is in the reply.
type Commander interface {
	Command(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply
}

// CommanderFunc is a function that is a Commander.
type CommanderFunc func(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply

// Command calls the function.
func (f CommanderFunc) Command(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
	return f(ctx, req)
}

// Event is how far a step is. A step has one event when it begins, and one when
// it ends.
type Event struct {
	// Step counts from 0.
	Step int
	// Title is what is done or was done, in plain words: "Click Save", "Clicked
	// Save".
	Title  string
	Verb   grammar.Verb
	Status protocol.ToolStatus
	// Said are the person's words.
	Said string
	// Content is what the step brought, as text; the page's words are marked as
	// such.
	Content string
	// Text says in Markdown what came of it, once it ended. Words of a page stand in
	// it as data only: escaped, or inside a block of code or a quotation.
	Text string
	// Which is set where a person is asked which element they mean.
	Which *protocol.ChatWhich
	// Path is a file that was made.
	Path string
	// Picture: Path is a picture.
	Picture bool
}

// Outcome is what became of a plan.
type Outcome struct {
	// Status is ToolDone, ToolFailed or ToolCancelled.
	Status protocol.ToolStatus
	// Text says what was done, and what was not, as Markdown. Words of a page
	// stand in it as data only: escaped, or inside a block of code or a quotation.
	Text string
	// Brief says the same in words of ours and the person's only, for another agent
	// that is told of it: nothing of a page is in it.
	Brief string
	// Touched: something was done, or may have been, that changed a page or the
	// tabs. An agent that is asked in place of Pilot would do that again.
	Touched bool
	// Error is why it failed.
	Error *protocol.Error
	// Commands is how long the commands took in the backend; the rest of the time
	// is Pilot's own.
	Commands time.Duration
}

// Engine carries plans out.
type Engine struct {
	commander Commander
	// Tab is where a plan begins; empty for the commander's own.
	tab protocol.TabID
	// Chosen are the refs that a person chose where several elements were meant.
	Chosen []string
}

// NewEngine returns an engine that acts on a tab through a commander; without a
// tab, on the one that is the commander's own.
func NewEngine(c Commander, tab protocol.TabID) *Engine { return &Engine{commander: c, tab: tab} }

// running is one plan under way.
type running struct {
	*Engine
	tab     protocol.TabID
	touched bool
	spent   time.Duration
	// prose: what a page says is wanted as Markdown for a person.
	prose bool
	// chosen are those of Engine.Chosen that were not used yet.
	chosen []string
}

// done is what a step brought.
type done struct {
	// line says what was done, in plain words and on one line.
	line string
	// marked is the line as Markdown, where it is more than its words.
	marked string
	// more are further sentences, Markdown.
	more []string
	// data are words of the page, as plain text; shown is the same as Markdown.
	data  string
	shown *string
	// left is how much of data was left out, in words.
	left    string
	path    string
	picture bool
}

// Run carries out a plan, step by step, and stops at the first that fails. tell
// is called in order, from this goroutine. Ending ctx cancels what is under way.
func (e *Engine) Run(ctx context.Context, plan grammar.Plan, tell func(Event)) Outcome {
	r := &running{Engine: e, tab: e.tab, prose: true, chosen: slices.Clone(e.Chosen)}
	out := Outcome{Status: protocol.ToolDone}
	var brief, texts []string
	for i := range plan.Steps {
		step := &plan.Steps[i]
		listed := ""
		event := Event{Step: i, Verb: step.Verb, Said: step.Said, Title: intent(*step), Status: protocol.ToolRunning}
		tell(event)
		result, err := r.do(ctx, *step)
		switch {
		case err == nil:
			event.Status, event.Title, event.Path, event.Picture = protocol.ToolDone, result.line, result.path, result.picture
			event.Content, event.Text = result.data, result.prose()
		case ctx.Err() != nil:
			event.Status = protocol.ToolCancelled
			out.Status = protocol.ToolCancelled
			event.Text = markdown.Paragraphs(stoppedText(*step), skipped(plan.Steps[i+1:]))
		default:
			event.Status = protocol.ToolFailed
			out.Status = protocol.ToolFailed
			out.Error = plainError(err)
			event.Content = out.Error.Message
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

// problem is a failure with more to say than a protocol.Error has room for.
type problem struct {
	cause *protocol.Error
	// found are the elements of the page that may have been meant.
	found []match.Thing
	ask   string
}

// Error is the error's message.
func (p *problem) Error() string { return p.cause.Error() }

// Unwrap gives the error itself.
func (p *problem) Unwrap() error { return p.cause }

// args are a command's arguments.
type args map[string]any

// command runs one command on the plan's tab and reads its data into out, which
// may be nil.
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
	reply := r.commander.Command(ctx, req)
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

// changes says whether a command may change a page or the tabs.
func changes(name string) bool {
	switch name {
	case "snapshot", "forms", "links", "tables", "media", "frame", "find", "text", "markdown", "url", "title", "tabs", "wait", "screenshot", "pdf", "console", "downloads":
		return false
	}
	return true
}

// plainError is an error without the envelope in which agents get a page's words.
func plainError(err error) *protocol.Error {
	e := protocol.AsError(err)
	if p, ok := errors.AsType[*problem](err); ok {
		e = p.cause
	}
	return e.Saying(markdown.Unwrapped(e.Message))
}
