package grammar

import (
	"math"
	"strconv"
	"strings"
)

// tabRules are the rules about tabs.
func tabRules() []declared {
	const tabName = `(?P<which>(?:the )?(?:tab (?:number )?\d{1,3}|t\d{1,4}|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|previous|prev|other) tab|tab t\d{1,4}|tab .+|.+ tab))`
	which := func(verb Verb) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			s := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(x.said("which")), "the "))
			var name string
			if strings.HasPrefix(s, "tab ") {
				name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "tab "), "number "))
			} else {
				name = strings.TrimSpace(strings.TrimSuffix(s, " tab"))
			}
			switch name {
			case "", "all", "every", "other tabs", "new", "a", "an", "a new":
				return Step{}, false
			case "this", "current", "the current":
				if verb == VerbCloseTab {
					return Step{Verb: verb}, true
				}
				return Step{}, false
			}
			return Step{Verb: verb, Text: x.m.whole(name)}, len([]rune(name)) <= 60
		}
	}
	newTab := func(how string) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			where := x.text("where")
			if where == "" {
				return Step{Verb: VerbNewTab, How: how}, true
			}
			to, ok := address(where)
			return Step{Verb: VerbNewTab, Text: to, How: how}, ok
		}
	}
	const with = `(?:with|at|for|on|to|and go to|and open|and visit|and load|showing|:)`
	return []declared{
		{`(?:open |make |create |start )?(?:up )?(?:a |another )?new tab(?:(?: ` + with + `)? (?P<where>.+))?|(?:open|make) another tab(?: ` + with + ` (?P<where>.+))?`, newTab("")},
		{`(?:open )?(?:a )?(?:new )?background tab(?:(?: ` + with + `)? (?P<where>.+))?|open (?P<where>.+?) in (?:a |the )?(?:new )?background(?: tab)?`, newTab("back")},
		{`(?:open|load|show|visit|go to) (?P<where>.+?) in (?:a |another )?new tab`, newTab("")},
		{`(?:switch|go|change|move|jump|flip)(?: over)?(?: back)? to ` + tabName + `|(?:activate|show|select|bring up) ` + tabName + `|(?P<which>next tab|previous tab)`, which(VerbTab)},
		{`close (?:this|the|the current|current|my) tab|close tab`, fixed(Step{Verb: VerbCloseTab})},
		{`close ` + tabName, which(VerbCloseTab)},
		{`(?:accept|confirm|ok|okay|agree to) (?:the |this )?(?:dialog|dialogue|alert|prompt|confirmation|popup|message|question)(?: with (?P<v>.+))?`, dialog("accept")},
		{`answer (?:the |this )?(?:dialog|dialogue|prompt|question)(?: with)? (?P<v>.+)`, dialog("accept")},
		{`(?:dismiss|cancel|close|reject|decline) (?:the |this )?(?:dialog|dialogue|alert|prompt|confirmation|message)`, dialog("dismiss")},
	}
}

func dialog(how string) func(match) (Step, bool) {
	return func(x match) (Step, bool) { return Step{Verb: VerbDialog, How: how, Text: x.text("v")}, true }
}

// lookRules are the rules for reading, listing, finding and waiting.
func lookRules() []declared {
	const show = `(?:list|show me|show|give me|get|print|read out|display)`
	const page = `(?: (?:on|of|in|from) (?:this|the)(?: current)? (?:page|site|tab|window|browser)| here)?`
	const thisPage = `(?:(?:this|the)(?: current)?(?: whole| entire)? (?:page|site|article|tab)|it|everything|(?:this|the) page's text|(?:the )?(?:page )?text(?: of (?:this|the) page)?)`
	picture := func(full string) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			step := Step{Verb: VerbScreenshot, How: full}
			if x.said("t") == "" {
				return step, true
			}
			var ok bool
			step.How = ""
			step.Target, ok = x.target("t")
			return step, ok
		}
	}
	const shot = `(?:screenshot|screen shot|screen ?grab|screen capture|snapshot|picture|photo)`
	const take = `(?:(?:take|make|grab|capture|get|do|create|save|show me) )?(?:a |an |me a )?`
	wait := func(how string) func(match) (Step, bool) {
		return func(x match) (Step, bool) {
			said := x.said("v")
			t, ok := x.p.parse(*x.m, said)
			if !ok {
				return Step{}, false
			}
			if how == "text" && (t.Kind != "" || t.Raw != "") {
				return Step{Verb: VerbWait, How: "element", Target: t}, true
			}
			if how == "gone" {
				return Step{Verb: VerbWait, How: how, Target: t}, true
			}
			return Step{Verb: VerbWait, How: how, Text: x.m.whole(said)}, true
		}
	}
	return []declared{
		{take + `(?:full|full[- ]page|whole[- ]page|complete|entire) (?:page )?` + shot, picture("full")},
		{take + shot + ` of (?:the |this )?(?:full|whole|entire|complete) (?:page|site)`, picture("full")},
		{take + shot + `(?: of (?:this|the)(?: current)? (?:page|site|tab|screen|view)| of it)?|capture (?:this|the) (?:page|screen)`, picture("")},
		{take + shot + ` of (?P<t>.+)`, picture("")},
		{`(?:save|print|export|download)(?: (?:this|the) page| it| this)?(?: (?:as|to|into))? (?:a )?pdf|(?:make|create) a pdf(?: of (?:this|the) page)?|pdf`, fixed(Step{Verb: VerbPDF})},

		{`(?:read|show|show me|get|give me|print) (?:me )?` + thisPage + `(?: aloud| out loud| out| to me)?|text|read`, fixed(Step{Verb: VerbRead, How: "text"})},
		{`(?:(?:read|show|show me|get|give me|print|save) (?:me )?` + thisPage + ` )?(?:as |in )?markdown`, fixed(Step{Verb: VerbRead, How: "markdown"})},

		{`(?:` + show + ` )?(?:me )?(?:all )?(?:of )?(?:the |all the |my )?(?:open )?(?P<what>links|headings|headers|buttons|forms|fields|form fields|inputs|checkboxes|tables|images|pictures|media|videos|frames|tabs|landmarks|console|console messages|console errors|downloads)` + page, func(x match) (Step, bool) {
			what := strings.ToLower(x.said("what"))
			switch what {
			case "headers":
				what = "headings"
			case "form fields", "inputs":
				what = "fields"
			case "pictures", "videos", "media":
				what = "images"
			case "console messages", "console errors":
				what = "console"
			}
			return Step{Verb: VerbList, How: what}, true
		}},
		{show + ` (?:the )?(?:outline|structure)` + page, fixed(Step{Verb: VerbList, How: "headings"})},
		{`(?:snapshot|look|look at (?:this|the) page|` + show + ` (?:what is|everything) on (?:this|the) page)`, fixed(Step{Verb: VerbList, How: "everything"})},
		{`find (?P<q>.+)`, func(x match) (Step, bool) {
			step, ok := find(x)
			said := x.said("q")
			if x.m.quoted(said) {
				return step, ok
			}
			// Only a few words; a search that asks for a choice is not a search
			// for a text.
			return step, ok && len(strings.Fields(said)) <= 3 && !x.p.chosen.MatchString(said)
		}},

		{`wait(?: for)?(?: about)? (?P<n>\d{1,3}(?:\.\d+)?) ?(?P<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)`, pause},
		{`wait(?: for)? (?P<n>a|an|one|two|three|four|five|ten) (?P<unit>seconds?|minutes?|moment)`, pause},
		{`wait(?: a bit| a moment)?(?: (?:for|until) (?:the |this )?(?:page|site|it)(?: to (?:load|finish loading|be loaded|be ready)| (?:has |is )?(?:loaded|loads|finished loading|finishes loading|ready|done)))`, fixed(Step{Verb: VerbWait, How: "load"})},
		{`wait (?:for|until|till) (?P<v>.+?) (?:to (?:disappear|go away|vanish|be gone|close)|is gone|disappears|goes away|vanishes|has gone|closes)`, wait("gone")},
		{`wait for (?:the (?:text|word|words) )?(?P<v>.+)|wait (?:until|till) (?P<v>` + anyQuote + `)`, wait("text")},
		{`wait (?:for|until|till) (?:the (?:text|word|words) )?(?P<v>.+?)(?: to (?:appear|show up|show|be (?:there|visible|shown))| appears| shows up| is (?:there|visible|shown)| comes up)`, wait("text")},
	}
}

// pause returns a step that waits for a time.
func pause(x match) (Step, bool) {
	unit := strings.ToLower(x.said("unit"))
	length := 0.0
	if n, ok := numbers()[strings.ToLower(x.said("n"))]; ok {
		length = float64(n)
	} else if f, err := strconv.ParseFloat(x.said("n"), 64); err == nil {
		length = f
	}
	switch {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
	case strings.HasPrefix(unit, "m") && unit != "moment":
		length *= 60_000
	default:
		length *= 1000
	}
	return Step{Verb: VerbWait, How: "time", N: int(math.Round(length))}, length > 0 && length <= 300_000
}
