package grammar

import (
	"regexp"
	"strings"
	"sync"
)

// Grammar understands plain instructions. It is created once and is safe for
// concurrent use; its patterns are compiled at the first use.
type Grammar struct {
	words   []string
	compile func() *patterns
}

// patterns are the compiled patterns of a Grammar.
type patterns struct {
	courtesy
	targets

	rules     []rule
	questions []rule
	joint     *regexp.Regexp
	control   *regexp.Regexp
	typing    *regexp.Regexp
}

// New returns a grammar. words are the words that ask for comprehension; nil
// means DefaultWords.
func New(words []string) *Grammar {
	if words == nil {
		words = DefaultWords()
	}
	return &Grammar{words: words, compile: sync.OnceValue(func() *patterns {
		p := &patterns{courtesy: newCourtesy(), targets: newTargets()}
		p.joint = regexp.MustCompile(`(?i)\s*[\n;]+\s*(?:(?:and|then|next|finally|lastly|afterwards|after that|also)\b[\s,]*)*` +
			`|\s*,\s*(?:(?:and|then|next|finally|lastly|afterwards|after that|also)\b[\s,]*)*` +
			`|[.!]\s+(?:(?:and|then|next|finally|lastly|afterwards|after that|also)\b[\s,]*)*` +
			`|\s+(?:and|then|afterwards|after that|&|->|→)(?:[\s,]+(?:then|next|finally|lastly|afterwards|after that|also))*[\s,]+`)
		// "check the Newsletter box" is an instruction; "check the links" is not.
		p.control = regexp.MustCompile(`(?i)\bcheck\s+(?:(?:on|the|this|my)\s+)*(?:@?(?:f\d+)?e\d+|` + anyQuote + `|` +
			`[^,;.\n]{0,60}?\b(?:check ?box|box|option|switch|toggle|radio(?: button)?))\s*(?:$|[,;.!\n]|\s(?:and|then)\b)`)
		p.typing = regexp.MustCompile(`(?i)^(?:type|write|enter|input|put|insert|key in|fill|set|change|replace|answer)\s`)
		p.questions = p.compileRules(questionRules())
		p.rules = p.compileRules(pageRules(), elementRules(), tabRules(), lookRules())
		return p
	})}
}

// The longest message that is parsed for instructions, in characters, and the
// most steps of one.
const (
	longest  = 1500
	maxSteps = 30
	// maxJoined bounds into how many parts the separators inside one
	// instruction may divide it: "type a, b and c into Notes" has three parts.
	maxJoined = 5
)

// Unknown is why a message has no plan.
type Unknown struct {
	// Word selects the strong model; empty if that is not the reason.
	Word string
	// Said is the part that was not understood.
	Said string
	// Understood are the steps before that part.
	Understood []Step
}

// Parse understands a message completely, or not at all.
func (g *Grammar) Parse(text string) (Plan, *Unknown) {
	if len([]rune(text)) > longest {
		return Plan{}, &Unknown{Said: firstLine(text)}
	}
	p := g.compile()
	m := newMessage(text)
	m.text = p.marker.ReplaceAllString(strings.TrimSpace(m.text), "")
	m.text = strings.TrimSpace(strings.TrimPrefix(m.text, "/"))
	if m.text == "" {
		return Plan{}, &Unknown{}
	}
	if step, ok := p.first(p.questions, &m, strings.TrimRight(p.plain(m.text), " ?.!"), nil); ok {
		step.Said = m.whole(m.text)
		return Plan{Steps: []Step{step}}, nil
	}
	bare := m
	bare.text = p.control.ReplaceAllString(m.text, "\n")
	if word := bare.comprehension(g.words); word != "" {
		return Plan{}, &Unknown{Word: word, Said: m.whole(m.text)}
	}
	return p.split(m)
}

// Target parses the words for one element of a page.
func (g *Grammar) Target(said string) (Target, bool) {
	m := newMessage(said)
	return g.compile().parse(m, m.text)
}

// first returns the step of the first rule that matches a clause.
func (p *patterns) first(rules []rule, m *message, clause string, before *Step) (Step, bool) {
	for i := range rules {
		found := rules[i].re.FindStringSubmatch(clause)
		if found == nil {
			continue
		}
		// If a matching rule refuses the clause, the other rules are tried.
		if step, ok := rules[i].make(match{p: p, m: m, parts: found, names: rules[i].re.SubexpNames(), before: before}); ok {
			step.Said = m.whole(clause)
			return step, true
		}
	}
	return Step{}, false
}

// clause parses one instruction. For a mere courtesy it returns no step and
// true.
func (p *patterns) clause(m *message, text string, before *Step) ([]Step, bool) {
	if p.only.MatchString(text) {
		return nil, true
	}
	// The text as written comes first: "next tab" begins like a mere courtesy.
	for _, said := range []string{strings.TrimSpace(text), p.plain(text)} {
		ends := " .!?"
		if p.typing.MatchString(said) {
			ends = " ." // the typed text may be a question
		}
		if said = strings.TrimRight(said, ends); said == "" {
			return nil, false
		}
		if step, ok := p.first(p.rules, m, said, before); ok {
			return []Step{step}, true
		}
		text = said
	}
	// "fill Name with Ada and Surname with Lovelace": the verb is there only
	// once.
	if before == nil || before.Target.Empty() {
		return nil, false
	}
	var verb, needs string
	switch before.Verb {
	case VerbFill:
		verb, needs = "fill ", " with "
	case VerbType:
		verb, needs = "type ", " into "
	case VerbSelect:
		verb, needs = "select ", " in "
	case VerbSet:
		verb, needs = "set ", " to "
	default:
		return nil, false
	}
	if !strings.Contains(strings.ToLower(text), needs) {
		return nil, false
	}
	if step, ok := p.first(p.rules, m, verb+strings.TrimRight(text, " ."), before); ok {
		return []Step{step}, true
	}
	return nil, false
}

// split finds the separators at which a message divides into instructions. It
// tries short instructions first. There is no plan unless the whole message is
// understood.
func (p *patterns) split(m message) (Plan, *Unknown) {
	type joint struct{ from, to int }
	joints := []joint{}
	for _, at := range p.joint.FindAllStringIndex(m.text, maxSteps+1) {
		joints = append(joints, joint{at[0], at[1]})
	}
	if len(joints) > maxSteps {
		return Plan{}, &Unknown{Said: firstLine(m.text)}
	}
	joints = append(joints, joint{len(m.text), len(m.text)})
	type place struct {
		from   int
		before string
	}
	failed := map[place]bool{}
	furthest, understood := 0, []Step(nil)
	var rest func(from int, done []Step) ([]Step, bool)
	rest = func(from int, done []Step) ([]Step, bool) {
		if from > len(joints)-1 {
			return done, true
		}
		var before *Step
		at := place{from: from}
		if len(done) > 0 {
			before = &done[len(done)-1]
			at.before = relevant(before)
		}
		if failed[at] {
			return nil, false
		}
		if from >= furthest && len(done) >= len(understood) {
			furthest, understood = from, append([]Step(nil), done...)
		}
		start := 0
		if from > 0 {
			start = joints[from-1].to
		}
		for i := from; i < min(len(joints), from+maxJoined); i++ {
			steps, ok := p.clause(&m, m.text[start:max(start, joints[i].from)], before)
			if !ok {
				continue
			}
			if all, ok := rest(i+1, append(done[:len(done):len(done)], steps...)); ok {
				return all, true
			}
		}
		failed[at] = true
		return nil, false
	}
	steps, ok := rest(0, nil)
	if !ok || len(steps) == 0 {
		start := 0
		if furthest > 0 {
			start = joints[furthest-1].to
		}
		return Plan{}, &Unknown{Said: strings.TrimSpace(m.whole(m.text[start:])), Understood: understood}
	}
	return Plan{Steps: steps}, nil
}

// relevant returns the part of a step that affects how the next clause is
// parsed.
func relevant(before *Step) string {
	switch before.Verb {
	case VerbGoto:
		return "goto " + before.Text
	case VerbFill, VerbType, VerbSelect, VerbSet:
		if !before.Target.Empty() {
			return string(before.Verb)
		}
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return cut(line, 200)
}

// cut shortens a text to a length in characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
