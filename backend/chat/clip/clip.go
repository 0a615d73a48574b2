// Package clip shortens texts to what the user is shown.
package clip

import (
	"strings"
	"unicode/utf8"
)

// MaxTool bounds one text, or one side of a diff, of a tool call, in bytes. A
// longer text is cut, and says so.
const MaxTool = 512 << 10

// Tool cuts a text that is longer than MaxTool, and adds a remark about it.
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

// Line makes a title from a text: one line of at most limit characters.
func Line(s string, limit int) string {
	if len(s) > 8*limit {
		s = strings.ToValidUTF8(s[:8*limit], "")
	}
	return Cut(strings.Join(strings.Fields(s), " "), limit)
}

// around is how many characters before and after a match are shown.
const around = 60

// Match finds words in a text, ignoring case, and returns the match and the
// text around it.
func Match(text, words string) (before, match, after string, ok bool) {
	at := strings.Index(strings.ToLower(text), strings.ToLower(words))
	if at < 0 || text == "" {
		return "", "", "", false
	}
	// Lower case can change the length in bytes, so the position is counted in
	// characters.
	runes := []rune(text)
	from := min(utf8.RuneCountInString(strings.ToLower(text)[:at]), len(runes))
	to := min(from+utf8.RuneCountInString(words), len(runes))
	return string(runes[max(0, from-around):from]), string(runes[from:to]), string(runes[to:min(len(runes), to+around)]), true
}
