package grammar

import (
	"strings"
)

// elementRules are the rules for acting on an element of the page.
func elementRules() []declared {
	const click = `(?:left[- ])?(?:click|tap|press|push|hit|activate)(?: on| at)?`
	once := `(?: once)?`
	// The text to type is used as written, but without the full stop of the
	// sentence.
	typed := func(x match, name string) (string, bool) {
		said := x.said(name)
		if said == "" {
			return "", false
		}
		text := x.m.whole(said)
		// "my name", "the password": the text is a description, not the value
		// itself.
		return text, len([]rune(text)) <= longest && (x.m.quoted(said) || !x.p.indirect.MatchString(said))
	}
	// At the end of an instruction it must be clear where the value ends.
	ends := func(x match) bool { return x.m.quoted(x.said("v")) || !x.p.joined.MatchString(x.said("v")) }
	into := func(verb Verb, last bool) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			text, ok := typed(x, "v")
			if !ok || x.p.intoTwice.MatchString(x.said("v")) || last && !ends(x) {
				return Step{}, false
			}
			t, ok := x.target("t")
			return Step{Verb: verb, Text: text, Target: t}, ok && !x.p.wholes.MatchString(x.said("t"))
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
			return Step{Verb: verb, Text: text, Target: t}, ok && !x.p.forgetful.MatchString(t.Name)
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
			if !ok || x.p.indefinite.MatchString(x.said("t")) {
				return Step{}, false
			}
			if t.Kind == "" || t.Kind == "option" {
				return Step{Verb: VerbSelect, Text: t.Name}, t.Name != "" && t.Nth == 0 && t.Within == "" && (t.Quoted || !x.p.chosen.MatchString(t.Name))
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
		{`type (?P<v>.+)|write (?P<v>` + anyQuote + `)`, func(x match) (Step, bool) {
			text, ok := typed(x, "v")
			// Without quotes, a long text may contain more than the text to
			// type.
			return Step{Verb: VerbType, Text: text}, ok && !x.p.intoTwice.MatchString(x.said("v")) && ends(x) &&
				(x.m.quoted(x.said("v")) || len(strings.Fields(text)) <= 6 && !x.p.composed.MatchString(text))
		}},

		{`(?:uncheck|untick|switch off|turn off|deselect|unselect) (?P<t>.+)|(?:switch|turn) (?P<t>.+) off`, on(VerbUncheck)},
		{`(?:check|tick|switch on|turn on)(?: off)? (?P<t>.+)|(?:switch|turn) (?P<t>.+) on`, on(VerbCheck)},
	}
}
