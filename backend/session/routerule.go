package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat"
	"pilotfish/backend/protocol"
)

// RouteRule changes the table of routes by one word, for good and for all
// sessions: the person chose so at a message.
func (g gateway) RouteRule(ctx context.Context, req protocol.ChatRouteRuleRequest) error {
	word := plainWord(req.Word)
	if word == "" || len([]rune(word)) > protocol.MaxRouteWord {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a word of the table has 1 to %d characters", protocol.MaxRouteWord), "")
	}
	settings := g.m.cfg.Settings.Get()
	settings.ChatRouting.Strong = routeWords(settings.ChatRouting.Strong, word, req.Strong)
	if len(settings.ChatRouting.Strong) == 0 {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("“%s” is the last word of the table", word), "add another word in Settings first")
	}
	_, err := g.m.SaveSettings(ctx, settings)
	return err
}

// routeWords are the words of the table with one of them added or taken out.
func routeWords(words []string, word string, add bool) []string {
	// A table without words means ours, as in settings.
	if len(words) == 0 {
		words = chat.DefaultRouting().Strong
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
