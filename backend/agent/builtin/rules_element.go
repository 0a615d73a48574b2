package builtin

import (
	"regexp"
	"strings"
)

// intoTwice is a text with a second "into": which of them is meant is not plain.
var intoTwice = regexp.MustCompile(`(?i)\s(?:into|in to)\s`)

// elementRules act on something on the page.
func elementRules() []declared {
	const click = `(?:left[- ])?(?:click|tap|press|push|hit|activate)(?: on| at)?`
	once := `(?: once)?`
	// What is typed stands as it was written, but for the full stop of a sentence.
	typed := func(x match, name string) (string, bool) {
		said := x.said(name)
		if said == "" {
			return "", false
		}
		text := x.m.whole(said)
		// "my name", "the password": what is meant is not what is written.
		return text, len([]rune(text)) <= longest && (x.m.quoted(said) || !indirect.MatchString(said))
	}
	// At the end of an instruction it has to be plain where the value ends.
	ends := func(said string, m *message) bool { return m.quoted(said) || !joined.MatchString(said) }
	into := func(verb Verb, last bool) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			text, ok := typed(x, "v")
			if !ok || intoTwice.MatchString(x.said("v")) || last && !ends(x.said("v"), x.m) {
				return Step{}, false
			}
			t, ok := x.target("t")
			return Step{Verb: verb, Text: text, Target: t}, ok && !wholes.MatchString(x.said("t"))
		}
	}
	press := func(x match) (Step, bool) {
		name, ok := keys(x.text("k"))
		if !ok {
			return Step{}, false
		}
		step := Step{Verb: VerbPress, Text: name}
		if n, given := x.number("n"); given && n > 1 {
			if n > 50 {
				return Step{}, false
			}
			step.Text = strings.TrimSpace(strings.Repeat(name+" ", n))
		}
		if x.said("t") == "" {
			return step, true
		}
		step.Target, ok = x.target("t")
		return step, ok
	}
	onField := func(verb Verb, text string) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			t, ok := x.target("t")
			return Step{Verb: verb, Text: text, Target: t}, ok && !forgetful.MatchString(t.Name)
		}
	}
	kindly := func(verb Verb) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			t, ok := x.target("t")
			return Step{Verb: verb, Target: t}, ok && (t.Kind != "" || t.Raw != "") && t.Kind != "tab"
		}
	}
	return []declared{
		{`(?:double|dbl)[- ]?click(?: on)? (?P<t>.+)`, on(VerbDouble)},
		{`(?:right)[- ]?click(?: on)? (?P<t>.+)`, on(VerbRight)},
		{`(?:press|hit|push|tap|type|use) (?:the )?(?P<k>.+?)(?: keys?)?(?: (?P<n>\w+)(?: times)?)? (?:in|into|on|inside) (?P<t>.+)`, press},
		{`(?:press|hit|push|tap|use) (?:the )?(?P<k>.+?)(?: keys?)? (?P<n>twice|\d{1,2} times|(?:two|three|four|five|six|seven|eight|nine|ten) times)`, func(x match) (Step, bool) {
			n := strings.TrimSuffix(strings.ToLower(x.said("n")), " times")
			count, ok := match{m: x.m, parts: []string{n}, names: []string{"n"}}.number("n")
			name, key := keys(x.text("k"))
			if !ok || !key || count > 50 {
				return Step{}, false
			}
			return Step{Verb: VerbPress, Text: strings.TrimSpace(strings.Repeat(name+" ", count))}, true
		}},
		{`(?:press|hit|push|tap|use) (?:the )?(?P<k>.+?)(?: keys?)?`, press},
		{`select all|select everything`, fixed(Step{Verb: VerbPress, Text: "Control+a"})},
		{`(?:select|choose|pick|set) (?:the )?(?:option )?(?P<v>.+?) (?:in|from|on|for|under) (?P<t>.+)`, into(VerbSelect, false)},
		{`(?:select|choose|pick) (?P<t>.+)`, func(x match) (Step, bool) {
			t, ok := x.target("t")
			if !ok || indefinite.MatchString(x.said("t")) {
				return Step{}, false
			}
			if t.Kind == "" || t.Kind == "option" {
				return Step{Verb: VerbSelect, Text: t.Name}, t.Name != "" && t.Nth == 0 && t.Within == ""
			}
			return Step{Verb: VerbClick, Target: t}, t.Kind != "tab" || t.Name != ""
		}},
		{click + ` (?P<t>.+?)` + once, on(VerbClick)},
		{`(?:follow|open|choose|use) (?P<t>.+)`, kindly(VerbClick)},
		{`(?:hover|hover over|hover on|mouse over|point (?:at|to)|move the (?:mouse|pointer|cursor) (?:to|over|onto)) (?P<t>.+)`, on(VerbHover)},
		{`(?:focus|focus on|put the (?:focus|cursor) (?:in|into|on)) (?P<t>.+)`, on(VerbFocus)},
		{`(?:drag|drag and drop|move) (?P<t>.+?) (?:to|onto|into|over to|over) (?P<to>.+)`, func(x match) (Step, bool) {
			from, ok := x.target("t")
			to, also := x.target("to")
			return Step{Verb: VerbDrag, Target: from, To: to}, ok && also
		}},

		{`(?:type|write|enter|input|put|insert|key in|fill in|fill) (?P<v>.+) (?:into|in to|inside) (?P<t>.+)`, into(VerbType, false)},
		{`(?:type|write|enter|input|put|insert|key in) (?P<v>.+) (?:in|on|as) (?P<t>.+)`, into(VerbType, false)},
		{`(?:in|into) (?P<t>.+?)(?:,)? (?:type|write|enter|input|put|insert) (?P<v>.+)`, into(VerbType, true)},
		{`(?:fill in|fill out|fill|complete) (?P<t>.+?) (?:with|as|:) ?(?P<v>.+)`, into(VerbFill, true)},
		{`(?:replace|overwrite) (?:the (?:text|value) (?:in|of) )?(?P<t>.+?) (?:with|by) (?P<v>.+)`, into(VerbFill, true)},
		{`(?:set|change) (?P<t>.+?) to (?P<v>.+)`, into(VerbSet, true)},
		{`(?:clear|empty|blank)(?: out)? (?P<t>.+)`, onField(VerbFill, "")},
		{`(?:type|write) (?P<v>.+)`, func(x match) (Step, bool) {
			text, ok := typed(x, "v")
			// Without quotes a long text may be more than that.
			return Step{Verb: VerbType, Text: text}, ok && !intoTwice.MatchString(x.said("v")) && ends(x.said("v"), x.m) &&
				(x.m.quoted(x.said("v")) || len(strings.Fields(text)) <= 6 && !composed.MatchString(text))
		}},

		{`(?:uncheck|untick|switch off|turn off|deselect|unselect) (?P<t>.+)|(?:switch|turn) (?P<t>.+) off`, on(VerbUncheck)},
		{`(?:check|tick|switch on|turn on)(?: off)? (?P<t>.+)|(?:switch|turn) (?P<t>.+) on`, on(VerbCheck)},
	}
}

// forgetful are the names of what a person may want cleared and no field is.
var forgetful = regexp.MustCompile(`(?i)\b(?:cookies?|caches?|history|storage|console|log|logs|data|chat|conversation|session|screen|page|everything)\b`)

// composed is an order to write something, rather than what is to be written.
var composed = regexp.MustCompile(`(?i)^(?:a|an|the|some|my|your|me|about|down|up|to)\s`)

// indirect is a value that is spoken of and not written out.
var indirect = regexp.MustCompile(`(?i)^(?:(?:my|your|our|their|his|her|its|the|some|any|random|a|an|this|that|these|those)\s.*|it|this|that|them|something|anything|random\S*)$`)

// indefinite leaves the choice to who reads it.
var indefinite = regexp.MustCompile(`(?i)^(?:an?|any|some|one|another|the (?:best|cheapest|right|correct|most|least))\b`)

// wholes are more than one field.
var wholes = regexp.MustCompile(`(?i)^(?:(?:in|out)\s+)?(?:the|this|that|all|every)?\s*(?:whole |entire |rest of the )?(?:forms?|fields|pages?|form fields|details|everything|rest|blanks?)$`)

// joined is more than one thing, perhaps: a value that has such a word goes in
// quotes.
var joined = regexp.MustCompile(`(?i)\s(?:and|then|&)\s|[,;\n]\s`)
