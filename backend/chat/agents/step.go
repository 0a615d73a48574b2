package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
	"pilotfish/backend/saved"
)

// Step returns what a conversation shows of a command that its agent ran; data
// is the data of the reply.
func Step(entry protocol.ActivityEntry, data json.RawMessage) recorder.Step {
	input, _ := json.Marshal(entry.Args) // strings only: it cannot fail
	done := recorder.Step{Line: stepLine(entry), OK: entry.OK, Denied: entry.Code == protocol.CodeDenied, Input: protocol.Indented(input)}
	var shown any
	if spec, err := catalogue.Find(entry.Command); err == nil && spec.Name == "screenshot" && json.Unmarshal(data, &shown) == nil {
		if made := saved.Paths(shown); len(made) > 0 {
			done.Screenshot = made[0]
		}
	}
	return done
}

// stepLine describes in plain words what a command did.
func stepLine(e protocol.ActivityEntry) string {
	spec, err := catalogue.Find(e.Command)
	if err != nil {
		return "Tried " + e.Command
	}
	if e.Code == protocol.CodeDenied {
		// The error's message is for the agent.
		return "Could not " + spec.Summary + ": denied by you"
	}
	if !e.OK {
		return "Could not " + spec.Summary + ": " + e.Summary
	}
	words := map[string]string{
		"snapshot": "Looked at the page", "text": "Read the page", "markdown": "Read the page", "html": "Read the page's source",
		"screenshot": "Took a screenshot of the page", "links": "Listed the links", "tabs": "Listed the tabs", "url": "Asked for the address",
		"wait": "Waited for the page",
	}[spec.Name]
	switch {
	case words != "":
		return words
	case spec.Name == "goto" || spec.Name == "newtab":
		if address := e.Args["url"]; address != "" {
			return fmt.Sprintf("Opened %s", address)
		}
	case spec.Scope == protocol.ScopeRead, e.Summary == "":
		return sentence(spec.Summary)
	}
	return sentence(strings.TrimSpace(e.Summary))
}

// sentence makes the first letter of a text a capital.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
