// Package clip shortens texts for the user.
package clip

import (
	"strings"
	"unicode/utf8"
)

// MaxTool bounds one text, or one side of a diff, that a tool call brought, in
// bytes; what is beyond is cut and said.
const MaxTool = 512 << 10

// Tool cuts a text that is longer than a user reads, and says so.
func Tool(s string) string {
	if len(s) <= MaxTool {
		return s
	}
	return strings.ToValidUTF8(s[:MaxTool], "") + "\n… (cut)"
}

// Cut shortens a text to a number of characters.
func Cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// Line makes a title of a text: one line of at most limit characters.
func Line(s string, limit int) string {
	if len(s) > 8*limit {
		s = strings.ToValidUTF8(s[:8*limit], "")
	}
	return Cut(strings.Join(strings.Fields(s), " "), limit)
}
