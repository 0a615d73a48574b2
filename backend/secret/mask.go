package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/protocol"
)

// kept is how many values are masked; a value of a TOTP is one for each code.
const kept = 1000

// masks has the values that were used, in the forms in which they can appear.
type masks struct {
	mu      sync.RWMutex
	forms   []form // the longest first, so that a part does not spoil the whole
	origins map[string]bool
	of      map[string]bool // values that are there
}

type form struct{ text, as string }

// add masks a value from now on.
func (m *masks) add(one protocol.Secret, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of, m.origins = map[string]bool{}, map[string]bool{}
	}
	m.origins[one.Origin] = true
	if m.of[value] || len(value) < protocol.MinSecretValue {
		return
	}
	if len(m.of) >= kept { // codes of a very long run: begin anew rather than grow
		m.of, m.forms = map[string]bool{}, nil
	}
	m.of[value] = true
	as := "(secret " + one.Name + ")"
	for _, part := range parts(one, value) {
		if len(part) < protocol.MinSecretValue {
			continue
		}
		for _, text := range forms(part, one.User) {
			m.forms = append(m.forms, form{text, as})
		}
	}
	slices.SortStableFunc(m.forms, func(a, b form) int { return len(b.text) - len(a.text) })
}

// forms returns the forms of a value as a page shows it, in Markdown, JSON, addresses,
// forms, HTML, and in the header of HTTP basic authentication.
func forms(value, user string) []string {
	all := []string{value}
	add := func(text string) {
		if len(text) >= protocol.MinSecretValue && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	shown := strings.Join(strings.Fields(value), " ")
	for _, v := range append(inMarkdown(shown), value, strings.ReplaceAll(value, "\n", "\r\n"), shown) {
		add(v)
		raw, _ := json.Marshal(v) // a string always has a JSON form
		add(string(raw[1 : len(raw)-1]))
		var plain strings.Builder
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		add(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(plain.String(), "\n"), `"`), `"`))
		add(url.QueryEscape(v))
		add(url.PathEscape(v))
		add(strings.ReplaceAll(url.QueryEscape(v), "+", "%20"))
		add(html.EscapeString(v))
		add(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(v))
		add(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(v))
		add(strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(v))
		for _, raw := range []string{v, user + ":" + v} {
			add(base64.StdEncoding.EncodeToString([]byte(raw)))
			add(base64.RawStdEncoding.EncodeToString([]byte(raw)))
			add(base64.RawURLEncoding.EncodeToString([]byte(raw)))
		}
		add(hex.EncodeToString([]byte(v)))
		runes := []rune(v)
		slices.Reverse(runes)
		add(string(runes))
	}
	for _, text := range slices.Clone(all) {
		add(printable(text))
		add(strings.ReplaceAll(printable(text), " ", "=20")) // in a header
	}
	return all
}

// inMarkdown returns a text as extension/src/page/markdown.ts writes it: within a line, at
// its beginning, and in a table. A mark before the whole text needs no form of its own.
func inMarkdown(text string) []string {
	line := regexp.MustCompile("[\\\\`*_[\\]]|<[a-zA-Z/!?]").ReplaceAllString(text, `\$0`)
	first := regexp.MustCompile(`^(\d+)([.)](?:\s|$))`).ReplaceAllString(line, `$1\$2`)
	return []string{line, first, strings.ReplaceAll(line, "|", `\|`), strings.ReplaceAll(first, "|", `\|`)}
}

// printable returns a text in the quoted-printable form of archives, in one line.
func printable(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c == '=' || c < ' ' || c > '~' {
			fmt.Fprintf(&b, "=%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func (m *masks) mask(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, f := range m.forms {
		if strings.Contains(text, f.text) {
			text = strings.ReplaceAll(text, f.text, f.as)
		}
	}
	return text
}

func (m *masks) held(origin string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.origins[origin]
}
