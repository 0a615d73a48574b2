package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// shown is how much of a page's text an answer shows, in characters.
const shown = 4000

// prose says in Markdown what came of a step that was done.
func (d done) prose() string {
	line := d.marked
	if line == "" {
		line = escaped(d.line)
	}
	parts := []string{strings.Join(append([]string{line + "."}, d.more...), " ")}
	switch {
	case d.shown != nil:
		parts = append(parts, *d.shown)
	case d.data != "":
		parts = append(parts, block(d.data, ""))
	}
	if d.left != "" {
		parts = append(parts, d.left)
	}
	return paragraphs(parts...)
}

// failure says why a step was not done. The page's elements that may have been
// meant stand beside it in which, for a person who can choose one with a press;
// without that they are listed.
func failure(s grammar.Step, err error) (text string, which []seen) {
	e := plainError(err)
	p, asks := errors.AsType[*problem](err)
	text = "Couldn’t " + escaped(lowerFirst(intent(s))) + ". " + escaped(sentence(e.Message))
	if asks && len(p.found) > 0 {
		text = escaped(sentence(e.Message)) + " " + p.ask
		return strings.TrimSpace(text), p.found
	}
	if asks && p.ask != "" {
		return text + " " + p.ask, nil
	}
	if e.Hint != "" {
		text += " " + escaped(sentence(e.Hint))
	}
	return text, nil
}

// stoppedText says that a step was under way when the person stopped it.
func stoppedText(s grammar.Step) string {
	return "Stopped during “" + escaped(intent(s)) + "”. It may have taken effect already."
}

// skipped says which steps were not begun; empty for none.
func skipped(steps []grammar.Step) string {
	if len(steps) == 0 {
		return ""
	}
	words := make([]string, len(steps))
	for i := range steps {
		words[i] = escaped(lowerFirst(intent(steps[i])))
	}
	return "Skipped: " + strings.Join(words, "; ") + "."
}

// paragraphs joins what is not empty.
func paragraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

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
	// A ref and an address stay as they are.
	letter, size := utf8.DecodeRuneInString(s)
	if !strings.ContainsAny(strings.Fields(s)[0], ":0123456789") {
		s = string(unicode.ToUpper(letter)) + s[size:]
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
		add("The page shows a dialog: %s. Say “accept the dialog” or “dismiss the dialog”.", escaped(quote(e.Dialog.Message)))
	}
	switch {
	case e.Loading:
		add("It leads to %s, which is still loading.", linked(e.URL))
	case e.Navigated:
		title := ""
		if e.Title != "" {
			title = " " + escaped(quote(e.Title))
		}
		add("It led to %s%s.", linked(e.URL), title)
		if e.Status != 0 && (e.Status < 200 || e.Status > 299) {
			add("The server answered %d.", e.Status)
		}
	case e.Within:
		add("The address is now %s.", linked(e.URL))
	}
	for _, t := range e.Tabs {
		add("It opened the tab %s.", t)
	}
	for _, f := range e.Downloads {
		add("It started a download: %s.", escaped(quote(f)))
	}
	var page, shown []string
	e.Changed = withoutFocus(e, told)
	if e.Moved != nil {
		// What scrolls out of view and into it is no news.
		e.Said, e.Appeared, e.Changed, e.Gone, e.More = nil, nil, nil, nil, 0
	}
	for _, group := range []struct {
		mark, word string
		lines      []string
	}{{"says: ", "The page says ", e.Said}, {"+ ", "New: ", e.Appeared}, {"~ ", "Changed: ", e.Changed}, {"- ", "Gone: ", e.Gone}, {"console error: ", "Error in the page: ", e.Errors}} {
		for _, l := range group.lines {
			l = cut(oneLine(l), 200)
			page = append(page, group.mark+l)
			if group.mark == "says: " {
				shown = append(shown, group.word+escaped(quote(l)))
			} else {
				shown = append(shown, group.word+code(l))
			}
		}
	}
	if more := len(page) - effectLines; more > 0 {
		page, shown = page[:effectLines], shown[:effectLines]
		e.More += more
	}
	if len(page) > 0 {
		d.data = strings.Join(page, "\n")
		d.shown = new(strings.Join(bullets(shown), "\n"))
		if e.More > 0 {
			d.left = fmt.Sprintf("… %d more changes are not shown.", e.More)
		}
	}
	if e.Nothing && e.Dialog == nil && e.Value == nil && e.Moved == nil {
		add("Nothing visible changed on the page.")
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

// cut shortens a text to a length in characters.
func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
