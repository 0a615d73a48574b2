// Package grammar parses plain instructions by rules: a message becomes a Plan
// of steps, or is not understood (Unknown). In doubt it does not understand: a
// misunderstood instruction is worse than one that is not understood.
//
// It reads only what the user wrote, never a page. The rules are frozen: no new
// rules and no new verbs. A message that the rules do not cover is for an agent
// with a model.
package grammar

import (
	"fmt"
	"slices"
	"strings"
)

// Verb is what a step does.
type Verb string

// The verbs.
const (
	VerbGoto       Verb = "goto"        // Text is the address
	VerbSearch     Verb = "search"      // Text is searched for with the engine How
	VerbSearchHere Verb = "search here" // Text is put into the page's own search field
	VerbClick      Verb = "click"
	VerbDouble     Verb = "double click"
	VerbRight      Verb = "right click"
	VerbHover      Verb = "hover"
	VerbFocus      Verb = "focus"
	VerbType       Verb = "type"   // Text is added after the field's value; without a target, in the focused field
	VerbFill       Verb = "fill"   // Text replaces the field's value; empty clears it
	VerbSet        Verb = "set"    // Text is set in a field, a list or a switch, whichever it is
	VerbPress      Verb = "press"  // Text is the keys; with a target, they are pressed there
	VerbSelect     Verb = "select" // Text is the option; without a target, in the only list that has it
	VerbCheck      Verb = "check"
	VerbUncheck    Verb = "uncheck"
	VerbDrag       Verb = "drag"   // Target is dragged to To
	VerbScroll     Verb = "scroll" // N pixels down (How "y") or to the right (How "x"), or Target into view
	VerbBack       Verb = "back"
	VerbForward    Verb = "forward"
	VerbReload     Verb = "reload"
	VerbNewTab     Verb = "new tab"   // Text is the address or empty; How is "back" for a tab in the background
	VerbTab        Verb = "tab"       // Text says which
	VerbCloseTab   Verb = "close tab" // Text says which; empty is this one
	VerbScreenshot Verb = "screenshot"
	VerbPDF        Verb = "pdf"
	VerbRead       Verb = "read" // How is "text" or "markdown"
	VerbList       Verb = "list" // How is what: links, headings, buttons, …
	VerbFind       Verb = "find" // Text is searched for on the page
	VerbAsk        Verb = "ask"  // How is url, title or where
	VerbWait       Verb = "wait" // How is text, element, gone, load or time; N milliseconds
	VerbDialog     Verb = "dialog"
	VerbHelp       Verb = "help"
)

// Plan is the steps that a message asks for.
type Plan struct {
	Steps []Step
}

// String returns the plan on one line, for reasons and tests.
func (p Plan) String() string {
	parts := make([]string, len(p.Steps))
	for i := range p.Steps {
		parts[i] = p.Steps[i].String()
	}
	return strings.Join(parts, "; ")
}

// Helps reports whether the plan only asks for help.
func (p Plan) Helps() bool { return len(p.Steps) == 1 && p.Steps[0].Verb == VerbHelp }

// Guesses reports whether the plan searches the web although the message names neither a
// site nor this page: it may as well be a question to a model.
func (p Plan) Guesses() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Guessed })
}

// Step is one instruction. Verb decides which fields are used.
type Step struct {
	Verb Verb
	// Said is the part of the user's message for the step.
	Said   string
	Target Target
	To     Target
	Text   string
	How    string
	N      int
	// Guessed: the message does not say where to search.
	Guessed bool
}

// String returns the step in short form.
func (s Step) String() string {
	parts := []string{string(s.Verb)}
	if s.How != "" {
		parts = append(parts, s.How)
	}
	if s.N != 0 {
		parts = append(parts, fmt.Sprint(s.N))
	}
	if s.Text != "" {
		parts = append(parts, fmt.Sprintf("%q", s.Text))
	}
	if !s.Target.Empty() {
		parts = append(parts, "→ "+s.Target.String())
	}
	if !s.To.Empty() {
		parts = append(parts, "→ "+s.To.String())
	}
	return strings.Join(parts, " ")
}

// Target is an element of a page, as the user described it.
type Target struct {
	// Raw is a target for the registry as it is: a ref, CSS, role=…, x,y. The
	// other fields are empty then.
	Raw string
	// Name is the element's name.
	Name string
	// Quoted: the name was in quotes.
	Quoted bool
	// Kind is the word for the kind of element: "button", "link", "field",
	// "result".
	Kind string
	// Word is Kind as the user wrote it, if there is no Name: it may be a name.
	Word string
	// Nth is the position among several matches, from 1; -1 is the last, 0
	// means that none was given.
	Nth int
	// Within is a part of the page: the role of a landmark, or the name of a
	// region.
	Within string
}

// Empty reports whether no element was named.
func (t Target) Empty() bool { return t == Target{} }

// String returns the target as a user would say it.
func (t Target) String() string {
	if t.Raw != "" {
		return t.Raw
	}
	var parts []string
	switch {
	case t.Nth > 0:
		parts = append(parts, ordinal(t.Nth))
	case t.Nth < 0:
		parts = append(parts, "last")
	}
	if t.Name != "" {
		parts = append(parts, "“"+t.Name+"”")
	}
	if t.Kind != "" {
		parts = append(parts, t.Kind)
	}
	if t.Within != "" {
		parts = append(parts, "in "+t.Within)
	}
	return strings.Join(parts, " ")
}

// Spoken returns the target for the middle of a sentence.
func (t Target) Spoken() string {
	s := cut(t.String(), 80)
	switch {
	case t.Raw != "" && (t.Raw[0] == 'e' || t.Raw[0] == 'f'):
		return "@" + s
	case t.Raw == "" && s != "" && (t.Kind != "" || t.Nth != 0):
		return "the " + s
	}
	return s
}

func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
