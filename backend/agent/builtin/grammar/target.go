package grammar

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// targets parses a user's description of an element on the page.
type targets struct {
	hints

	ref, point, raw          *regexp.Regexp
	mention                  *regexp.Regexp
	lead, called, kind       *regexp.Regexp
	nth, nthNumber           *regexp.Regexp
	more, vague, kindOnly    *regexp.Regexp
	landmark, namedRegion    *regexp.Regexp
	kindNth, kindNumberNamed *regexp.Regexp
}

// kindWords are the words for kinds of elements; of two words with the same
// beginning, the longer one comes first.
const kindWords = `text ?field|input field|search ?(?:field|box|bar|input)|text ?box|text ?area|input box|check ?box|radio button|drop-?down(?: list| menu)?|` +
	`select box|combo ?box|list ?box|menu ?item|button|btn|link|hyperlink|field|input|box|switch|toggle|radio|option|select|tab|menu|picture|image|icon|heading|slider|result|row|cell|element`

// landmarkWords maps the words for parts of a page to their roles in the web's
// standards.
func landmarkWords() map[string]string {
	return map[string]string{
		"header": "banner", "banner": "banner", "footer": "contentinfo", "navigation": "navigation", "nav": "navigation", "nav bar": "navigation",
		"navbar": "navigation", "navigation bar": "navigation", "main": "main", "main part": "main", "main content": "main", "content": "main",
		"sidebar": "complementary", "side bar": "complementary", "dialog": "dialog", "popup": "dialog", "pop-up": "dialog", "modal": "dialog",
		"form": "form", "table": "table", "toolbar": "toolbar", "list": "list",
	}
}

func newTargets() targets {
	re := regexp.MustCompile
	return targets{
		hints: newHints(),
		ref:   re(`(?i)^(?:(?:the )?(?:element|ref|item|thing) )?@?((?:f\d+)?e\d+)$`),
		// The picker inserts a ref, followed by a description: @e3 button
		// "Save".
		mention: re(`(?i)^@((?:f\d+)?e\d+) \S{1,80} (\S)$`),
		point:   re(`^(?:(?:the )?(?:point|position) )?\(?\s*(\d{1,5})\s*,\s*(\d{1,5})\s*\)?$`),
		raw:     re(`^(?:(?:css|text|label)=\S.*|role=[a-z]+(?: name=.+)?|[#.][A-Za-z_][\w-]*)$`),
		lead:    re(`(?i)^(?:(?:on|at|over)\s+)?(?:(?:the|this|that|my|a|an)\s+)?`),
		// "button called Save", "link to Pricing"
		called:          re(`(?is)^(` + kindWords + `)\s+(?:(?:called|named|labell?ed|titled|with the (?:text|name|label|title)|that says|which says|saying|reading|to|for)\s+)?(.+)$`),
		kind:            re(`(?is)^(.+?)\s+(` + kindWords + `)$`),
		kindOnly:        re(`(?i)^(` + kindWords + `)s?$`),
		nth:             re(`(?i)^(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|top|last)\s+(.+)$`),
		nthNumber:       re(`(?i)^(\d{1,3})(?:st|nd|rd|th)\s+(.+)$`),
		kindNth:         re(`(?i)^(` + kindWords + `)\s+(?:number |no\.? ?|#)(\d{1,3})$`),
		kindNumberNamed: re(`(?i)^(?:number |no\.? ?|#)(\d{1,3})\s+(.+)$`),
		landmark:        re(`(?i)^(header|banner|footer|nav|nav ?bar|navigation|navigation bar|main|main part|main content|content|side ?bar|dialog|popup|pop-up|modal|form|table|toolbar|list)$`),
		namedRegion:     re(`(?is)^(.+?)\s+(?:section|region|part|area|form|dialog|table|box|card)$`),
		// Words that make it more than a name: a condition, a loop, a choice.
		more:  re(`(?i)\b(?:until|unless|if|while|because|whichever|whatever|every|each|any|both|them|times|instead|except|without|somewhere|something|someone|everything|anything|nothing|several|some|wherever|so that|in order)\b`),
		vague: re(`(?i)^(?:it|this|that|these|those|there|here|him|her|one|all|all\s.*|me|you|us|again|more|on|off|up|down|in|out|page|this page|the page|screen|around|elsewhere)$`),
	}
}

// parse parses a target; ok is false if it is not clearly one element.
func (g *targets) parse(m message, said string) (t Target, ok bool) {
	said = strings.Trim(strings.TrimSpace(said), ",;:")
	if said == "" {
		return t, false
	}
	if !m.quoted(said) {
		if found := g.ref.FindStringSubmatch(said); found != nil {
			return Target{Raw: strings.ToLower(found[1])}, true
		}
		if found := g.mention.FindStringSubmatch(said); len(found) == 3 && m.quoted(found[2]) {
			return Target{Raw: strings.ToLower(found[1])}, true
		}
		if found := g.point.FindStringSubmatch(g.lead.ReplaceAllString(said, "")); found != nil {
			return Target{Raw: found[1] + "," + found[2]}, true
		}
		if g.raw.MatchString(said) {
			return Target{Raw: m.whole(said)}, true
		}
	}
	choice := g.indefinite.MatchString(said)
	said = strings.TrimSpace(g.lead.ReplaceAllString(said, ""))
	if rest, where, found := g.inPart(m, said); found {
		said, t.Within = rest, where
	}
	said = g.count(said, &t)
	said = g.kinds(said, &t)
	if t.Kind == "result" && t.Nth == 0 {
		return t, false // which one?
	}
	if said == "" {
		return t, t.Kind != "" && !choice // "a link": which one?
	}
	t.Quoted = m.quoted(said)
	t.Name = strings.Join(strings.Fields(m.whole(said)), " ")
	if t.Name == "" {
		return t, false
	}
	if t.Quoted {
		return t, true
	}
	// A name without quotes is short, and contains nothing else.
	if len([]rune(t.Name)) > 60 || len(strings.Fields(t.Name)) > 8 || g.more.MatchString(t.Name) || g.vague.MatchString(t.Name) || goesOn(t.Name) || strings.ContainsAny(t.Name, "\n,;") {
		return t, false
	}
	return t, t.Kind != "result"
}

// goesOn reports whether a text without quotes is more than a name or a value:
// "Terms and Conditions" is a name, "Save and call the bank" is not.
func goesOn(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		switch strings.Trim(w, ",") {
		case "then":
			return true
		case "and":
			rest := words[i+1:]
			if len(rest) > 2 || slices.ContainsFunc(rest, func(w string) bool { return slices.Contains([]string{"a", "an", "the", "my", "it", "me", "them"}, w) }) {
				return true
			}
		}
	}
	return false
}

// inPart splits a text such as "Save in the header"; it splits off only parts
// of pages that can be found.
func (g *targets) inPart(m message, said string) (rest, where string, ok bool) {
	// It looks for the last "in" with a part of the page after it. The name of
	// a part has at most three words and an article.
	for from, words := len(said), 0; from > 0 && words < 4; words++ {
		cut := strings.LastIndex(said[:from], " ")
		if cut <= 0 {
			return "", "", false
		}
		from = cut
		tail := strings.TrimSpace(said[cut:])
		head := strings.TrimSpace(said[:cut])
		for _, word := range []string{" in", " inside", " within", " from", " of", " at"} {
			lowHead := strings.ToLower(head)
			for _, article := range []string{"", " the"} {
				if !strings.HasSuffix(lowHead, word+article) {
					continue
				}
				before := strings.TrimSpace(head[:len(head)-len(word+article)])
				if before == "" {
					continue
				}
				if g.landmark.MatchString(tail) {
					return before, landmarkWords()[strings.ToLower(tail)], true
				}
				if named := g.namedRegion.FindStringSubmatch(tail); named != nil {
					return before, m.whole(named[1]), true
				}
			}
		}
	}
	return "", "", false
}

// count removes "second", "3rd" or "number 2" from the beginning.
func (g *targets) count(said string, t *Target) string {
	if found := g.nth.FindStringSubmatch(said); found != nil {
		t.Nth = Ordinals()[strings.ToLower(found[1])]
		return found[2]
	}
	for _, re := range []*regexp.Regexp{g.nthNumber, g.kindNumberNamed} {
		if found := re.FindStringSubmatch(said); found != nil {
			if n, err := strconv.Atoi(found[1]); err == nil && n > 0 {
				t.Nth = n
				return found[2]
			}
		}
	}
	if found := g.kindNth.FindStringSubmatch(said); found != nil {
		if n, err := strconv.Atoi(found[2]); err == nil && n > 0 {
			t.Nth = n
			return found[1]
		}
	}
	return said
}

// kinds removes the word for the kind of element: "Save button", "button Save".
func (g *targets) kinds(said string, t *Target) string {
	if found := g.kindOnly.FindStringSubmatch(said); found != nil {
		t.Kind, t.Word = kindOf(found[1]), found[1]
		return ""
	}
	if found := g.kind.FindStringSubmatch(said); found != nil {
		t.Kind = kindOf(found[2])
		return found[1]
	}
	if found := g.called.FindStringSubmatch(said); found != nil {
		// "tab bar", "menu of the day": names that begin with such a word. With
		// quotes or "called" it is clear.
		if t.Kind = kindOf(found[1]); t.Kind != "" {
			return found[2]
		}
	}
	return said
}

// kindOf returns one word for words with the same meaning.
func kindOf(word string) string {
	word = strings.ToLower(word)
	switch {
	case strings.HasPrefix(word, "check"):
		return "checkbox"
	case strings.HasPrefix(word, "radio"):
		return "radio"
	case strings.HasPrefix(word, "search"):
		return "search field"
	case strings.HasPrefix(word, "drop"), word == "select", word == "select box", strings.HasPrefix(word, "combo"), strings.HasPrefix(word, "list"):
		return "list"
	case strings.HasPrefix(word, "menu") && len(word) > 4:
		return "menu item"
	}
	switch word {
	case "button", "btn":
		return "button"
	case "hyperlink":
		return "link"
	case "switch", "toggle":
		return "switch"
	case "picture", "image", "icon":
		return "picture"
	case "link", "option", "tab", "menu", "heading", "slider", "result", "row", "cell", "element", "box":
		return word
	}
	return "field"
}
