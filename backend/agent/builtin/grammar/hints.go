package grammar

import "regexp"

// hints are patterns that show that an instruction is less clear than it looks.
// They are compiled with the grammar, not at program start.
type hints struct {
	// onPlace matches a search that ends with a place.
	onPlace *regexp.Regexp
	// intoTwice matches a text with a second "into": it is not clear which of
	// them is meant.
	intoTwice *regexp.Regexp
	// forgetful matches names of things that a user may want to clear but that
	// are not fields.
	forgetful *regexp.Regexp
	// composed matches an order to write something, as opposed to the text
	// itself.
	composed *regexp.Regexp
	// indirect matches a value that is only described, not written out.
	indirect *regexp.Regexp
	// indefinite matches words that leave the choice to the reader.
	indefinite *regexp.Regexp
	// wholes matches words for more than one field.
	wholes *regexp.Regexp
	// joined matches words that may join several things: a value with such a
	// word must be in quotes.
	joined *regexp.Regexp
	// chosen matches a search that asks for a choice or for knowledge, not for
	// a text.
	chosen *regexp.Regexp
}

func newHints() hints {
	re := regexp.MustCompile
	return hints{
		onPlace:    re(`(?i)\s(?:on|in|at|using|via)\s+(?:the\s+|this\s+|my\s+)?(?:\S+\.\S{2,}|page|site|website|web ?page|tab|app|list|table|inbox|file|files)$`),
		intoTwice:  re(`(?i)\s(?:into|in to)\s`),
		forgetful:  re(`(?i)\b(?:cookies?|caches?|history|storage|console|log|logs|data|chat|conversation|session|screen|page|everything)\b`),
		composed:   re(`(?i)^(?:a|an|the|some|my|your|me|about|down|up|to)\s`),
		indirect:   re(`(?i)^(?:(?:my|your|our|their|his|her|its|the|some|any|random|a|an|this|that|these|those)\s.*|it|this|that|them|something|anything|random\S*)$`),
		indefinite: re(`(?i)^(?:an?|any|some|one|another|the (?:best|cheapest|right|correct|most|least))\b`),
		wholes:     re(`(?i)^(?:(?:in|out)\s+)?(?:the|this|that|all|every)?\s*(?:whole |entire |rest of the )?(?:forms?|fields|pages?|form fields|details|everything|rest|blanks?)$`),
		joined:     re(`(?i)\s(?:and|then|&)\s|[,;\n]\s`),
		chosen:     re(`(?i)^(?:a|an|me|my|out|some|any|all|the|every|more|cheap|good|similar|another|between|among)\b|\b(?:bugs?|best|cheapest|errors?|issues?|problems?|near|nearest|similar|typos?|mistakes?)\b`),
	}
}
