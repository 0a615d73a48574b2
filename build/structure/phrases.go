package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// forbidden returns patterns for phrases that readers do not understand at once.
// Each key names the phrase and its replacement. docs/GLOSSARY.md has the terms.
func forbidden() map[string]*regexp.Regexp {
	phrases := make(map[string]*regexp.Regexp)
	for phrase, instead := range map[string]string{
		"passes on and forgets":         "is stateless",
		"happens by itself":             "background events",
		"worker's word":                 "the worker's report",
		"let alone for":                 "wait for",
		"goes away ends":                "disconnecting does not stop",
		"stands above is wanted":        "desired state",
		"does not open this door":       "not valid for this route",
		"which your token has not":      "which your token lacks",
		"does not come to an end":       "is still starting",
		"needs your word":               "needs your approval",
		"waits for you to say":          "waits for your approval",
		"what is said now is not shown": "session stopped",
	} {
		words := strings.Fields(regexp.QuoteMeta(phrase))
		// A comment may break a phrase at any space.
		phrases[fmt.Sprintf("%q: %s", phrase, instead)] = regexp.MustCompile(`(?i)\b` + strings.Join(words, `[\s/*#>]+`) + `\b`)
	}
	return phrases
}

// phrasesIn lists the forbidden phrases in a file.
func phrasesIn(phrases map[string]*regexp.Regexp, name, text string) (found []string) {
	for phrase, written := range phrases {
		if n := len(written.FindAllString(text, -1)); n > 0 {
			found = append(found, fmt.Sprintf("%s has %s (%d)", name, phrase, n))
		}
	}
	slices.Sort(found)
	return found
}
