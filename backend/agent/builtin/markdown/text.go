// Package markdown writes Markdown in which texts of a page, and of the user,
// are data: escaped, or inside a quotation or code, and without characters that
// hide text or change its direction.
package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// Shown is how much of a page's text an answer shows, in characters.
const Shown = 4000

// Paragraphs joins the parts that are not empty.
func Paragraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// Block shows text of a page as data: in a fence that is longer than any run of
// backticks in it, so that nothing in it is Markdown or ends the block.
func Block(text, lang string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(Visible(text), "\n") + "\n" + fence
}

// Visible returns text of others without characters that hide text or change
// its direction.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || protocol.Invisible(r) {
			return -1
		}
		return r
	}, s)
}

// OneLine returns text of others on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// Quote returns a short text of others in quotation marks, for use in a
// sentence.
func Quote(s string) string { return "“" + Cut(OneLine(s), 120) + "”" }

// Escaped returns a text in which nothing is Markdown.
func Escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>#!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Sentence returns a text as a sentence, with a capital and a full stop.
func Sentence(s string) string {
	s = OneLine(s)
	if s == "" {
		return s
	}
	// A ref or an address at the beginning keeps its first letter.
	letter, size := utf8.DecodeRuneInString(s)
	if !strings.ContainsAny(strings.Fields(s)[0], ":0123456789") {
		s = string(unicode.ToUpper(letter)) + s[size:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// LowerFirst returns a text for the middle of a sentence; an abbreviation stays
// as it is.
func LowerFirst(s string) string {
	r := []rune(s)
	if len(r) > 1 && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// Unwrapped returns a text without the envelopes that agents get around texts
// of a page.
func Unwrapped(s string) string {
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

// Trimmed cuts a text of a page to the length that is shown, and counts the
// rest; length is the length of the whole text.
func Trimmed(text string, length int) (string, string) {
	runes := []rune(text)
	length = max(length, len(runes))
	if len(runes) > Shown {
		runes = runes[:Shown]
	}
	if left := length - len(runes); left > 0 {
		return string(runes), fmt.Sprintf("… %s more characters are not shown.", Thousands(left))
	}
	return string(runes), ""
}

// TrimmedLines is Trimmed for a list, which is cut between lines.
func TrimmedLines(lines []string, what string) (string, string) {
	used, n := 0, 0
	for n < len(lines) {
		used += len([]rune(lines[n])) + 1
		if used > Shown && n > 0 {
			break
		}
		n++
	}
	left := ""
	if rest := len(lines) - n; rest > 0 {
		left = fmt.Sprintf("… %s more %s are not shown.", Thousands(rest), what)
	}
	return strings.Join(lines[:n], "\n"), left
}

// Thousands writes 12345 as 12,345.
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Code returns an address or the like as a code span.
func Code(s string) string {
	s = strings.ReplaceAll(Cut(OneLine(s), 300), "`", "'")
	return "`" + s + "`"
}

// Cut shortens a text to a length in characters.
func Cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
