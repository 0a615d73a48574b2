package grammar

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultWords are the words that ask for comprehension. They always take
// precedence over instructions; "…" stands for any words between.
func DefaultWords() []string {
	return []string{
		"what", "why", "how", "who", "when", "where", "which", "whether",
		"summarise", "summarize", "summary", "describe", "analyse", "analyze", "analysis", "explain", "compare", "comparison",
		"check", "verify", "find bugs", "review", "translate", "read … and …", "tell me", "find out", "figure out",
		"recommend", "evaluate", "assess", "investigate", "research", "debug", "understand",
	}
}

// Quotes are removed from a message before it is parsed, and put back into the
// result. Meanwhile each is replaced by one rune of a private use area, so that
// nothing inside a quote is parsed as an instruction, a separator or a word
// that selects the strong model.
const firstQuote = '\uE000'

// anyQuote is a pattern that matches such a rune.
const anyQuote = `\p{Co}`

// message is a user's message, with its quotes kept separately.
type message struct {
	text   string
	quotes []string
}

// newMessage separates the quotes and normalises white space within lines.
func newMessage(text string) message {
	var m message
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if end := closing(runes, i); end > i && len(m.quotes) < 256 {
			b.WriteRune(firstQuote + rune(len(m.quotes)))
			m.quotes = append(m.quotes, string(runes[i+1:end]))
			i = end
			continue
		}
		switch {
		case unicode.Is(unicode.Co, r), r == '\r': // such a rune in the user's text is not one of ours
			r = ' '
		case r == '’':
			r = '\''
		case r != '\n' && unicode.IsSpace(r):
			r = ' '
		}
		b.WriteRune(r)
	}
	m.text = b.String()
	return m
}

// closing returns the index of the quote that closes the one at i; 0 if no
// quote opens there.
func closing(runes []rune, i int) int {
	var ends string
	switch runes[i] {
	case '"', '“', '„', '”':
		ends = "\"“”"
	case '`':
		ends = "`"
	case '«':
		ends = "»"
	case '\'', '‘':
		ends = "'’"
		// An apostrophe is inside a word.
		if i > 0 && (unicode.IsLetter(runes[i-1]) || unicode.IsDigit(runes[i-1])) {
			return 0
		}
	default:
		return 0
	}
	// A target for the registry keeps its quotes.
	if i > 0 && runes[i-1] == '=' {
		return 0
	}
	for j := i + 1; j < len(runes); j++ {
		if !strings.ContainsRune(ends, runes[j]) {
			continue
		}
		if ends == "'’" && j+1 < len(runes) && (unicode.IsLetter(runes[j+1]) || unicode.IsDigit(runes[j+1])) {
			continue
		}
		return j
	}
	return 0
}

// quoted reports whether s is one quote and nothing else.
func (m message) quoted(s string) bool {
	r := []rune(strings.TrimSpace(s))
	return len(r) == 1 && m.quote(r[0]) >= 0
}

func (m message) quote(r rune) int {
	if n := int(r - firstQuote); n >= 0 && n < len(m.quotes) {
		return n
	}
	return -1
}

// whole puts the quotes back. If s is only a quote, it returns the text without
// the quotation marks.
func (m message) whole(s string) string {
	s = strings.TrimSpace(s)
	if m.quoted(s) {
		r, _ := utf8.DecodeRuneInString(s)
		return m.quotes[m.quote(r)]
	}
	var b strings.Builder
	for _, r := range s {
		if n := m.quote(r); n >= 0 {
			b.WriteString(`"` + m.quotes[n] + `"`)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Comprehension returns the first word of a list that a message has outside of
// quotes and addresses; "" for none.
func Comprehension(text string, words []string) string {
	return newMessage(text).comprehension(words)
}

func (m message) comprehension(words []string) string {
	text := strings.Map(func(r rune) rune {
		if m.quote(r) >= 0 {
			return ' '
		}
		return r
	}, m.text)
	kept := make([]string, 0, 32)
	for _, word := range strings.Fields(text) {
		if !looksLikeAddress(strings.Trim(word, ",;()")) {
			kept = append(kept, word)
		}
	}
	text = strings.ToLower(strings.Join(kept, " "))
	first, at := "", len(text)
	for _, word := range words {
		if i := indexWord(text, strings.ToLower(strings.TrimSpace(word))); i >= 0 && i < at {
			first, at = word, i
		}
	}
	return first
}

// indexWord finds a whole word, or words with "…" between them.
func indexWord(text, word string) int {
	if word == "" {
		return -1
	}
	parts := strings.Split(strings.ReplaceAll(word, "...", "…"), "…")
	first, from := -1, 0
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			// There must be some text in its place.
			if strings.TrimSpace(text[from:]) == "" {
				return -1
			}
			continue
		}
		i := wholeWord(text, part, from)
		if i < 0 {
			return -1
		}
		if first < 0 {
			first = i
		}
		from = i + len(part)
	}
	return first
}

func wholeWord(text, word string, from int) int {
	for from <= len(text)-len(word) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, after := lastRune(text[:i]), firstRune(text[i+len(word):])
		if !partOfWord(before) && !partOfWord(after) {
			return i
		}
		from = i + 1
	}
	return -1
}

func partOfWord(r rune) bool {
	return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

func lastRune(s string) rune {
	r := []rune(s)
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}

// courtesy has the patterns of polite words that change nothing.
type courtesy struct {
	lead, tail, only, marker *regexp.Regexp
}

func newCourtesy() courtesy {
	return courtesy{
		lead: regexp.MustCompile(`(?i)^(?:hey|hi|hello|ok|okay|alright|so|now|well|please|pls|kindly|just|simply|quickly|pilot|pilotfish|` +
			`(?:can|could|would|will) (?:you|u|we)|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|i wanna|let's|let us|go ahead and|try to|` +
			`first|firstly|then|next|finally|lastly|also|afterwards|after that|and)\b[\s,:]*`),
		tail: regexp.MustCompile(`(?i)[\s,]*\b(?:please|pls|thanks|thank you|thx|for me|would you|will you|right now|now)[\s.!?]*$`),
		only: regexp.MustCompile(`(?i)^(?:please|pls|thanks|thank you|thx|now|ok|okay|also|too|and|then|for me|that's it|that is all|that's all|done)?[\s.!?]*$`),
		// The number or bullet of a list item.
		marker: regexp.MustCompile(`(?m)^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+`),
	}
}

// plain returns a clause without polite words.
func (c courtesy) plain(s string) string {
	s = strings.TrimSpace(s)
	for {
		short := c.lead.ReplaceAllString(s, "")
		// "then" or "hello" alone must stay: something has to be left.
		if short == s || strings.TrimSpace(short) == "" {
			break
		}
		s = short
	}
	for {
		short := c.tail.ReplaceAllString(s, "")
		if short == s || strings.TrimSpace(short) == "" {
			break
		}
		s = short
	}
	return strings.TrimSpace(s)
}
