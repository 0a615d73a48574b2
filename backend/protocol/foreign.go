package protocol

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PageTitle returns a page's title; "" for one that is the page's address, which Chromium
// shows where a page has no title.
func PageTitle(title, address string) string {
	bare := strings.TrimSuffix(title, "/")
	if title == address || bare != "" && strings.HasSuffix(strings.TrimSuffix(address, "/"), "://"+bare) {
		return ""
	}
	return title
}

// PageOrigin returns the source that is named for text of a page at an address.
func PageOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "unknown"
	}
	if u.Host == "" {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// MarshalJSON marks the title and the address as text of their page, wherever a tab
// goes as data.
func (t Tab) MarshalJSON() ([]byte, error) {
	type plain Tab
	t.Untrusted, t.Origin = true, PageOrigin(t.URL)
	return json.Marshal(plain(t)) //nolint:wrapcheck // encoding/json says it
}

// MarshalJSON marks what an entry says as text that others wrote: arguments, titles,
// addresses and names of files.
func (e ActivityEntry) MarshalJSON() ([]byte, error) {
	type plain ActivityEntry
	e.Untrusted = true
	return json.Marshal(plain(e)) //nolint:wrapcheck // encoding/json says it
}

// Invisible reports whether a terminal would interpret a character, or whether it makes
// text look like other text: control characters except line breaks and tabs,
// characters that change the direction, and invisible tags.
func Invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
		return true
	}
	return r >= 0xe0000 && r <= 0xe007f
}

// Visible replaces invisible characters, and bytes that are no text, by escapes such
// as \u001b.
func Visible(text string) string {
	return visible(text, func(r rune) string {
		if r > 0xffff {
			return fmt.Sprintf(`\U%08x`, r)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// VisibleJSON is Visible for JSON, which stays the same value.
func VisibleJSON(data []byte) []byte {
	return []byte(visible(string(data), func(r rune) string {
		if r > 0xffff {
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	}))
}

func visible(text string, escape func(rune) string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, Invisible) {
		return text
	}
	var out strings.Builder
	for i, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case Invisible(r):
			out.WriteString(escape(r))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
