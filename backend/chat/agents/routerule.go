package agents

import (
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/routing"
	"pilotfish/backend/protocol"
)

// RouteRule returns the settings with one word added to, or removed from, the
// table of routes.
func RouteRule(settings protocol.Settings, req protocol.ChatRouteRuleRequest) (protocol.Settings, error) {
	word := plainWord(req.Word)
	if word == "" || len([]rune(word)) > protocol.MaxRouteWord {
		return settings, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a word of the table has 1 to %d characters", protocol.MaxRouteWord), "")
	}
	settings.ChatRouting.Strong = routeWords(settings.ChatRouting.Strong, word, req.Strong)
	if len(settings.ChatRouting.Strong) == 0 {
		return settings, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("“%s” is the last word of the table", word), "add another word in Settings first")
	}
	return settings, nil
}

// routeWords returns the words of the table with one word added or removed.
func routeWords(words []string, word string, add bool) []string {
	// An empty table means the default words, as in Settings.
	if len(words) == 0 {
		words = routing.Default().Strong
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return plainWord(w) == word })
	if add {
		words = append(words, word)
	}
	return words
}

// plainWord normalises a word for comparison: case and spaces do not matter.
func plainWord(word string) string {
	return strings.ToLower(strings.Join(strings.Fields(word), " "))
}
