// Package listing writes lists and long texts of a page within the budget of a
// call, and counts what it leaves out.
package listing

import (
	"fmt"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

const (
	// characters is the budget of the commands that show a page's parts unless
	// more is asked for.
	characters = 20_000
	// entries is the budget of a list of entries unless more is asked for.
	entries = 50
)

// MaxArg is the budget of a list of entries, for Last and Rows.
func MaxArg() command.Arg {
	return command.Arg{Name: "max", Type: command.Integer, Flag: true, Min: 1, Max: 10_000, Default: fmt.Sprint(entries), Help: "at most so many; the reply says how many there are besides"}
}

// BudgetArg is the budget of a text in characters, for First, Text and Cut.
func BudgetArg() command.Arg {
	return command.Arg{
		Name: "max", Type: command.Integer, Flag: true, Min: 200, Max: protocol.TextLimit, Default: fmt.Sprint(characters),
		Help: "at most so many characters; the reply counts the rest",
	}
}

// Budget is how many characters the caller asked for.
func Budget(in *command.Invocation) int {
	if n := in.Args.Number("max"); n > 0 {
		return n
	}
	return characters
}

// Last joins the last lines within a limit, and says how many there are besides.
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

// Rows is Last for what a page wrote: its lines go into an agent's envelope, and
// what is ours does not.
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

// First joins the first lines of what a page wrote until the budget is spent, and
// counts the rest.
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

// Text is a page's text with what was cut of it counted.
func Text(in *command.Invocation, page protocol.PageText) string {
	text := in.Foreign(page.URL, page.Text)
	if left := page.Length - len([]rune(page.Text)); left > 0 {
		text += fmt.Sprintf("\n… %d more characters (--max shows more)", left)
	}
	return text
}

// Cut cuts a text that came whole to the budget.
func Cut(in *command.Invocation, page protocol.PageText) protocol.PageText {
	if runes, budget := []rune(page.Text), Budget(in); len(runes) > budget {
		page.Text, page.Length = string(runes[:budget]), len(runes)
	}
	return page
}
