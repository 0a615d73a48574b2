// Package foreign is about text that a page wrote: what is taken out of it, how
// much of it is shown, and the envelope in which it reaches a model.
package foreign

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// Envelope marks text that comes from a page as data: it stands between two
// tags whose name holds a number that the page cannot know, so that nothing in
// the text can end it.
func Envelope(origin, text string) string {
	nonce := make([]byte, 8)
	// rand.Read never fails; it ends the program rather than being guessable.
	_, _ = rand.Read(nonce)
	tag := "page-" + hex.EncodeToString(nonce)
	gap := ""
	if strings.Contains(text, "\n") {
		gap = "\n"
	}
	return fmt.Sprintf("<%s origin=%q>%s%s%s</%s>", tag, origin, gap, Clean(text), gap, tag)
}

// Clean takes out of foreign text what a terminal would obey and what makes
// text look like another: control characters except line breaks and tabs, and
// the marks that turn the direction of writing.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
			return -1
		case r >= 0xe0000 && r <= 0xe007f: // invisible tags
			return -1
		}
		return r
	}, s)
}

// Line is Clean on one line, cut to a length in characters.
func Line(s string, limit int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit-1]) + "…"
	}
	return s
}

// Origin is what an envelope names as the source of its text.
func Origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return "unknown"
	}
	if u.Host == "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// What is shown of an address and a title, in characters.
const (
	URLShown   = 500
	TitleShown = 200
)

// Field is one line's worth of foreign text.
func Field(s string) string { return Line(s, 300) }

// Masked stands for a value that an agent is not to have: it says how long the
// value is and nothing else.
func Masked(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("(masked, %d characters)", len([]rune(value)))
}

// Names says whether an error of a code is about things of the page, by the names
// that it gives them.
func Names(code protocol.Code) bool {
	switch code {
	case protocol.CodeNoElement, protocol.CodeAmbiguous, protocol.CodeGone, protocol.CodeChanged, protocol.CodeDisabled, protocol.CodeHidden,
		protocol.CodeInert, protocol.CodeCovered, protocol.CodeNotActable:
		return true
	}
	return false
}
