package grammar

import (
	"regexp"
	"strconv"
	"strings"
)

// rule is a pattern for a whole clause, and its meaning. make may refuse the
// clause.
type rule struct {
	re   *regexp.Regexp
	make func(match) (Step, bool)
}

// match is a clause that matches a rule.
type match struct {
	p      *patterns
	m      *message
	parts  []string
	names  []string
	before *Step
}

// said returns a part of the clause, with quotes still replaced by their runes.
func (x match) said(name string) string {
	for i, n := range x.names {
		if n, _, _ = strings.Cut(n, "_"); n == name && x.parts[i] != "" {
			return strings.TrimSpace(x.parts[i])
		}
	}
	return ""
}

// text returns a part of the clause as the user wrote it.
func (x match) text(name string) string { return x.m.whole(x.said(name)) }

// target returns the element that a part of the clause names.
func (x match) target(name string) (Target, bool) { return x.p.parse(*x.m, x.said(name)) }

// number returns a part of the clause that is a number in digits or words.
func (x match) number(name string) (int, bool) {
	s := strings.ToLower(x.said(name))
	if n, ok := numbers()[s]; ok {
		return n, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// declared is a rule before it is compiled. A space in the pattern matches
// white space of any length.
type declared struct {
	pattern string
	make    func(match) (Step, bool)
}

func (p *patterns) compileRules(lists ...[]declared) []rule {
	var rules []rule
	named := regexp.MustCompile(`\(\?P<(\w+)>`)
	for _, list := range lists {
		for _, d := range list {
			pattern := strings.ReplaceAll(strings.ReplaceAll(d.pattern, " ?", `\s*`), " ", `\s+`)
			// A named part may occur in several alternatives; Go's regexp
			// package needs a different name for each.
			n := 0
			pattern = named.ReplaceAllStringFunc(pattern, func(part string) string {
				n++
				return strings.TrimSuffix(part, ">") + "_" + strconv.Itoa(n) + ">"
			})
			rules = append(rules, rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), d.make})
		}
	}
	return rules
}

// fixed returns a make function that always returns the same step.
func fixed(step Step) func(match) (Step, bool) {
	return func(match) (Step, bool) { return step, true }
}

// on returns a make function for a verb with one element, which is in the part
// "t".
func on(verb Verb) func(match) (Step, bool) {
	return func(x match) (Step, bool) {
		t, ok := x.target("t")
		return Step{Verb: verb, Target: t}, ok
	}
}

// questionRules are the questions that Pilot can answer at once. They are tried
// before the words that ask for comprehension, and only on a whole message.
func questionRules() []declared {
	ask := func(how string) func(match) (Step, bool) { return fixed(Step{Verb: VerbAsk, How: how}) }
	const which = `(?:what(?: is|'s|s)?|tell me|show(?: me)?|give me|get|print|say)`
	const page = `(?: of (?:this|the)(?: current)? (?:page|tab|site)| here)?`
	return []declared{
		{`(?:` + which + ` )?(?:the |this |my |our )?(?:current )?(?:page'?s? |tab'?s? )?(?:url|address|web address)` + page, ask("url")},
		{`(?:` + which + ` )?(?:the |this |my )?(?:current )?(?:page'?s? |tab'?s? )?title` + page, ask("title")},
		{`where (?:am i|are we)(?: now| right now)?`, ask("where")},
		{`(?:what|which) (?:page|site|website|tab) (?:is this|am i on|are we on|is open)`, ask("where")},
		{`what(?: is|'s|s) (?:this (?:page|site) called|the name of this (?:page|site))`, ask("title")},
		{`(?:what|which) tabs (?:are|do i have)(?: there)? open`, fixed(Step{Verb: VerbList, How: "tabs"})},
		{`(?:help|help me|commands?|what can (?:you|i) do|what do you (?:do|understand|know)|what are you|who are you|how do(?:es)? (?:this|you) work)`, fixed(Step{Verb: VerbHelp})},
	}
}

// pageRules are the rules for opening pages and moving in them.
func pageRules() []declared {
	const goTo = `(?:go to|goto|go|open up|open|visit|navigate to|navigate|browse to|browse|load|take me to|bring me to|head to|head over to|show me|bring up|pull up|surf to|jump to)`
	const pixels = `(?:(?: by)? (?P<n>\d{1,5}) ?(?P<unit>px|pixels?|points?)?)`
	search := func(x match) (Step, bool) {
		words := x.text("q")
		if words == "" || len([]rune(words)) > 200 || !x.m.quoted(x.said("q")) && goesOn(words) || strings.HasPrefix(strings.ToLower(x.said("q")), "for ") {
			return Step{}, false
		}
		if name := x.said("engine"); name != "" {
			engine, ok := engineName(name)
			return Step{Verb: VerbSearch, Text: words, How: engine}, ok
		}
		if x.said("here") != "" {
			return Step{Verb: VerbSearchHere, Text: words}, true
		}
		// "the word on this page", "on example.com": a search in a place that
		// is not the current page.
		if x.p.onPlace.MatchString(x.said("q")) {
			return Step{}, false
		}
		if x.before != nil && x.before.Verb == VerbGoto {
			if engine, ok := engineOf(x.before.Text); ok {
				return Step{Verb: VerbSearch, Text: words, How: engine}, true
			}
			return Step{Verb: VerbSearchHere, Text: words}, true
		}
		return Step{Verb: VerbSearch, Text: words, How: defaultEngine, Guessed: true}, true
	}
	scroll := func(axis string, sign int) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			n := 600
			if given, ok := x.number("n"); ok {
				n = given
				if times := x.said("unit"); times == "" && given <= 20 {
					n *= 600 // "scroll down 3": times, not pixels
				}
			}
			if given, ok := x.number("pages"); ok {
				n = 600 * given
			}
			switch strings.ToLower(x.said("bit")) {
			case "":
			case "a lot", "far", "more", "further":
				n = 1800
			default:
				n = 200
			}
			return Step{Verb: VerbScroll, How: axis, N: sign * n}, n <= 100_000
		}
	}
	const much = `(?:` + pixels + `| (?P<bit>a bit|a little|a little bit|slightly|a lot|far|further|more)| (?P<pages>a|one|two|three|four|five|\d) (?:pages?|screens?|times)| (?P<pages>once|twice))?`
	const page = `(?:(?:the|this)(?: current)? )?(?:web ?)?(?:page|tab|site|document)`
	const end = `(?: of (?:the|this) page)?`
	far := func(n int) func(match) (Step, bool) { return fixed(Step{Verb: VerbScroll, How: "y", N: n}) }
	return []declared{
		{`(?:go |navigate |move )?back(?: (?:a|one)(?: page)?| to the (?:previous|last) (?:page|site))?|(?:go to )?(?:the )?previous page`, fixed(Step{Verb: VerbBack})},
		{`(?:go |navigate |move )?forwards?(?: (?:a|one)(?: page)?| to the next page)?`, fixed(Step{Verb: VerbForward})},
		{`(?:reload|refresh)(?: ` + page + `| it)?(?: again)?|(?:load|open) (?:the|this) page again`, fixed(Step{Verb: VerbReload})},
		{goTo + ` (?:the )?(?:very )?(?:bottom|end)` + end, far(FarAway)},
		{goTo + ` (?:the )?(?:very )?(?:top|start|beginning)` + end, far(-FarAway)},
		{`scroll(?: the page)?(?: all the way)?(?: down)?(?: all the way)?(?: to)? (?:the )?(?:very )?(?:bottom|end)` + end, far(FarAway)},
		{`scroll(?: the page)?(?: all the way)?(?: up)?(?: all the way)?(?: to)? (?:the )?(?:very )?(?:top|start|beginning)` + end, far(-FarAway)},
		{`(?:scroll|move)(?: (?:the|this) page)?(?: down(?:wards?)?)?` + much + `|page down`, scroll("y", 1)},
		{`(?:scroll|move)(?: (?:the|this) page)? up(?:wards?)?` + much + `|page up`, scroll("y", -1)},
		{`scroll(?: (?:the|this) page)?(?: to the)? right` + much, scroll("x", 1)},
		{`scroll(?: (?:the|this) page)?(?: to the)? left` + much, scroll("x", -1)},
		{`scroll (?:down |up )?(?:to|until you (?:see|reach)) (?P<t>.+)|scroll (?P<t>.+?) into view|bring (?P<t>.+?) into view`, on(VerbScroll)},
		{`(?:search|look|find)(?: for)? (?P<q>.+?) (?:on|in|within) (?:this|the)(?: current)? page|find (?:the )?(?:text|word|words|phrase|string) (?P<q>.+)`, find},
		{`(?:search|look)(?: (?:the web|online|the internet))? for (?P<q>.+?) (?:on|in|with|using|at|via) (?:the )?(?P<engine>[\pL .]+)`, search},
		{`search (?P<here>here|this site|this website|the site|on this site|this page)(?: for)? (?P<q>.+)|search for (?P<q>.+?) (?P<here>here|on this site|on the site|on this website|in the search (?:box|field|bar))`, search},
		{`(?:search|ask) (?:on |in )?(?P<engine>[\pL .]+?) for (?P<q>.+)`, search},
		{`look up (?P<q>.+?) (?:on|in|with|using|at|via) (?:the )?(?P<engine>[\pL .]+)`, search},
		{`(?:search|look)(?: (?:the web|online|the internet))? for (?P<q>.+)|look up (?P<q>.+)|look (?P<q>.+) up`, search},
		{`(?P<engine>google|duckduckgo|bing)(?: search)?(?: for)? (?P<q>.+)`, func(x match) (Step, bool) {
			if _, place := address(x.parts[0]); place {
				return Step{}, false // "google maps"
			}
			return search(x)
		}},
		{`(?:search for|search) (?P<q>` + anyQuote + `)`, search},
		{goTo + `(?: (?:the )?(?:page|site|website|url|address))? (?P<where>\S.*)`, func(x match) (Step, bool) {
			to, ok := address(x.text("where"))
			return Step{Verb: VerbGoto, Text: to}, ok
		}},
		// An address alone means: go there.
		{`(?P<where>\S+)`, func(x match) (Step, bool) {
			to := x.said("where")
			return Step{Verb: VerbGoto, Text: to}, looksLikeAddress(to)
		}},
	}
}

// FarAway is more than the length of any page, in CSS pixels.
const FarAway = 1_000_000

// find returns a step that searches on the page.
func find(x match) (Step, bool) {
	words := x.text("q")
	return Step{Verb: VerbFind, Text: words}, words != "" && len([]rune(words)) <= 200
}
