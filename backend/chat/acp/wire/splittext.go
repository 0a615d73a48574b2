package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// splitText is a JSON string that may begin or end within a character. Agents
// cut a model's stream at any place: agents that count bytes leave half a UTF-8
// sequence at the end, agents that count UTF-16 units (JavaScript) half a
// surrogate pair. encoding/json would turn either half into U+FFFD. Here the
// bytes stay as they are, and a lone surrogate becomes its three bytes (as in
// WTF-8), so that Joiner can put the halves together.
type splitText []byte

// UnmarshalJSON decodes a string; any other JSON becomes empty.
func (t *splitText) UnmarshalJSON(raw []byte) error {
	*t = nil
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	in := raw[1 : len(raw)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		*t = bytes.Clone(in)
		return nil
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] != '\\' || i+1 == len(in) {
			out = append(out, in[i])
			continue
		}
		i++
		switch in[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			unit, ok := hex4(in[i+1:])
			if !ok {
				break
			}
			i += 4
			if low, ok := lowAfter(in[i+1:]); ok && utf16.IsSurrogate(unit) {
				if r := utf16.DecodeRune(unit, low); r != utf8.RuneError {
					out = utf8.AppendRune(out, r)
					i += 6
					break
				}
			}
			out = appendUnit(out, unit)
		default: // quote, backslash, slash
			out = append(out, in[i])
		}
	}
	*t = out
	return nil
}

// hex4 reads four hexadecimal digits.
func hex4(in []byte) (rune, bool) {
	if len(in) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(in[:4]), 16, 16)
	return rune(n), err == nil
}

// lowAfter reads a following \uXXXX.
func lowAfter(in []byte) (rune, bool) {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return 0, false
	}
	return hex4(in[2:])
}

// appendUnit appends a UTF-16 unit; a surrogate is appended as three bytes.
func appendUnit(out []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(out, unit)
	}
	return append(out, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

// Joiner joins the pieces that an agent has cut. Each stream of text needs its
// own.
type Joiner struct{ rest []byte }

// Join returns the complete part of the text so far, and keeps an incomplete
// character at its end for the next call.
func (j *Joiner) Join(text []byte) string {
	if len(j.rest) > 0 {
		text = append(j.rest, text...)
		j.rest = nil
	}
	if n := unfinished(text); n > 0 {
		j.rest = bytes.Clone(text[len(text)-n:])
		text = text[:len(text)-n]
	}
	return whole(text)
}

// Flush returns what was kept, because its other half will not come.
func (j *Joiner) Flush() string {
	rest := j.rest
	j.rest = nil
	return whole(rest)
}

// unfinished returns how many bytes at the end of text are the beginning of a
// character: of a UTF-8 sequence, or the first half of a surrogate pair.
func unfinished(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		first := text[len(text)-n]
		if utf8.RuneStart(first) {
			if n == 3 && isHigh(text[len(text)-3:]) {
				return 3
			}
			if first >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// isHigh reports whether b begins with the three bytes of a high surrogate.
func isHigh(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xED && b[1]&0xF0 == 0xA0 && b[2]&0xC0 == 0x80
}

// isLow reports the same for a low surrogate.
func isLow(b []byte) bool {
	return len(b) >= 3 && b[0] == 0xED && b[1]&0xF0 == 0xB0 && b[2]&0xC0 == 0x80
}

// whole converts a text to valid UTF-8: a pair of surrogates becomes its
// character, half a character becomes U+FFFD.
func whole(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if isHigh(text) && isLow(text[3:]) {
			out = utf8.AppendRune(out, utf16.DecodeRune(unit(text), unit(text[3:])))
			text = text[6:]
			continue
		}
		if isHigh(text) || isLow(text) {
			out = utf8.AppendRune(out, utf8.RuneError)
			text = text[3:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		out = utf8.AppendRune(out, r)
		text = text[n:]
	}
	return string(out)
}

// unit returns the UTF-16 unit of three bytes.
func unit(b []byte) rune { return rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F) }
