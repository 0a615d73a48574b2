package builtin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// prose returns the outcome of a step that succeeded, as Markdown.
func (d done) prose() string {
	line := d.marked
	if line == "" {
		line = markdown.Escaped(d.line)
	}
	parts := []string{strings.Join(append([]string{line + "."}, d.more...), " ")}
	switch {
	case d.shown != nil:
		parts = append(parts, *d.shown)
	case d.data != "":
		parts = append(parts, markdown.Block(d.data, ""))
	}
	if d.left != "" {
		parts = append(parts, d.left)
	}
	return markdown.Paragraphs(parts...)
}

// failure returns why a step failed, and in which the elements that may have
// been meant. They are returned separately, for a user interface in which the
// user can choose one by a click; other interfaces list them.
func failure(s grammar.Step, err error) (text string, which []match.Thing) {
	e := plainError(err)
	p, asks := errors.AsType[*problem](err)
	text = "Couldn’t " + markdown.Escaped(markdown.LowerFirst(intent(s))) + ". "
	if e.Code == protocol.CodeDenied {
		return text + "Denied by you.", nil // the error's message and hint are for agents
	}
	text += markdown.Escaped(markdown.Sentence(e.Message))
	if asks && len(p.found) > 0 {
		text = markdown.Escaped(markdown.Sentence(e.Message)) + " " + p.ask
		return strings.TrimSpace(text), p.found
	}
	if asks && p.ask != "" {
		return text + " " + p.ask, nil
	}
	if e.Hint != "" {
		text += " " + markdown.Escaped(markdown.Sentence(e.Hint))
	}
	return text, nil
}

// stoppedText returns the text for a step that the user stopped while it ran.
func stoppedText(s grammar.Step) string {
	return "Stopped during “" + markdown.Escaped(intent(s)) + "”. It may have taken effect already."
}

// skipped returns a text about the steps that were not begun; empty for none.
func skipped(steps []grammar.Step) string {
	if len(steps) == 0 {
		return ""
	}
	words := make([]string, len(steps))
	for i := range steps {
		words[i] = markdown.Escaped(markdown.LowerFirst(intent(steps[i])))
	}
	return "Skipped: " + strings.Join(words, "; ") + "."
}

// effect adds to d what the report of an action shows, after the line about the
// action. reported says that the line already has the new value of the target.
func effect(d *done, e *protocol.Effect, reported bool) {
	add := func(format string, a ...any) { d.more = append(d.more, fmt.Sprintf(format, a...)) }
	if e.Dialog != nil {
		add("The page shows a dialog: %s. Say “accept the dialog” or “dismiss the dialog”.", markdown.Escaped(markdown.Quote(e.Dialog.Message)))
	}
	switch {
	case e.Loading:
		add("It leads to %s, which is still loading.", markdown.Linked(e.URL))
	case e.Navigated:
		title := ""
		if e.Title != "" {
			title = " " + markdown.Escaped(markdown.Quote(e.Title))
		}
		add("It led to %s%s.", markdown.Linked(e.URL), title)
		if e.Status != 0 && (e.Status < 200 || e.Status > 299) {
			add("The server answered %d.", e.Status)
		}
	case e.Within:
		add("The address is now %s.", markdown.Linked(e.URL))
	}
	for _, t := range e.Tabs {
		add("It opened the tab %s.", t)
	}
	for _, f := range e.Downloads {
		add("It started a download: %s.", markdown.Escaped(markdown.Quote(f)))
	}
	var page, shown []string
	e.Changed = withoutFocus(e, reported)
	if e.Moved != nil {
		// Elements that scrolled into or out of view are not changes.
		e.Said, e.Appeared, e.Changed, e.Gone, e.More = nil, nil, nil, nil, 0
	}
	for _, group := range []struct {
		mark, word string
		lines      []string
	}{{"says: ", "The page says ", e.Said}, {"+ ", "New: ", e.Appeared}, {"~ ", "Changed: ", e.Changed}, {"- ", "Gone: ", e.Gone}, {"console error: ", "Error in the page: ", e.Errors}} {
		for _, l := range group.lines {
			l = markdown.Cut(markdown.OneLine(l), 200)
			page = append(page, group.mark+l)
			if group.mark == "says: " {
				shown = append(shown, group.word+markdown.Escaped(markdown.Quote(l)))
			} else {
				shown = append(shown, group.word+markdown.Code(l))
			}
		}
	}
	if more := len(page) - effectLines; more > 0 {
		page, shown = page[:effectLines], shown[:effectLines]
		e.More += more
	}
	if len(page) > 0 {
		d.data = strings.Join(page, "\n")
		d.shown = new(strings.Join(markdown.Bullets(shown), "\n"))
		if e.More > 0 {
			d.left = fmt.Sprintf("… %d more changes are not shown.", e.More)
		}
	}
	if e.Nothing && e.Dialog == nil && e.Value == nil && e.Moved == nil {
		add("Nothing visible changed on the page.")
	}
}

// effectLines is how many lines about a page's changes an answer shows.
const effectLines = 8

// withoutFocus returns an action's changes without the line that its target has
// the focus now, and the line that another element lost the focus.
//
// If reported is set (the answer has the field's new value), the field's own change
// is left out, too.
func withoutFocus(e *protocol.Effect, reported bool) []string {
	ref, _, _ := strings.Cut(e.Hit, " ")
	kept := slices.DeleteFunc(slices.Clone(e.Changed), func(l string) bool {
		return l == e.Hit+" [focused]" || reported && strings.HasPrefix(l, ref+" ")
	})
	if len(kept) == 1 && len(e.Changed) == 2 {
		return nil
	}
	return kept
}
