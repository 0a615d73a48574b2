// Package grammar reads plain instructions by rule: a message is a Plan of steps, or
// not understood (Unknown). What it does not understand it leaves alone: an
// instruction that is misunderstood is worse than one that is not.
//
// Only what the user wrote is ever read. The rules are frozen: no new rules and no
// new verbs. A message that the rules do not cover is for an agent with a model.
package grammar

import (
	"fmt"
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
	VerbType       Verb = "type"   // Text behind what the field holds; without a target, where the focus is
	VerbFill       Verb = "fill"   // Text in place of what the field holds; empty clears it
	VerbSet        Verb = "set"    // Text into a field, a list or a switch, whichever it is
	VerbPress      Verb = "press"  // Text is the keys; with a target, there
	VerbSelect     Verb = "select" // Text is the option; without a target, where there is one
	VerbCheck      Verb = "check"
	VerbUncheck    Verb = "uncheck"
	VerbDrag       Verb = "drag"   // Target to To
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
	VerbFind       Verb = "find" // Text on the page
	VerbAsk        Verb = "ask"  // How is url, title or where
	VerbWait       Verb = "wait" // How is text, element, gone, load or time; N milliseconds
	VerbDialog     Verb = "dialog"
	VerbHelp       Verb = "help"
)

// Plan is what a message asks for, step by step.
type Plan struct {
	Steps []Step
}

// String is the plan in one line, for reasons and tests.
func (p Plan) String() string {
	parts := make([]string, len(p.Steps))
	for i := range p.Steps {
		parts[i] = p.Steps[i].String()
	}
	return strings.Join(parts, "; ")
}

// Helps says whether all that the plan asks for is what can be asked for.
func (p Plan) Helps() bool { return len(p.Steps) == 1 && p.Steps[0].Verb == VerbHelp }

// Step is one instruction. Which fields count depends on Verb.
type Step struct {
	Verb Verb
	// Said are the person's words for it.
	Said   string
	Target Target
	To     Target
	Text   string
	How    string
	N      int
}

// String is the step in short words.
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

// Target is something on a page, as a person spoke of it.
type Target struct {
	// Raw is a target that the registry reads itself: a ref, CSS, role=…, x,y.
	// The other fields are empty then.
	Raw string
	// Name is what it is called.
	Name string
	// Quoted: the name stood in quotes.
	Quoted bool
	// Kind is the word for what it is: "button", "link", "field", "result".
	Kind string
	// Word is Kind as it was written, when there is no Name: it may be one.
	Word string
	// Nth counts among several from 1; -1 is the last, 0 was not said.
	Nth int
	// Within is a part of the page: a landmark's role, or a region's name.
	Within string
}

// Empty says whether nothing was named.
func (t Target) Empty() bool { return t == Target{} }

// String names it as a person would.
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

// Spoken is the target in a sentence.
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
