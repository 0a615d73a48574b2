// Package routing chooses for each message of a conversation whether Pilot
// carries it out at once, by rules, or the agent does with its fast or its
// strong model.
package routing

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// Default returns the table of routes that applies until the user changes it.
func Default() protocol.ChatRouting {
	return protocol.ChatRouting{
		Instant: true, Strong: grammar.DefaultWords(), LongText: 600,
		// Strong is empty for most agents: the strong model is the one that the
		// user chose for the conversation.
		Models: map[protocol.AgentKind]protocol.ChatModels{
			protocol.AgentClaude: {Fast: "haiku"},
			"gemini":             {Fast: "flash", Strong: "pro"},
			"codex":              {Fast: "mini"},
		},
	}
}

// Router chooses routes by a table. It is safe for concurrent use; a changed
// table needs a new Router.
type Router struct {
	table   protocol.ChatRouting
	grammar *grammar.Grammar
}

// New returns the router of a table.
func New(table protocol.ChatRouting) *Router {
	table.Strong = slices.DeleteFunc(slices.Clone(table.Strong), func(w string) bool { return strings.Trim(w, " …") == "" })
	return &Router{table: table, grammar: grammar.New(table.Strong)}
}

// Asker describes the conversation that a message belongs to, as far as the
// route depends on it.
type Asker struct {
	Agent protocol.AgentKind
	// Options are the session's options, among them its models. There are none
	// before the first turn.
	Options []protocol.ChatOption
	// CanInstant is false where Pilot cannot act: the conversation has no tab.
	CanInstant bool
	// Declined: Pilot was asked, and the page has not what the message names.
	Declined bool
}

// Route returns who carries out a message, and why. A route that the user chose
// is kept; an instant one only if Pilot understands the message. The plan
// belongs to an instant route and is empty for others.
func (r *Router) Route(text string, attachments []protocol.ChatAttachment, who Asker, chosen protocol.RouteKind) (protocol.ChatRoute, grammar.Plan) {
	if who.Agent == protocol.AgentPilot {
		plan, _ := r.grammar.Parse(text)
		return protocol.ChatRoute{Kind: protocol.RouteInstant, Reason: "Pilot answers in this conversation"}, plan
	}
	plan, unknown := grammar.Plan{}, &grammar.Unknown{Said: text}
	// A slash begins one of the agent's own commands.
	if !strings.HasPrefix(strings.TrimSpace(text), "/") && len(attachments) == 0 {
		plan, unknown = r.grammar.Parse(text)
	}
	route := r.byRule(text, attachments, plan, unknown == nil, who)
	switch {
	case chosen == "" || chosen == route.Kind:
		route.Chosen = chosen != ""
	case chosen == protocol.RouteInstant && (unknown != nil || !who.CanInstant):
		route.Reason = "instant was chosen, but Pilot does not understand it; " + route.Reason
	default:
		route = protocol.ChatRoute{Kind: chosen, Reason: "you chose it", Chosen: true}
	}
	if route.Kind != protocol.RouteInstant {
		plan = grammar.Plan{}
	}
	route.Model = r.model(route.Kind, who)
	return route, plan
}

// byRule returns the route by the table.
func (r *Router) byRule(text string, attachments []protocol.ChatAttachment, plan grammar.Plan, understood bool, who Asker) protocol.ChatRoute {
	strong := func(reason string) protocol.ChatRoute {
		return protocol.ChatRoute{Kind: protocol.RouteStrong, Reason: reason}
	}
	if len(attachments) > 0 {
		return strong("it has an attachment")
	}
	if understood && r.table.Instant && who.CanInstant && !who.Declined && !plan.Guesses() {
		return protocol.ChatRoute{Kind: protocol.RouteInstant, Reason: instantReason(plan)}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "/") {
		return strong("it is a command of the agent")
	}
	// A message that Pilot understands has none of these words, or is one of
	// the questions with an instant answer.
	if word := grammar.Comprehension(text, r.table.Strong); word != "" {
		route := strong(fmt.Sprintf("“%s” selects the model for hard questions", word))
		route.Word = word
		return route
	}
	if n := len([]rune(text)); r.table.LongText > 0 && n >= r.table.LongText {
		return strong(fmt.Sprintf("it is long: %d characters", n))
	}
	reason := "no word in it selects the model for hard questions"
	if understood {
		switch reason = "it is an instruction, but instant commands are off"; {
		case !who.CanInstant:
			reason = "it is an instruction, but there is no tab to run it in"
		case who.Declined:
			reason = "the page has nothing of that name"
		case plan.Guesses():
			reason = "it names no site to search"
		}
	}
	return protocol.ChatRoute{Kind: protocol.RouteFast, Reason: reason}
}

func instantReason(plan grammar.Plan) string {
	words := cutWords(plan.String(), 80)
	if len(plan.Steps) == 1 {
		return "it is an instant command: " + words
	}
	return fmt.Sprintf("it is %d instant commands: %s", len(plan.Steps), words)
}

func cutWords(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}

// model returns the session's model that the table names for a route; empty to
// keep the session's current model.
func (r *Router) model(kind protocol.RouteKind, who Asker) string {
	wish := r.table.Models[who.Agent].Strong
	switch kind {
	case protocol.RouteInstant:
		return ""
	case protocol.RouteFast:
		wish = r.table.Models[who.Agent].Fast
	}
	if wish = strings.ToLower(strings.TrimSpace(wish)); wish == "" {
		return ""
	}
	i := slices.IndexFunc(who.Options, func(o protocol.ChatOption) bool { return o.Category == "model" })
	if i < 0 {
		return ""
	}
	for _, fits := range []func(string) bool{
		func(s string) bool { return s == wish },
		func(s string) bool { return slices.Contains(wordsOf(s), wish) },
		func(s string) bool { return strings.Contains(s, wish) },
	} {
		for _, c := range who.Options[i].Choices {
			if fits(strings.ToLower(c.Value)) || fits(strings.ToLower(c.Name)) {
				return c.Value
			}
		}
	}
	return ""
}

// wordsOf splits "gemini-2.5-flash" into its words.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
