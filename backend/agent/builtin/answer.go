package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/protocol"
)

// shown is how much of a page's text an answer shows, in characters.
const shown = 4000

// answer is the text of an answer under way.
type answer struct {
	lines []string
}

func (a *answer) done(d done) {
	a.lines = append(a.lines, strings.Join(append([]string{escaped(d.line) + "."}, d.more...), " "))
	if d.data != "" {
		a.lines = append(a.lines, block(d.data, d.lang))
	}
	if d.left != "" {
		a.lines = append(a.lines, d.left)
	}
}

func (a *answer) failed(s Step, err error) {
	e := plainError(err)
	text := "Not done: " + escaped(lowerFirst(intent(s))) + ". " + escaped(sentence(e.Message))
	var choices []string
	ask := ""
	if p, ok := errors.AsType[*problem](err); ok {
		choices, ask = p.choices, p.ask
	}
	if e.Hint != "" && ask == "" && !forShell(e.Hint) {
		text += " " + escaped(sentence(e.Hint))
	}
	a.lines = append(a.lines, text)
	if len(choices) > 0 {
		a.lines = append(a.lines, strings.Join(choices, "\n"))
	}
	if ask != "" {
		a.lines = append(a.lines, ask)
	}
}

// forShell says whether a hint is about the command line.
func forShell(hint string) bool {
	for _, sign := range []string{"pilotfish snapshot", "pilotfish help", "pilotfish tabs", "for example: pilotfish", "--timeout", "--max", "nth="} {
		if strings.Contains(hint, sign) {
			return true
		}
	}
	return false
}

func (a *answer) cancelled(s Step) {
	a.lines = append(a.lines, "Stopped while this was under way: "+escaped(lowerFirst(intent(s)))+". What it had begun may have been done.")
}

// rest says which steps were not begun.
func (a *answer) rest(steps []Step) {
	if len(steps) == 0 {
		return
	}
	words := make([]string, len(steps))
	for i := range steps {
		words[i] = escaped(lowerFirst(intent(steps[i])))
	}
	a.lines = append(a.lines, "Nothing after it was done: "+strings.Join(words, "; ")+".")
}

// String is the answer as Markdown.
func (a *answer) String() string { return strings.Join(a.lines, "\n\n") }

// block shows words of a page as data: in a fence that is longer than any run of
// the fence's own sign in it, so that nothing in it is Markdown or ends it.
func block(text, lang string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(visible(text), "\n") + "\n" + fence
}

// visible is foreign text without what hides or turns it.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, s)
}

// oneLine is foreign text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// quote is a short foreign text in a sentence.
func quote(s string) string { return "“" + cut(oneLine(s), 120) + "”" }

// escaped is a text in which nothing is Markdown.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>#!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	s = oneLine(s)
	if s == "" {
		return s
	}
	if r := []rune(s); unicode.IsLower(r[0]) && !strings.Contains(strings.Fields(s)[0], ":") {
		s = string(unicode.ToUpper(r[0])) + string(r[1:])
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) > 1 && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// unwrapped is a text without the envelopes in which agents get words of a page.
func unwrapped(s string) string {
	if !strings.Contains(s, "<page-") {
		return s
	}
	envelope := regexp.MustCompile(`(?s)<page-([0-9a-f]{16}) origin="[^"]*">\n?(.*?)\n?</page-([0-9a-f]{16})>`)
	return envelope.ReplaceAllStringFunc(s, func(whole string) string {
		if parts := envelope.FindStringSubmatch(whole); parts[1] == parts[3] {
			return parts[2]
		}
		return whole
	})
}

// trimmed cuts a text of a page to what is shown, and counts the rest; length is
// that of the whole.
func trimmed(text string, length int) (string, string) {
	runes := []rune(text)
	length = max(length, len(runes))
	if len(runes) > shown {
		runes = runes[:shown]
	}
	if left := length - len(runes); left > 0 {
		return string(runes), fmt.Sprintf("… %s more characters are not shown.", thousands(left))
	}
	return string(runes), ""
}

// trimmedLines is trimmed for a list, which is cut between lines.
func trimmedLines(lines []string, what string) (string, string) {
	used, n := 0, 0
	for n < len(lines) {
		used += len([]rune(lines[n])) + 1
		if used > shown && n > 0 {
			break
		}
		n++
	}
	left := ""
	if rest := len(lines) - n; rest > 0 {
		left = fmt.Sprintf("… %s more %s are not shown.", thousands(rest), what)
	}
	return strings.Join(lines[:n], "\n"), left
}

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// effect says what an action's report proves, after the line that says what was
// done.
// told says that the line has what the target holds now.
func effect(d *done, e *protocol.Effect, told bool) {
	add := func(format string, a ...any) { d.more = append(d.more, fmt.Sprintf(format, a...)) }
	if e.Dialog != nil {
		add("The page asks (%s): %s. Say “accept the dialog” or “dismiss the dialog”.", escaped(e.Dialog.Type), escaped(quote(e.Dialog.Message)))
	}
	switch {
	case e.Loading:
		add("It leads to %s, which is still loading.", code(e.URL))
	case e.Navigated:
		title := ""
		if e.Title != "" {
			title = " " + escaped(quote(e.Title))
		}
		add("It led to %s%s.", code(e.URL), title)
		if e.Status != 0 && (e.Status < 200 || e.Status > 299) {
			add("The server answered %d.", e.Status)
		}
	case e.Within:
		add("The address is now %s.", code(e.URL))
	}
	for _, t := range e.Tabs {
		add("It opened the tab %s.", t)
	}
	for _, f := range e.Downloads {
		add("It downloads %s.", escaped(quote(f)))
	}
	var page []string
	e.Changed = withoutFocus(e, told)
	if e.Moved != nil {
		// What scrolls out of view and into it is no news.
		e.Said, e.Appeared, e.Changed, e.Gone, e.More = nil, nil, nil, nil, 0
	}
	for _, group := range []struct {
		mark  string
		lines []string
	}{{"says: ", e.Said}, {"+ ", e.Appeared}, {"~ ", e.Changed}, {"- ", e.Gone}, {"console error: ", e.Errors}} {
		for _, l := range group.lines {
			page = append(page, group.mark+cut(oneLine(l), 200))
		}
	}
	if more := len(page) - effectLines; more > 0 {
		page = page[:effectLines]
		e.More += more
	}
	if len(page) > 0 {
		d.data = strings.Join(page, "\n")
		if e.More > 0 {
			d.left = fmt.Sprintf("… %d more changes are not shown.", e.More)
		}
	}
	if e.Nothing && e.Dialog == nil && e.Value == nil && e.Moved == nil {
		add("No change was seen on the page.")
	}
}

// effectLines is how many lines of a page's changes an answer shows.
const effectLines = 8

// withoutFocus are an action's changes but for the one that it has the focus now,
// and the one that something else has it no more.
//
// Where the line says what a field holds now, the field's own change is none
// either.
func withoutFocus(e *protocol.Effect, told bool) []string {
	ref, _, _ := strings.Cut(e.Hit, " ")
	kept := slices.DeleteFunc(slices.Clone(e.Changed), func(l string) bool {
		return l == e.Hit+" [focused]" || told && strings.HasPrefix(l, ref+" ")
	})
	if len(kept) == 1 && len(e.Changed) == 2 {
		return nil
	}
	return kept
}

// code is an address or the like as a span of code.
func code(s string) string {
	s = strings.ReplaceAll(cut(oneLine(s), 300), "`", "'")
	return "`" + s + "`"
}
