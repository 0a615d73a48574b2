package command

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

// envelope marks text that comes from a page as data: it stands between two
// tags whose name holds a number that the page cannot know, so that nothing in
// the text can end it.
func envelope(origin, text string) string {
	nonce := make([]byte, 8)
	// rand.Read never fails; it ends the program rather than being guessable.
	_, _ = rand.Read(nonce)
	tag := "page-" + hex.EncodeToString(nonce)
	gap := ""
	if strings.Contains(text, "\n") {
		gap = "\n"
	}
	return fmt.Sprintf("<%s origin=%q>%s%s%s</%s>", tag, origin, gap, clean(text), gap, tag)
}

// quoted puts an error that repeats what a page said, and is not in an envelope
// yet, into an agent's: the text of a dialog that keeps a command from its page,
// what a script threw, and the names of what a target could have meant.
func (in *invocation) quoted(command string, err error) error {
	if !in.agent() {
		return err
	}
	e := protocol.AsError(err)
	switch {
	case e.Page == protocol.PageEnveloped:
		return err
	case e.Page == protocol.PageBare, e.Code == protocol.CodeDialog:
	case e.Code == protocol.CodeScript && command == "eval":
	case namesThings(e.Code) && (in.args.text("element") != "" || in.args.text("scope") != ""):
	default:
		return err
	}
	said := e.Saying(in.foreign(in.current(), e.Message))
	said.Page = protocol.PageEnveloped
	return said
}

// clean takes out of foreign text what a terminal would obey and what makes
// text look like another: control characters except line breaks and tabs, and
// the marks that turn the direction of writing.
func clean(s string) string {
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

// line is clean on one line, cut to a length in characters.
func line(s string, limit int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit-1]) + "…"
	}
	return s
}

// origin is what an envelope names as the source of its text.
func origin(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return "unknown"
	}
	if u.Host == "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}
