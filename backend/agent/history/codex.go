package history

import (
	"cmp"
	"encoding/json"
)

// codex reads the lines of a session of Codex: what is sent to the model (response_item), and
// what the user was shown (event_msg). Older versions have only the first.
type codex struct {
	a     about
	items []Turn
	shown []Turn
}

type codexLine struct {
	Type    string `json:"type"`
	Payload struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		CWD     string          `json:"cwd"`
		Source  json.RawMessage `json:"source"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Message string          `json:"message"`
	} `json:"payload"`
}

func (c *codex) line(data []byte) {
	var l codexLine
	if json.Unmarshal(data, &l) != nil {
		return
	}
	p := &l.Payload
	switch {
	case l.Type == "session_meta" && c.a.folder == "":
		c.a.folder, c.a.id = p.CWD, p.ID
		// The session of a helper names who started it, as an object.
		var name string
		c.a.skip = len(p.Source) > 0 && json.Unmarshal(p.Source, &name) != nil
	case l.Type == "response_item" && p.Type == "message" && (p.Role == "user" || p.Role == "assistant"):
		text := messageText(p.Content, "input_text", "output_text")
		if !ofProgram(text) {
			c.items = add(c.items, p.Role == "user", text)
		}
	case l.Type == "event_msg" && (p.Type == "user_message" || p.Type == "agent_message"):
		if !ofProgram(p.Message) {
			c.shown = add(c.shown, p.Type == "user_message", p.Message)
		}
	}
	if c.a.first == "" && len(c.turns()) > 0 {
		c.a.first = c.turns()[0].Prompt
	}
}

func (c *codex) about() about {
	a := c.a
	a.title = cmp.Or(a.title, a.first)
	return a
}

func (c *codex) turns() []Turn {
	if len(c.shown) > 0 {
		return c.shown
	}
	return c.items
}
