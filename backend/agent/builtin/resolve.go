package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// aimed is an element that was found: the target for the registry, and the name
// for the user.
type aimed struct {
	target string
	label  string
	item   *protocol.SnapshotItem // nil for a target that the registry finds itself
}

// snap takes a snapshot and returns the elements of the page.
func (r *running) snap(ctx context.Context) ([]match.Thing, protocol.Snapshot, error) {
	var snap protocol.Snapshot
	if _, err := r.command(ctx, "snapshot", args{"items": true}, &snap); err != nil {
		return nil, snap, err
	}
	return match.Flatten(snap.Items), snap, nil
}

// resolve finds the one element that a target means. If none or several match,
// it returns an error that says so, and lists them.
func (r *running) resolve(ctx context.Context, t grammar.Target, verb grammar.Verb) (aimed, error) {
	if t.Raw != "" {
		return aimed{target: t.Raw, label: t.Raw}, nil
	}
	all, _, err := r.snap(ctx)
	if err != nil {
		return aimed{}, err
	}
	found := match.Choose(all, t, verb)
	switch {
	case len(found) == 0:
		return r.decided(missing(all, t, verb))
	case len(found) > 1:
		return r.decided(several(found, t))
	}
	return pointed(found[0], t, verb), nil
}

// pointed is aim for a verb of the mouse. If the element that was found only
// listens for clicks, such as a whole list, the user means the text in it.
func pointed(s match.Thing, t grammar.Target, verb grammar.Verb) aimed {
	a := aim(s)
	mouse := slices.Contains([]grammar.Verb{grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight, grammar.VerbHover, grammar.VerbDrag}, verb)
	if mouse && t.Name != "" && s.Ref != "" && roleName(s.Role) != "picture" && !match.Operated(s.Role) && match.Even(s.Name) != match.Even(t.Name) {
		a.target = "text=" + quoted(t.Name)
	}
	return a
}

// aim returns the registry's target for an element. A heading or a text has no
// ref; its target is its text.
func aim(s match.Thing) aimed {
	a := aimed{target: s.Ref, label: label(s.SnapshotItem), item: s.SnapshotItem}
	if a.target == "" {
		a.target = fmt.Sprintf("text=%s", quoted(s.Name))
	}
	return a
}

// quoted returns a name in the quotes of the registry's targets.
func quoted(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}

// missing returns an error that says that nothing matches, and offers similar
// elements.
func missing(all []match.Thing, t grammar.Target, verb grammar.Verb) error {
	message := "Nothing on this page is called “" + t.Name + "”"
	if t.Name == "" {
		message = "There is no " + t.Kind + " on this page"
	}
	switch {
	case t.Kind == "result":
		message = "I can’t tell which links on this page are results"
	case t.Nth != 0:
		where := t
		where.Nth = 0
		if n := len(match.Choose(all, where, verb)); n > 0 {
			message = fmt.Sprintf("There are only %d", n)
			if n == 1 {
				message = "There is only one"
			}
		}
	case t.Within != "" && len(match.Choose(all, grammar.Target{Name: t.Name, Kind: t.Kind, Quoted: t.Quoted}, verb)) > 0:
		message += " in that part of it"
	}
	p := &problem{cause: protocol.NewError(protocol.CodeNoElement, message, "say “list the buttons” or “list the links” to see what there is")}
	near := match.Similar(all, t, verb)
	if t.Kind == "result" {
		p.ask = "Say “click the third link”, or name one."
	} else if len(near) > 0 {
		p.found, p.ask = withRef(near), "Did you mean one of these?"
	}
	return p
}

// several returns an error that asks which element is meant.
func several(found []match.Thing, t grammar.Target) error {
	what := "“" + t.Name + "”"
	if t.Name == "" {
		what = "that"
	}
	p := &problem{cause: protocol.NewError(protocol.CodeAmbiguous, fmt.Sprintf("%d elements on this page match %s", len(found), what), "name one by its ref")}
	p.found, p.ask = found, "Which one do you mean?"
	return p
}

// choiceLines is how many elements an answer offers.
const choiceLines = 6

// choices lists the found elements as Markdown, with refs by which a user who
// has no buttons can name one. The names are texts of the page.
func choices(found []match.Thing, verb grammar.Verb) string {
	var lines []string
	example := ""
	for _, s := range found {
		if len(lines) == choiceLines {
			lines = append(lines, fmt.Sprintf("- … %d more", len(found)-choiceLines))
			break
		}
		line := "- "
		if s.Ref != "" {
			line += "`@" + s.Ref + "` "
			if example == "" {
				example = fmt.Sprintf("Say for example “%s @%s”.", verb, s.Ref)
			}
		}
		words := []string{markdown.Escaped(markdown.Quote(s.Name))}
		if role := roleName(s.Role); role != "" {
			words = append(words, role)
		}
		if where := place(s); where != "" {
			words = append(words, "in "+markdown.Escaped(where))
		}
		if s.Which != "" {
			words = append(words, markdown.Escaped(markdown.OneLine(s.Which)))
		}
		lines = append(lines, line+strings.Join(words, ", "))
	}
	return markdown.Paragraphs(strings.Join(lines, "\n"), example)
}

// which asks the user which of the found elements the first of some steps
// means. The choice is sent with a message that repeats these steps.
func (r *running) which(steps []grammar.Step, found []match.Thing) *protocol.ChatWhich {
	said := make([]string, len(steps))
	for i := range steps {
		said[i] = steps[i].Said
	}
	w := &protocol.ChatWhich{Text: strings.Join(said, "\n"), Chosen: slices.Clone(r.Chosen)}
	for _, s := range found {
		if s.Ref == "" {
			continue
		}
		if len(w.Elements) == choiceLines {
			w.More++
			continue
		}
		w.Elements = append(w.Elements, protocol.TaskPlainChoice{
			Ref: s.Ref, Name: markdown.Cut(markdown.OneLine(s.Name), 120), Kind: roleName(s.Role), Where: place(s), Which: markdown.OneLine(s.Which),
		})
	}
	if len(w.Elements) == 0 {
		return nil
	}
	return w
}
