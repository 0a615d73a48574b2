//go:build unix

package acp

import (
	"bytes"
	"cmp"
	"encoding/json"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// stream is the text that is being streamed: one kind, one message.
type stream struct {
	kind updateKind
	id   string
	join joiner
}

// update takes a session/update. It runs in the session's inbox.
func (s *session) update(u *sessionUpdate) {
	switch u.Kind {
	case kindUser, kindText, kindThought, kindTool, kindToolMore, kindPlan:
		// What is said of a turn that was given up is for nobody, and the history
		// that a loaded session says again is in the conversation.
		switch {
		case s.replays:
			s.replayed.Store(true)
		case !s.stale():
			s.history(u)
		}
	default:
		s.state(u)
	}
}

// history takes an update that is an entry of the conversation, or a part of one.
func (s *session) history(u *sessionUpdate) {
	switch u.Kind {
	case kindUser, kindText, kindThought:
		s.chunk(u)
	case kindTool, kindToolMore:
		s.flush()
		s.emit(driver.Update{Tool: s.toolUpdate(&u.toolCall, u.Kind == kindTool)})
		if plan := readInput(u.RawInput).plan(); plan != nil && !s.plans {
			s.emit(driver.Update{Plan: plan})
		}
	case kindPlan:
		s.flush()
		s.plans = true
		plan := make([]protocol.ChatPlanItem, 0, len(u.Entries))
		for _, e := range u.Entries {
			if e.Status == "" {
				e.Status = "pending"
			}
			plan = append(plan, protocol.ChatPlanItem{Text: e.Content, Status: e.Status, Priority: e.Priority})
		}
		s.emit(driver.Update{Plan: plan})
	default: // the others are no history
	}
}

// chunk takes a piece of text or a picture.
func (s *session) chunk(u *sessionUpdate) {
	if s.streaming.kind != u.Kind || s.streaming.id != u.MessageID {
		s.flush()
		s.streaming = stream{kind: u.Kind, id: u.MessageID}
	}
	if u.Meta.Usage != nil {
		if s.used == nil {
			s.used = new(tokens)
		}
		s.used.Input += u.Meta.Usage.Input
		s.used.Output += u.Meta.Usage.Output
	}
	text, image := readBlock(u.Content)
	if image != nil {
		s.flush()
		s.say(u.Kind, driver.Chunk{Image: image, ID: u.MessageID})
		return
	}
	if joined := s.streaming.join.join(text); joined != "" {
		s.say(u.Kind, driver.Chunk{Text: joined, ID: u.MessageID})
	}
}

// flush says what is left of a text that was cut within a character and does not
// go on.
func (s *session) flush() {
	if rest := s.streaming.join.flush(); rest != "" {
		s.say(s.streaming.kind, driver.Chunk{Text: rest, ID: s.streaming.id})
	}
}

func (s *session) say(kind updateKind, c driver.Chunk) {
	switch kind {
	case kindUser:
		s.emit(driver.Update{User: &c})
	case kindThought:
		s.emit(driver.Update{Thought: &c})
	default:
		s.emit(driver.Update{Text: &c})
	}
}

// state takes an update of what the session is now.
func (s *session) state(u *sessionUpdate) {
	switch u.Kind {
	case kindCommands:
		commands := make([]protocol.ChatCommand, 0, len(u.Commands))
		for _, c := range u.Commands {
			commands = append(commands, protocol.ChatCommand{Name: c.Name, About: c.Description, Hint: c.Input.Hint})
		}
		s.emit(driver.Update{Commands: commands})
	case kindMode:
		if s.options.setMode(u.CurrentMode) {
			s.emitOptions()
		}
	case kindOptions:
		s.options.configure(u.ConfigOptions)
		s.emitOptions()
	case kindInfo:
		if u.Title != nil && *u.Title != "" {
			s.emit(driver.Update{Title: u.Title})
		}
	case kindUsage:
		usage := protocol.ChatUsage{Context: u.Used, ContextSize: u.Size}
		if u.Cost != nil {
			usage.Cost, usage.Currency = u.Cost.Amount, u.Cost.Currency
		}
		s.emit(driver.Update{Usage: &usage})
	default:
		s.log.Debug("an update of an unknown kind", "kind", u.Kind)
	}
}

// toolUpdate makes an upsert of a tool call. announced says that it is the
// protocol's announcement, of which the defaults are known.
func (s *session) toolUpdate(t *toolCall, announced bool) *driver.ToolUpdate {
	u := &driver.ToolUpdate{Call: t.ID, Name: cmp.Or(t.Meta.Claude.ToolName, t.Meta.ToolName), Title: t.Title, Kind: t.ToolKind, Status: toolStatus(t.Status)}
	if announced {
		if u.Kind == nil {
			u.Kind = new("other")
		}
		if u.Status == nil {
			u.Status = new(protocol.ToolPending)
		}
	}
	u.Content, u.Images = readToolContent(t.Content)
	if said(t.RawInput) {
		u.Input = t.RawInput
		s.asked[t.ID] = true
	} else if words := arguments(u); words != nil && !s.asked[t.ID] {
		// Kimi writes the arguments down where others tell the outcome, and cuts them
		// in its question: they are kept for it.
		u.Input, u.Content = words, []protocol.ToolContent{}
	}
	if edit, ok := readInput(u.Input).edit(); ok && len(u.Content) == 0 && !s.shown[t.ID] {
		u.Content = []protocol.ToolContent{edit}
		if u.Kind == nil || *u.Kind == "other" {
			u.Kind = new("edit")
		}
	}
	if len(u.Content) > 0 {
		s.shown[t.ID] = true
	}
	if u.Content == nil && said(t.RawOutput) && !s.shown[t.ID] {
		// Some agents say the outcome in a form of their own only.
		u.Content = []protocol.ToolContent{{Kind: protocol.ContentText, Text: output(t.RawOutput)}}
	}
	if u.Status != nil && final(*u.Status) {
		delete(s.shown, t.ID)
		delete(s.asked, t.ID)
	}
	if t.Locations != nil {
		u.Paths = make([]string, 0, len(t.Locations))
		for _, l := range t.Locations {
			if l.Path != "" {
				u.Paths = append(u.Paths, l.Path)
			}
		}
	}
	return u
}

// arguments are those of a call that is not over, told as its only content; nil for
// any other content.
func arguments(u *driver.ToolUpdate) json.RawMessage {
	if u.Status == nil || final(*u.Status) || len(u.Content) != 1 || u.Content[0].Kind != protocol.ContentText {
		return nil
	}
	var object map[string]json.RawMessage
	text := []byte(u.Content[0].Text)
	if json.Unmarshal(text, &object) != nil || len(object) == 0 {
		return nil
	}
	return text
}

// said reports whether a raw field says something.
func said(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) && !bytes.Equal(raw, []byte("{}"))
}

// output reads a raw output: a string as it is, a list of blocks as their texts
// and anything else as JSON.
func output(raw json.RawMessage) string {
	var text splitText
	if raw[0] == '"' && lenient(raw, &text) == nil {
		return whole(text)
	}
	var fields struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	}
	_ = lenient(raw, &fields) // a list has none
	switch {
	case fields.Output != "":
		return fields.Output
	case fields.Error != "":
		return fields.Error
	}
	return protocol.Indented(raw)
}

// toolStatus reads a status; one that is not known is not said.
func toolStatus(status *string) *protocol.ToolStatus {
	if status == nil {
		return nil
	}
	switch *status {
	case "pending":
		return new(protocol.ToolPending)
	case "in_progress":
		return new(protocol.ToolRunning)
	case "completed":
		return new(protocol.ToolDone)
	case "failed":
		return new(protocol.ToolFailed)
	case "cancelled", "canceled":
		return new(protocol.ToolCancelled)
	}
	return nil
}

// final reports whether a tool call with this status is over.
func final(status protocol.ToolStatus) bool {
	return status == protocol.ToolDone || status == protocol.ToolFailed || status == protocol.ToolCancelled
}
