package builtin

import (
	"fmt"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/protocol"
)

// Help describes what Pilot can do, as Markdown.
func Help() string {
	return `

- go to a page: *go to hn*, *open example.com*, *search for tides*, *back*, *reload*
- act: *click Save*, *click the second result*, *type hello into Search and press Enter*, *fill Name with Ada*, *select France in Country*, *tick Newsletter*, *scroll to Pricing*, *click @e3*
- look: *read this page*, *list the links*, *list the buttons*, *find "free shipping"*, *screenshot*, *what is the url*
- tabs: *open a new tab with wikipedia*, *switch to tab 2*, *close this tab*

Several steps go in one message, joined by “and”, “then”, commas or new lines. Put exact names and texts in quotes.`
}

// Why describes why a message was not understood.
func Why(u *grammar.Unknown) string {
	switch {
	case u.Word != "":
		return fmt.Sprintf("I only carry out plain instructions, and “%s” asks for more than that.", u.Word)
	case u.Said == "":
		return "There is no instruction in this message."
	case len(u.Understood) > 0:
		steps := make([]string, len(u.Understood))
		for i := range u.Understood {
			steps[i] = markdown.LowerFirst(intent(u.Understood[i]))
		}
		return fmt.Sprintf("I understood %s, but not “%s”, so I did nothing.", strings.Join(steps, "; "), markdown.Cut(markdown.OneLine(u.Said), 160))
	}
	return fmt.Sprintf("I don’t understand “%s”.", markdown.Cut(markdown.OneLine(u.Said), 160))
}

// Explain tells the user that a message was not understood, what Pilot can do,
// and who would understand it. others are the names of the installed agents, as
// users know them.
func Explain(u *grammar.Unknown, others []string) string {
	var b strings.Builder
	b.WriteString(markdown.Escaped(Why(u)))
	switch len(others) {
	case 0:
		b.WriteString(" An agent with a model can: install one, such as Claude Code, Codex or Gemini CLI, and choose it under “Answered by”.")
	case 1:
		fmt.Fprintf(&b, " %s can: choose it under “Answered by”.", markdown.Escaped(others[0]))
	default:
		last := len(others) - 1
		fmt.Fprintf(&b, " %s and %s can: choose one under “Answered by”.", markdown.Escaped(strings.Join(others[:last], ", ")), markdown.Escaped(others[last]))
	}
	if u.Word != "" {
		b.WriteString(" If it is a text to type or to look for, put it in quotes: *search for \"how to bake bread\"*.")
	}
	b.WriteString("\n\nWhat I can do:")
	b.WriteString(Help())
	return b.String()
}

// SlashCommand is a short form of an instruction.
type SlashCommand struct {
	Name, About, Hint string
}

// Commands returns the slash commands. Each is also an instruction without its
// slash.
func Commands() []SlashCommand {
	return []SlashCommand{
		{"help", "what Pilot can do", ""},
		{"goto", "open an address", "address or name"},
		{"click", "click something", "name, @ref"},
		{"read", "the text of the page", ""},
		{"markdown", "the page as Markdown", ""},
		{"links", "the links of the page", ""},
		{"headings", "the headings of the page", ""},
		{"buttons", "the buttons of the page", ""},
		{"forms", "the fields of the page", ""},
		{"find", "find a text on the page", "text"},
		{"screenshot", "take a screenshot of what is in view", ""},
		{"tabs", "the open tabs", ""},
		{"back", "go one page back", ""},
		{"reload", "load the page again", ""},
	}
}

// Others returns the names of the installed agents that understand more than
// Pilot.
func Others(agents []protocol.AgentInfo) []string {
	var names []string
	for _, a := range agents {
		if a.Installed && a.Problem == "" && a.Kind != protocol.AgentShell && a.Kind != protocol.AgentCustom && a.Kind != protocol.AgentPilot {
			names = append(names, a.Name)
		}
	}
	return names
}
