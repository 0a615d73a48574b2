package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/chat"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/saved"
)

// question shows a question of a conversation's browser commands in the
// conversation. A question about a tool of the agent's own is there already.
func (c conversations) question(question protocol.Approval, over *policy.Over) {
	if question.Actor.Kind != protocol.ActorChat || question.Conversation != "" {
		return
	}
	r := c.s.running()
	switch {
	case r == nil:
	case over == nil:
		r.chat.Asked(question)
	default:
		r.chat.Answered(question, over.Verdict, over.Err)
	}
}

// step tells a conversation what its agent did in the browser.
func (c conversations) step(actor protocol.Actor, entry protocol.ActivityEntry, data json.RawMessage) {
	if actor.Kind != protocol.ActorChat {
		return
	}
	r := c.s.running()
	if r == nil {
		return
	}
	input, _ := json.Marshal(entry.Args) // texts only
	done := chat.Step{Line: stepLine(entry), OK: entry.OK, Input: protocol.Indented(input)}
	var shown any
	if spec, err := catalogue.Find(entry.Command); err == nil && spec.Name == "screenshot" && json.Unmarshal(data, &shown) == nil {
		if made := saved.Paths(shown); len(made) > 0 {
			done.Screenshot = made[0]
		}
	}
	r.chat.Step(protocol.ConversationID(actor.ID), done)
}

// stepLine says in plain words what a command did.
func stepLine(e protocol.ActivityEntry) string {
	spec, err := catalogue.Find(e.Command)
	if err != nil {
		return "Tried " + e.Command
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
	case spec.Scope == protocol.ScopeRead:
		return sentence(spec.Summary)
	}
	return sentence(strings.TrimSpace(e.Summary))
}

// sentence begins a text with a capital.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
