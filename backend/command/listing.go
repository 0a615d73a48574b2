package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// listed joins the last lines within a budget, and says how many there are
// besides.
func listed(lines []string, limit int, none string) string {
	if len(lines) == 0 {
		return none
	}
	if limit == 0 {
		limit = listShown
	}
	if more := len(lines) - limit; more > 0 {
		return fmt.Sprintf("… %d more before these (--max shows more)\n%s", more, strings.Join(lines[more:], "\n"))
	}
	return strings.Join(lines, "\n")
}

// rows is listed for what a page wrote: its lines go into an agent's envelope,
// and what is ours does not.
func (in *invocation) rows(url string, lines []string, none string) string {
	limit := in.args.number("max")
	if limit == 0 {
		limit = listShown
	}
	if len(lines) <= limit {
		if len(lines) == 0 {
			return none
		}
		return in.foreign(url, strings.Join(lines, "\n"))
	}
	more := len(lines) - limit
	return fmt.Sprintf("… %d more before these (--max shows more)\n%s", more, in.foreign(url, strings.Join(lines[more:], "\n")))
}

// maxArg is the budget of a listing.
func maxArg() Arg {
	return Arg{Name: "max", Type: Integer, Flag: true, Min: 1, Max: 10_000, Default: "50", Help: "at most so many; the reply says how many there are besides"}
}

// doArg is what a command with several verbs is to do; the first is meant when
// none is given.
func doArg(choices ...string) Arg {
	return Arg{Name: "do", Type: String, Choices: choices, Default: choices[0], Help: "what to do"}
}

// do is the verb of the call.
func (in *invocation) do(first string) string {
	if verb := in.args.text("do"); verb != "" {
		return verb
	}
	return first
}

func (v values) list(name string) []string { l, _ := v[name].([]string); return l }

func (v values) given(name string) bool { _, ok := v[name]; return ok }

func readLines(raw json.RawMessage, text string, isText bool) ([]string, error) {
	var list []string
	if isText {
		list = strings.Split(text, "\n")
	} else if json.Unmarshal(raw, &list) != nil {
		return nil, fmt.Errorf("is a list of texts, not %.60s", raw)
	}
	out := make([]string, 0, len(list))
	for _, l := range list {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("is empty")
	}
	return out, nil
}

// agent says whether a program that acts by itself called.
func (in *invocation) agent() bool { return policy.Agent(in.actor) }

// masked stands for a value that an agent is not to have: it says how long the
// value is and nothing else.
func masked(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("(masked, %d characters)", len([]rune(value)))
}

// needs refuses a call whose verb needs an argument that is not there.
func (in *invocation) needs(command, name, example string) error {
	if strings.TrimSpace(in.args.text(name)) != "" {
		return nil
	}
	return badArgument(fmt.Sprintf("%s needs %s", command, name), "for example: pilotfish "+example)
}

func badArgument(message, hint string, next ...protocol.Suggestion) error {
	return protocol.NewError(protocol.CodeBadArgument, message, hint, next...)
}

// found says whether a text has a part, whatever its case.
func found(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func fileText(f protocol.SavedFile, what string) string {
	text := fmt.Sprintf("%s\n%d KB", f.Path, (f.Bytes+1023)/1024)
	if f.Entries > 0 {
		text += ", " + plural(f.Entries, what)
	}
	return text
}
