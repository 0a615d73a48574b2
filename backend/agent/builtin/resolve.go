package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// aimed is a target that was found: what the registry is given, and what a
// person calls it.
type aimed struct {
	target string
	label  string
	item   *protocol.LookItem // nil for one that the registry finds itself
}

// look asks for the things of the page.
func (r *running) look(ctx context.Context) ([]seen, protocol.Look, error) {
	var look protocol.Look
	if _, err := r.command(ctx, "snapshot", args{"items": true}, &look); err != nil {
		return nil, look, err
	}
	return flatten(look.Items, nil), look, nil
}

// resolve finds the one thing that a target means. With none or several it says
// so, and which there are.
func (r *running) resolve(ctx context.Context, t grammar.Target, verb grammar.Verb) (aimed, error) {
	if t.Raw != "" {
		return aimed{target: t.Raw, label: t.Raw}, nil
	}
	all, _, err := r.look(ctx)
	if err != nil {
		return aimed{}, err
	}
	found := choose(all, t, verb)
	switch {
	case len(found) == 0:
		return r.decided(missing(all, t, verb))
	case len(found) > 1:
		return r.decided(several(found, t))
	}
	return pointed(found[0], t, verb), nil
}

// pointed is aim for a verb of the mouse. Where what was found is only something
// that listens, such as a list as a whole, the person means the words in it.
func pointed(s seen, t grammar.Target, verb grammar.Verb) aimed {
	a := aim(s)
	mouse := slices.Contains([]grammar.Verb{grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight, grammar.VerbHover, grammar.VerbDrag}, verb)
	if mouse && t.Name != "" && s.Ref != "" && roleName(s.Role) != "picture" && !operated(s.Role) && even(s.Name) != even(t.Name) {
		a.target = "text=" + quoted(t.Name)
	}
	return a
}

// operated says whether a role is that of a thing which is operated as a whole.
func operated(role string) bool {
	return slices.ContainsFunc([][]string{clickables(), fields(), lists(), switches()}, func(all []string) bool { return slices.Contains(all, role) })
}

// aim turns a thing into what the registry is given. A heading or a text has no
// ref and is aimed at by its words.
func aim(s seen) aimed {
	a := aimed{target: s.Ref, label: label(s.LookItem), item: s.LookItem}
	if a.target == "" {
		a.target = fmt.Sprintf("text=%s", quoted(s.Name))
	}
	return a
}

// quoted is a name as a target of the registry has it.
func quoted(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}

// label is a thing as a person calls it.
func label(item *protocol.LookItem) string {
	name, role := cut(oneLine(item.Name), 60), roleName(item.Role)
	switch {
	case name == "" && role == "":
		return item.Ref
	case name == "":
		return "the " + role + " " + item.Ref
	case item.Role == "button", item.Role == "link", role == "":
		return name
	}
	return name
}

// missing says that nothing fits, and what comes near.
func missing(all []seen, t grammar.Target, verb grammar.Verb) error {
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
		if n := len(choose(all, where, verb)); n > 0 {
			message = fmt.Sprintf("There are only %d", n)
			if n == 1 {
				message = "There is only one"
			}
		}
	case t.Within != "" && len(choose(all, grammar.Target{Name: t.Name, Kind: t.Kind, Quoted: t.Quoted}, verb)) > 0:
		message += " in that part of it"
	}
	p := &problem{cause: protocol.NewError(protocol.CodeNoElement, message, "say “list the buttons” or “list the links” to see what there is")}
	near := similar(all, t, verb)
	if t.Kind == "result" {
		p.ask = "Say “click the third link”, or name one."
	} else if len(near) > 0 {
		p.found, p.ask = withRef(near), "Did you mean one of these?"
	}
	return p
}

// several asks which one is meant.
func several(found []seen, t grammar.Target) error {
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

// choices list what was found as Markdown, with refs to name one by, for a person who
// has no buttons; the names are the page's.
func choices(found []seen, verb grammar.Verb) string {
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
		words := []string{escaped(quote(s.Name))}
		if role := roleName(s.Role); role != "" {
			words = append(words, role)
		}
		if where := s.place(); where != "" {
			words = append(words, "in "+escaped(where))
		}
		if s.Which != "" {
			words = append(words, escaped(oneLine(s.Which)))
		}
		lines = append(lines, line+strings.Join(words, ", "))
	}
	return paragraphs(strings.Join(lines, "\n"), example)
}

// which asks a person which of the found elements the first of some steps means. What
// they choose goes with a message that asks for these steps again.
func (r *running) which(steps []grammar.Step, found []seen) *protocol.ChatWhich {
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
			Ref: s.Ref, Name: cut(oneLine(s.Name), 120), Kind: roleName(s.Role), Where: s.place(), Which: oneLine(s.Which),
		})
	}
	if len(w.Elements) == 0 {
		return nil
	}
	return w
}
