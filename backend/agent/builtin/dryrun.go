package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// DryRun is the result of a dry run of a step: the commands that the step
// needs. It is for a task, whose own executor shows each action, asks about it
// and records it.
type DryRun struct {
	// Commands must be run in this order; empty if the step only looked at the
	// page.
	Commands []protocol.CommandRequest
	// Said is then what was seen, as plain text; it contains texts of the page.
	Said string
	// Error is why the step cannot be carried out, for the user.
	Error *protocol.Error
	// Choices are the elements of the page that may have been meant, if Error
	// is CodeAmbiguous or CodeNoElement.
	Choices []protocol.TaskPlainChoice
}

// Tried is the result of a command of a dry run: nil if it succeeded.
type Tried = *protocol.Error

// Intents describes what each step of the plan is going to do.
func Intents(p grammar.Plan) []string {
	said := make([]string, len(p.Steps))
	for i := range p.Steps {
		said[i] = intent(p.Steps[i])
	}
	return said
}

// DryRun makes a dry run of a step. Commands that only look at the page are run
// at once; commands that act or wait are returned instead. tried has the
// results of the commands that earlier calls returned for this step: after a
// failed command there may be another way. chosen are the refs that the user
// chose where several elements matched.
func (e *Engine) DryRun(ctx context.Context, s grammar.Step, tried []Tried, chosen []string) DryRun {
	dry := &dryCommander{reads: e.commander, tried: tried}
	r := &running{Engine: NewEngine(dry.Command, e.tab), tab: e.tab, chosen: slices.Clone(chosen)}
	var result done
	var err error
	if s.Verb == grammar.VerbFocus {
		s, err = r.byClick(ctx, s)
	}
	if err == nil {
		result, err = r.do(ctx, s)
	}
	switch {
	case len(dry.commands) > 0:
		return DryRun{Commands: dry.commands}
	case err != nil:
		return refusedDryRun(err)
	}
	return DryRun{Said: result.plain()}
}

// Applies reports whether the page has what a step names: an element, a tab, a field to
// search in, a dialog, or a text to find. A step that names nothing applies to every page.
func (e *Engine) Applies(ctx context.Context, s grammar.Step) bool {
	r := &running{Engine: e, tab: e.tab}
	var err error
	switch {
	case s.Verb == grammar.VerbWait: // for what is not there yet
	case s.Verb == grammar.VerbFind:
		var m protocol.Matches
		if _, err = r.command(ctx, "find", args{"what": s.Text}, &m); err == nil {
			return m.Total > 0
		}
	case s.Verb == grammar.VerbDialog:
		var log protocol.DialogLog
		if _, err = r.command(ctx, "dialogs", nil, &log); err == nil {
			return slices.ContainsFunc(log.Entries, func(d protocol.DialogEntry) bool { return d.Open })
		}
	case s.Verb == grammar.VerbScreenshot && !s.Target.Empty():
		_, err = r.resolve(ctx, s.Target, s.Verb)
	case !s.Target.Empty(), s.Verb == grammar.VerbSearchHere, s.Verb == grammar.VerbSelect, s.Verb == grammar.VerbTab:
		if dry := e.DryRun(ctx, s, nil, e.Chosen); dry.Error != nil {
			err = dry.Error
		}
	}
	if err == nil {
		return true
	}
	code := protocol.AsError(err).Code
	return code != protocol.CodeNoElement && code != protocol.CodeUnknownTab
}

// byClick focuses a field with a click, as a user does; a task has no other
// way.
func (r *running) byClick(ctx context.Context, s grammar.Step) (grammar.Step, error) {
	at, err := r.resolve(ctx, s.Target, s.Verb)
	if err != nil {
		return s, err
	}
	if at.item != nil && !slices.Contains(match.Fields(), at.item.Role) {
		return s, protocol.NewError(protocol.CodeBadArgument, at.label+" is not a field that can be focused", "say “click "+at.label+"” to press it")
	}
	return grammar.Step{Verb: grammar.VerbClick, Said: s.Said, Target: grammar.Target{Raw: at.target}}, nil
}

func refusedDryRun(err error) DryRun {
	e := plainError(err)
	dryRun := DryRun{Error: e}
	if p, ok := errors.AsType[*problem](err); ok {
		if len(p.found) > 0 {
			e.Hint = ""
		}
		for _, s := range p.found {
			if s.Ref != "" && len(dryRun.Choices) < choiceLines {
				dryRun.Choices = append(dryRun.Choices, protocol.TaskPlainChoice{
					Ref: s.Ref, Name: markdown.Cut(markdown.OneLine(s.Name), 120), Kind: roleName(s.Role), Where: place(s), Which: markdown.OneLine(s.Which),
				})
			}
		}
	}
	return dryRun
}

// dryCommander runs commands that look at the page, and collects those that act.
type dryCommander struct {
	reads    Commander
	tried    []Tried
	commands []protocol.CommandRequest
}

// Command runs a command that only looks. For a command that acts it returns
// the result of the earlier attempt. Without an attempt it collects the command
// and reports success.
func (h *dryCommander) Command(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
	if !changes(req.Command) && req.Command != "wait" {
		return h.reads(ctx, req)
	}
	if len(h.tried) == 0 {
		h.commands = append(h.commands, req)
	} else {
		failed := h.tried[0]
		h.tried = h.tried[1:]
		if failed != nil {
			return protocol.CommandReply{Error: failed}
		}
	}
	return protocol.CommandReply{OK: true, Data: json.RawMessage("{}")}
}

// decided returns the element that the user chose among those that a problem
// offers.
func (r *running) decided(err error) (aimed, error) {
	p, ok := errors.AsType[*problem](err)
	if !ok {
		return aimed{}, err
	}
	for _, s := range p.found {
		if at := slices.Index(r.chosen, s.Ref); s.Ref != "" && at >= 0 {
			r.chosen = slices.Delete(r.chosen, at, at+1)
			return aim(s), nil
		}
	}
	return aimed{}, err
}

// plain returns the outcome of a step as plain text.
func (d done) plain() string {
	line := markdown.Visible(d.line)
	if d.path != "" {
		line += ": " + markdown.Visible(d.path)
	} else if line != "" {
		line = strings.Join(append([]string{line + "."}, d.more...), " ")
	}
	parts := []string{line}
	for _, more := range []string{markdown.Visible(d.data), d.left} {
		if more != "" {
			parts = append(parts, strings.TrimRight(more, "\n"))
		}
	}
	return strings.Join(parts, "\n")
}
