package history

import (
	"cmp"
	"encoding/json"
	"strings"
)

// claude reads the lines of a session of Claude Code: one JSON object for each message, and
// others about the session.
type claude struct {
	a         about
	custom    string // the title that the user gave
	generated string
	summary   string
	said      []Turn
}

type claudeLine struct {
	Type        string `json:"type"`
	SessionID   string `json:"sessionId"`
	CWD         string `json:"cwd"`
	Sidechain   bool   `json:"isSidechain"`
	Meta        bool   `json:"isMeta"`
	Compact     bool   `json:"isCompactSummary"`
	Summary     string `json:"summary"`
	AITitle     string `json:"aiTitle"`
	CustomTitle string `json:"customTitle"`
	Message     struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// block is a part of a message.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (c *claude) line(data []byte) {
	var l claudeLine
	if json.Unmarshal(data, &l) != nil {
		return
	}
	c.custom, c.generated, c.summary = cmp.Or(l.CustomTitle, c.custom), cmp.Or(l.AITitle, c.generated), cmp.Or(l.Summary, c.summary)
	if l.Type != "user" && l.Type != "assistant" || l.Meta || l.Compact {
		return
	}
	if l.Sidechain {
		// Older versions write helpers into files of their own, with names like sessions.
		c.a.skip = c.a.skip || c.a.folder == ""
		return
	}
	if c.a.folder == "" {
		// A session may change its folder later; it is continued where it began, which is
		// where claude keeps its file.
		c.a.folder, c.a.id = l.CWD, l.SessionID
	}
	text := messageText(l.Message.Content, "text")
	if l.Type == "user" {
		if ofProgram(text) {
			return
		}
		c.a.first = cmp.Or(c.a.first, text)
	}
	c.said = add(c.said, l.Type == "user", text)
}

func (c *claude) about() about {
	a := c.a
	a.title = cmp.Or(c.custom, c.generated, c.summary)
	// The file of a continued session may begin with messages of another one.
	a.id = ""
	return a
}

func (c *claude) turns() []Turn { return c.said }

// messageText returns the text of a message: a string, or blocks of the types.
func messageText(content json.RawMessage, types ...string) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return strings.TrimSpace(text)
	}
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		for _, t := range types {
			if b.Type == t && strings.TrimSpace(b.Text) != "" && !ofProgram(b.Text) {
				parts = append(parts, b.Text)
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// ofProgram says whether a text in the user's name is from the agent's program: the output
// of a slash command, what it tells the model about the folder.
func ofProgram(text string) bool {
	text = strings.TrimSpace(text)
	for _, prefix := range []string{
		"<command-", "<local-command-", "<bash-", "<system-reminder>", "<user-memory-input>", "Caveat: The messages below",
		"[Request interrupted", "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<permissions instructions>", "<turn_aborted>",
	} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
