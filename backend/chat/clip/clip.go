// Package clip shows the user the part of a text that is worth a look.
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

// around is how many characters around a match are shown.
const around = 60

// Match finds words in a text, whatever the case of their letters, and returns what
// stands around them.
func Match(text, words string) (before, match, after string, ok bool) {
	at := strings.Index(strings.ToLower(text), strings.ToLower(words))
	if at < 0 || text == "" {
		return "", "", "", false
	}
	// Lower case can have another length, so the place is counted in characters.
	runes := []rune(text)
	from := min(utf8.RuneCountInString(strings.ToLower(text)[:at]), len(runes))
	to := min(from+utf8.RuneCountInString(words), len(runes))
	return string(runes[max(0, from-around):from]), string(runes[from:to]), string(runes[to:min(len(runes), to+around)]), true
}
