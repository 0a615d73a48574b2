// Package foreign handles text that a page wrote: what is removed from it, how
// much of it is shown, and the envelope in which a model gets it.
package foreign

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/protocol"
)

// Envelope marks text of a page as data. The text is between two tags whose
// name contains a random number that the page cannot know, so nothing in the
// text can close the envelope.
func Envelope(origin, text string) string {
	nonce := make([]byte, 8)
	// rand.Read never fails: it ends the program instead of returning a guessable
	// value.
	_, _ = rand.Read(nonce)
	tag := envelope + hex.EncodeToString(nonce)
	gap := ""
	if strings.Contains(text, "\n") {
		gap = "\n"
	}
	return fmt.Sprintf("<%s origin=%q>%s%s%s</%s>", tag, origin, gap, Clean(text), gap, tag)
}

// envelope is how the name of an envelope's tags begins.
const envelope = "page-"

// Before returns the beginning of a text, up to its first envelope.
func Before(text string) string {
	said, _, _ := strings.Cut(text, "<"+envelope)
	return said
}

// Clean removes from a page's text what a terminal would interpret and what
// makes text look like other text: control characters except line breaks and
// tabs, and bidirectional formatting characters.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || protocol.Invisible(r) {
			return -1
		}
		return r
	}, s)
}

// Line is Clean on one line, shortened to a number of characters.
func Line(s string, limit int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit-1]) + "…"
	}
	return s
}

// Origin returns the source that an envelope names for its text.
func Origin(raw string) string {
	return protocol.PageOrigin(raw)
}

// The limits of a shown address and title, in characters.
const (
	URLShown   = 500
	TitleShown = 200
)

// Title returns the page's own title on one line, see protocol.PageTitle.
func Title(title, address string) string { return Line(protocol.PageTitle(title, address), TitleShown) }

// Field is Line with the limit of one field.
func Field(s string) string { return Line(s, 300) }

// Masked replaces a value that an agent must not see. It shows only the value's
// length.
func Masked(value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("(masked, %d characters)", len([]rune(value)))
}

// Names reports whether errors with this code name elements of the page.
func Names(code protocol.Code) bool {
	switch code {
	case protocol.CodeNoElement, protocol.CodeAmbiguous, protocol.CodeGone, protocol.CodeChanged, protocol.CodeDisabled, protocol.CodeHidden,
		protocol.CodeInert, protocol.CodeCovered, protocol.CodeNotActable:
		return true
	}
	return false
}
