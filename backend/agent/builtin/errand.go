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

// Errand is what a step comes to for hands that are not the engine's: those of a
// task, which shows each action, asks about it and writes it down itself.
type Errand struct {
	// Commands are to be carried out in this order; none where looking was all that
	// the step asked for.
	Commands []protocol.CommandRequest
	// Said is what was seen then, as plain text; words of the page are in it.
	Said string
	// Error is why the step cannot be carried out, in plain words.
	Error *protocol.Error
	// Choices are the things of the page that may have been meant, where Error is
	// CodeAmbiguous or CodeNoElement.
	Choices []protocol.TaskPlainChoice
}

// Tried is the end of a command of an errand: nil for one that was done.
type Tried = *protocol.Error

// Intents say what each step of the plan is going to do.
func Intents(p grammar.Plan) []string {
	said := make([]string, len(p.Steps))
	for i := range p.Steps {
		said[i] = intent(p.Steps[i])
	}
	return said
}

// Errand finds out what a step comes to. What only looks is done at once; what
// acts, or waits, is handed back. tried are the ends of the commands that it
// handed back for this step before: after one that failed there may be another
// way. chosen are the refs that a person chose where several things were meant.
func (e *Engine) Errand(ctx context.Context, s grammar.Step, tried []Tried, chosen []string) Errand {
	hands := &handing{looks: e.commander, tried: tried}
	r := &running{Engine: NewEngine(hands, e.tab), tab: e.tab, chosen: slices.Clone(chosen)}
	var result done
	var err error
	if s.Verb == grammar.VerbFocus {
		s, err = r.byClick(ctx, s)
	}
	if err == nil {
		result, err = r.do(ctx, s)
	}
	switch {
	case len(hands.commands) > 0:
		return Errand{Commands: hands.commands}
	case err != nil:
		return refusedErrand(err)
	}
	return Errand{Said: result.plain()}
}

// byClick puts the focus on a field as a person does; a task has no other way.
func (r *running) byClick(ctx context.Context, s grammar.Step) (grammar.Step, error) {
	at, err := r.resolve(ctx, s.Target, s.Verb)
	if err != nil {
		return s, err
	}
	if at.item != nil && !slices.Contains(match.Fields(), at.item.Role) {
		return s, protocol.NewError(protocol.CodeBadArgument, at.label+" is no field that can have the focus", "say “click "+at.label+"” to press it")
	}
	return grammar.Step{Verb: grammar.VerbClick, Said: s.Said, Target: grammar.Target{Raw: at.target}}, nil
}

func refusedErrand(err error) Errand {
	e := plainError(err)
	errand := Errand{Error: e}
	if p, ok := errors.AsType[*problem](err); ok {
		if len(p.found) > 0 {
			e.Hint = ""
		}
		for _, s := range p.found {
			if s.Ref != "" && len(errand.Choices) < choiceLines {
				errand.Choices = append(errand.Choices, protocol.TaskPlainChoice{
					Ref: s.Ref, Name: markdown.Cut(markdown.OneLine(s.Name), 120), Kind: roleName(s.Role), Where: place(s), Which: markdown.OneLine(s.Which),
				})
			}
		}
	}
	return errand
}

// handing lets looks through and keeps what acts for the hands.
type handing struct {
	looks    Commander
	tried    []Tried
	commands []protocol.CommandRequest
}

// Command runs a look; of what acts it says what came of it when it was handed
// back before, or that all is well, for nobody has tried it yet.
func (h *handing) Command(ctx context.Context, req protocol.CommandRequest) protocol.CommandReply {
	if !changes(req.Command) && req.Command != "wait" {
		return h.looks.Command(ctx, req)
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

// decided is the thing that a person chose of those that a problem offered.
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

// plain is what a step brought as plain text.
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
