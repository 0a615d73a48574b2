package grammar

import "regexp"

// hints are the signs that an instruction is less plain than it looks. They are
// compiled with the grammar, and not when the program starts.
type hints struct {
	// onPlace is a search that ends in a place.
	onPlace *regexp.Regexp
	// intoTwice is a text with a second "into": which of them is meant is not plain.
	intoTwice *regexp.Regexp
	// forgetful are the names of what a person may want cleared and no field is.
	forgetful *regexp.Regexp
	// composed is an order to write something, rather than what is to be written.
	composed *regexp.Regexp
	// indirect is a value that is spoken of and not written out.
	indirect *regexp.Regexp
	// indefinite leaves the choice to who reads it.
	indefinite *regexp.Regexp
	// wholes are more than one field.
	wholes *regexp.Regexp
	// joined is more than one thing, perhaps: a value that has such a word goes in
	// quotes.
	joined *regexp.Regexp
	// chosen is a search that asks for a choice or for knowledge and not for a text.
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
		chosen:     re(`(?i)^(?:a|an|me|my|out|some|any|all|the|every|more|cheap|good|similar|another)\b|\b(?:bugs?|best|cheapest|errors?|issues?|problems?|near|nearest|similar|typos?|mistakes?)\b`),
	}
}
