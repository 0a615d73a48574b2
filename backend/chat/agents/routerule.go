package agents

import (
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/routing"
	"pilotfish/backend/protocol"
)

// RouteRule returns the settings with one word more or less in the table of routes.
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

// routeWords are the words of the table with one of them added or taken out.
func routeWords(words []string, word string, add bool) []string {
	// A table without words means ours, as in settings.
	if len(words) == 0 {
		words = routing.Default().Strong
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return plainWord(w) == word })
	if add {
		words = append(words, word)
	}
	return words
}

// plainWord is a word as it is compared: case and spaces do not matter.
func plainWord(word string) string {
	return strings.ToLower(strings.Join(strings.Fields(word), " "))
}
