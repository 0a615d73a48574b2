// Package listing formats lists and long texts of a page within the limit of a
// call, and counts what it leaves out.
package listing

import (
	"fmt"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

const (
	// characters is the default limit of the commands that show parts of a page.
	characters = 20_000
	// entries is the default limit of a list of entries.
	entries = 50
)

// MaxArg is the argument for the limit of a list of entries, for Last and Rows.
func MaxArg() command.Arg {
	return command.Arg{Name: "max", Type: command.Integer, Flag: true, Min: 1, Max: 10_000, Default: fmt.Sprint(entries), Help: "at most so many; the reply says how many there are besides"}
}

// BudgetArg is the argument for the limit of a text in characters, for First,
// Text and Cut.
func BudgetArg() command.Arg {
	return command.Arg{
		Name: "max", Type: command.Integer, Flag: true, Min: 200, Max: protocol.TextLimit, Default: fmt.Sprint(characters),
		Help: "at most so many characters; the reply counts the rest",
	}
}

// Budget returns the limit in characters that the caller asked for, or the
// default.
func Budget(in *command.Invocation) int {
	if n := in.Args.Number("max"); n > 0 {
		return n
	}
	return characters
}

// Last joins the last lines within a limit, and says how many more there are.
func Last(lines []string, limit int, none string) string {
	if len(lines) == 0 {
		return none
	}
	if limit == 0 {
		limit = entries
	}
	if more := len(lines) - limit; more > 0 {
		return fmt.Sprintf("… %d more before these (--max shows more)\n%s", more, strings.Join(lines[more:], "\n"))
	}
	return strings.Join(lines, "\n")
}

// Rows is Last for text of a page: for an agent, the lines are in an envelope,
// and our own text is not.
func Rows(in *command.Invocation, url string, lines []string, none string) string {
	limit := in.Args.Number("max")
	if limit == 0 {
		limit = entries
	}
	if len(lines) <= limit {
		if len(lines) == 0 {
			return none
		}
		return in.Foreign(url, strings.Join(lines, "\n"))
	}
	more := len(lines) - limit
	return fmt.Sprintf("… %d more before these (--max shows more)\n%s", more, in.Foreign(url, strings.Join(lines[more:], "\n")))
}

// First joins the first lines of a page's text within the limit, and counts the
// rest.
func First(in *command.Invocation, url string, lines []string, what string) string {
	if len(lines) == 0 {
		return "no " + what + " on this page"
	}
	used, shown, budget := 0, 0, Budget(in)
	for shown < len(lines) {
		used += len([]rune(lines[shown])) + 1
		if used > budget && shown > 0 {
			break
		}
		shown++
	}
	text := in.Foreign(url, strings.Join(lines[:shown], "\n"))
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n… %d more %s (--max shows more)", left, what)
	}
	return text
}

// Text returns a page's text, with the number of characters that were cut off.
func Text(in *command.Invocation, page protocol.PageText) string {
	text := in.Foreign(page.URL, page.Text)
	if left := page.Length - len([]rune(page.Text)); left > 0 {
		text += fmt.Sprintf("\n… %d more characters (--max shows more)", left)
	}
	return text
}

// Cut shortens a complete text to the limit.
func Cut(in *command.Invocation, page protocol.PageText) protocol.PageText {
	if runes, budget := []rune(page.Text), Budget(in); len(runes) > budget {
		page.Text, page.Length = string(runes[:budget]), len(runes)
	}
	return page
}
