package details

import (
	"strings"
	"unicode/utf16"

	"github.com/chromedp/cdproto/css"
)

// styleText is the text of a style, between its braces, with its place in the sheet.
// Places count in UTF-16, as the browser does.
type styleText struct {
	text  []uint16
	start css.SourceRange
}

// readStyle returns the text of a style that has a place in its sheet.
func readStyle(style *css.Style) styleText {
	return styleText{text: utf16.Encode([]rune(style.CSSText)), start: *style.Range}
}

// offset returns where a place of the sheet is in the text.
func (s styleText) offset(line, column int64) int {
	at := 0
	for l := s.start.StartLine; l < line; l++ {
		next := at
		for next < len(s.text) && s.text[next] != '\n' {
			next++
		}
		at = min(next+1, len(s.text))
	}
	if line == s.start.StartLine {
		column -= s.start.StartColumn
	}
	return max(0, min(at+int(column), len(s.text)))
}

// String returns the text as it is.
func (s styleText) String() string { return string(utf16.Decode(s.text)) }

// slice returns the part of a sheet at a place.
func slice(sheet string, at *css.SourceRange) string {
	s := styleText{text: utf16.Encode([]rune(sheet))}
	from, to := s.offset(at.StartLine, at.StartColumn), s.offset(at.EndLine, at.EndColumn)
	return string(utf16.Decode(s.text[min(from, to):to]))
}

// replaced returns the text with another declaration in place of one; an empty one
// removes it together with the space before it.
func (s styleText) replaced(p *css.Property, with string) string {
	from, to := s.offset(p.Range.StartLine, p.Range.StartColumn), s.offset(p.Range.EndLine, p.Range.EndColumn)
	before, after := string(utf16.Decode(s.text[:from])), string(utf16.Decode(s.text[to:]))
	if with == "" {
		before = strings.TrimRight(before, " \t\n\r")
	}
	if with != "" && !strings.HasSuffix(with, "*/") && !strings.HasSuffix(with, ";") && strings.TrimSpace(after) != "" && !strings.HasPrefix(strings.TrimSpace(after), ";") {
		with += ";"
	}
	return before + with + after
}

// added returns the text with another declaration at its end, indented like the others.
func (s styleText) added(declaration string) string {
	body := s.String()
	trimmed := strings.TrimRight(body, " \t\n\r")
	tail := body[len(trimmed):]
	if trimmed == "" {
		return strings.TrimLeft(tail, " ") + declaration
	}
	if !strings.HasSuffix(trimmed, ";") && !strings.HasSuffix(trimmed, "*/") && !strings.HasSuffix(trimmed, "}") {
		trimmed += ";"
	}
	indent := " "
	if line := strings.LastIndexByte(trimmed, '\n'); line >= 0 {
		rest := trimmed[line+1:]
		indent = "\n" + rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	}
	return trimmed + indent + declaration + tail
}

// wholeDeclaration reports whether a value is one value: it ends no declaration, block or comment
// that it did not begin.
func wholeDeclaration(value string) bool {
	var open []rune
	quote, escaped := rune(0), false
	for _, c := range value {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case quote != 0:
			if c == '\n' {
				return false
			}
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			open = append(open, c)
		case c == ')' || c == ']':
			want := map[rune]rune{')': '(', ']': '['}[c]
			if len(open) == 0 || open[len(open)-1] != want {
				return false
			}
			open = open[:len(open)-1]
		case c == '{' || c == '}', c == ';' && len(open) == 0:
			return false
		}
	}
	return quote == 0 && !escaped && len(open) == 0 && !strings.Contains(value, "*/") && !strings.Contains(value, "/*")
}

// declaration writes a declaration. off makes it a comment, as the browser's own
// developer tools do.
func declaration(name, value string, important, off bool) string {
	text := name + ": " + value
	if important {
		text += " !important"
	}
	text += ";"
	if off {
		return "/* " + text + " */"
	}
	return text
}

// diffText returns what makes the second list from the first: lines with "-", "+" or
// " " before them.
func diffText(before, after []string) []string {
	// The longest common part, by its length at each pair of places.
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			out = append(out, " "+before[i])
			i, j = i+1, j+1
		case i < len(before) && (j == len(after) || common[i+1][j] >= common[i][j+1]):
			out = append(out, "-"+before[i])
			i++
		default:
			out = append(out, "+"+after[j])
			j++
		}
	}
	return out
}
