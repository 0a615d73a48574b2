package policy

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// StyleAddresses returns the addresses that a value of a style property names: what
// is in url(), and the texts in a function that may load them, such as image-set().
// Of a custom property, which another one may use in such a function, it returns
// every text that can be an address. A reference into the same document (#id) is
// none. A value is read as CSS Syntax Level 3 says.
func StyleAddresses(property, value string) []string {
	s := styleReader{rest: value, custom: strings.HasPrefix(strings.TrimSpace(property), "--")}
	for s.rest != "" {
		s.next()
	}
	return s.found
}

// Plain reports whether a text is too short and simple to be data that is worth
// asking about, such as the name of a colour.
func Plain(text string) bool { return len(text) <= plainPart && !keyed(text) }

type styleReader struct {
	rest   string
	custom bool
	open   []string // the functions that are open, and "" for a parenthesis
	found  []string
}

// next reads one token.
func (s *styleReader) next() {
	r, size := utf8.DecodeRuneInString(s.rest)
	switch {
	case strings.HasPrefix(s.rest, "/*"):
		_, s.rest, _ = strings.Cut(s.rest[2:], "*/")
	case r == '"' || r == '\'':
		s.rest = s.rest[size:]
		s.text(s.until(func(c rune) bool { return c == r || newline(c) }))
	case r == '(':
		s.rest, s.open = s.rest[size:], append(s.open, "")
	case r == ')':
		s.rest, s.open = s.rest[size:], s.open[:max(0, len(s.open)-1)]
	case named(r) || r == '\\':
		s.name()
	default:
		s.rest = s.rest[size:]
	}
}

// name reads a name, and the address when it is url(.
func (s *styleReader) name() {
	name := strings.ToLower(s.take(func(c rune) bool { return !named(c) }))
	if !strings.HasPrefix(s.rest, "(") {
		return
	}
	s.rest = s.rest[1:]
	inner := strings.TrimLeft(s.rest, " \t\n\r\f")
	if name != "url" || strings.HasPrefix(inner, `"`) || strings.HasPrefix(inner, `'`) {
		s.open = append(s.open, name)
		return
	}
	s.rest = inner
	s.address(s.until(func(c rune) bool { return c == ')' }))
}

// text takes a text: an address where a function that is open can load it.
func (s *styleReader) text(text string) {
	loads := slices.ContainsFunc(s.open, func(name string) bool { return !loadsNothing(name) })
	if len(s.open) > 0 && s.open[len(s.open)-1] == "type" {
		loads = false // the type of a picture
	}
	if loads || s.custom && strings.ContainsAny(text, `/\:?`) {
		s.address(text)
	}
}

func (s *styleReader) address(address string) {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	if address != "" && !strings.HasPrefix(address, "#") {
		s.found = append(s.found, address)
	}
}

// until returns the text before the end character and skips that character; take does
// not skip it. Both decode CSS escapes.
func (s *styleReader) until(end func(rune) bool) string {
	text := s.take(end)
	if s.rest != "" {
		_, size := utf8.DecodeRuneInString(s.rest)
		s.rest = s.rest[size:]
	}
	return text
}

func (s *styleReader) take(end func(rune) bool) string {
	var out strings.Builder
	for s.rest != "" {
		r, size := utf8.DecodeRuneInString(s.rest)
		switch {
		case r == '\\':
			s.rest = s.rest[1:]
			out.WriteString(s.escaped())
			continue
		case end(r):
			return out.String()
		}
		out.WriteString(s.rest[:size])
		s.rest = s.rest[size:]
	}
	return out.String()
}

// escaped reads what follows a backslash.
func (s *styleReader) escaped() string {
	digits := 0
	for digits < min(6, len(s.rest)) && strings.IndexByte("0123456789abcdefABCDEF", s.rest[digits]) >= 0 {
		digits++
	}
	if digits == 0 {
		r, size := utf8.DecodeRuneInString(s.rest)
		if strings.HasPrefix(s.rest, "\r\n") {
			size = 2
		}
		text := s.rest[:size]
		s.rest = s.rest[size:]
		if newline(r) {
			return "" // a text goes on in the next line
		}
		return text
	}
	code, _ := strconv.ParseInt(s.rest[:digits], 16, 32) // its digits are checked
	s.rest = s.rest[digits:]
	for _, space := range []string{"\r\n", " ", "\t", "\n", "\r", "\f"} {
		if after, ok := strings.CutPrefix(s.rest, space); ok {
			s.rest = after
			break
		}
	}
	return string(rune(code))
}

func newline(r rune) bool { return r == '\n' || r == '\r' || r == '\f' }

// named reports whether a rune can be a part of a name.
func named(r rune) bool {
	return r == '-' || r == '_' || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// loadsNothing reports whether a function takes texts that are no addresses.
func loadsNothing(name string) bool {
	return slices.Contains([]string{"", "attr", "counter", "counters", "env", "path", "shape", "symbols", "var"}, name)
}

// within finds addresses in a text; escapedRune is a character of JSON and of scripts.
var (
	within = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)(?:(https?|wss?):/*|//+)([^\\s\"'`<>]+)")
	})
	escapedRune = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\u[0-9a-fA-F]{4}`) })
)

// TextAddresses returns the addresses in a text of any form, such as JSON or HTML.
// One without a scheme counts as one of http.
func TextAddresses(text string) []string {
	text = escapedRune().ReplaceAllStringFunc(text, func(one string) string {
		code, _ := strconv.ParseInt(one[2:], 16, 32) // its digits are checked
		return string(rune(code))
	})
	text = strings.NewReplacer(`\/`, "/", `\`, "/").Replace(html.UnescapeString(text))
	var found []string
	for _, m := range within().FindAllStringSubmatch(text, -1) {
		scheme := "http"
		if one := strings.ToLower(m[1]); one == "https" || one == "wss" {
			scheme = "https"
		}
		found = append(found, scheme+"://"+m[2])
	}
	return found
}
