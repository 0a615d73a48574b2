package acp

import (
	"bytes"
	"cmp"
	"encoding/json"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// stream is the text that is being streamed: one kind, one message.
type stream struct {
	kind wire.UpdateKind
	id   string
	join wire.Joiner
}

// update handles a session/update. It runs in the session's inbox.
func (s *session) update(u *wire.SessionUpdate) {
	switch u.Kind {
	case wire.KindUser, wire.KindText, wire.KindThought, wire.KindTool, wire.KindToolMore, wire.KindPlan:
		// Updates of an abandoned turn are dropped. So is the history that a
		// loaded session repeats: the conversation has it.
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

// history handles an update that becomes an entry of the conversation, or a
// part of one.
func (s *session) history(u *wire.SessionUpdate) {
	switch u.Kind {
	case wire.KindUser, wire.KindText, wire.KindThought:
		s.chunk(u)
	case wire.KindTool, wire.KindToolMore:
		s.flush()
		s.emit(driver.Update{Tool: s.toolUpdate(&u.ToolCall, u.Kind == wire.KindTool)})
		if plan := wire.ReadInput(u.RawInput).Plan(); plan != nil && !s.plans {
			s.emit(driver.Update{Plan: plan})
		}
	case wire.KindPlan:
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
	default: // the other kinds make no entry
	}
}

// chunk handles a piece of text or an image.
func (s *session) chunk(u *wire.SessionUpdate) {
	if s.streaming.kind != u.Kind || s.streaming.id != u.MessageID {
		s.flush()
		s.streaming = stream{kind: u.Kind, id: u.MessageID}
	}
	if u.Meta.Usage != nil {
		if s.used == nil {
			s.used = new(wire.Tokens)
		}
		s.used.Input += u.Meta.Usage.Input
		s.used.Output += u.Meta.Usage.Output
	}
	text, image := wire.ReadBlock(u.Content)
	if image != nil {
		s.flush()
		s.say(u.Kind, driver.Chunk{Image: image, ID: u.MessageID})
		return
	}
	if joined := s.streaming.join.Join(text); joined != "" {
		s.say(u.Kind, driver.Chunk{Text: joined, ID: u.MessageID})
	}
}

// flush sends the rest of a text that was cut within a character and is not
// continued.
func (s *session) flush() {
	if rest := s.streaming.join.Flush(); rest != "" {
		s.say(s.streaming.kind, driver.Chunk{Text: rest, ID: s.streaming.id})
	}
}

func (s *session) say(kind wire.UpdateKind, c driver.Chunk) {
	switch kind {
	case wire.KindUser:
		s.emit(driver.Update{User: &c})
	case wire.KindThought:
		s.emit(driver.Update{Thought: &c})
	default:
		s.emit(driver.Update{Text: &c})
	}
}

// state handles an update of the session's state.
func (s *session) state(u *wire.SessionUpdate) {
	switch u.Kind {
	case wire.KindCommands:
		commands := make([]protocol.ChatCommand, 0, len(u.Commands))
		for _, c := range u.Commands {
			commands = append(commands, protocol.ChatCommand{Name: c.Name, About: c.Description, Hint: c.Input.Hint})
		}
		s.emit(driver.Update{Commands: commands})
	case wire.KindMode:
		if s.options.setMode(u.CurrentMode) {
			s.emitOptions()
		}
	case wire.KindOptions:
		s.options.configure(u.ConfigOptions)
		s.emitOptions()
	case wire.KindInfo:
		if u.Title != nil && *u.Title != "" {
			s.emit(driver.Update{Title: u.Title})
		}
	case wire.KindUsage:
		usage := protocol.ChatUsage{Context: u.Used, ContextSize: u.Size}
		if u.Cost != nil {
			usage.Cost, usage.Currency = u.Cost.Amount, u.Cost.Currency
		}
		s.emit(driver.Update{Usage: &usage})
	default:
		s.log.Debug("an update of an unknown kind", "kind", u.Kind)
	}
}

// toolUpdate converts an update of a tool call. announced says that it is the
// protocol's announcement of the call, so that missing fields get the
// protocol's defaults.
func (s *session) toolUpdate(t *wire.ToolCall, announced bool) *driver.ToolUpdate {
	u := &driver.ToolUpdate{Call: t.ID, Name: cmp.Or(t.Meta.Claude.ToolName, t.Meta.ToolName), Title: t.Title, Kind: t.ToolKind, Status: wire.ToolStatus(t.Status)}
	if announced {
		if u.Kind == nil {
			u.Kind = new("other")
		}
		if u.Status == nil {
			u.Status = new(protocol.ToolPending)
		}
	}
	u.Content, u.Images = wire.ReadToolContent(t.Content)
	if wire.Said(t.RawInput) {
		u.Input = bytes.ToValidUTF8(t.RawInput, []byte("\uFFFD")) // it is stored and shown as it is
		s.asked[t.ID] = true
	} else if words := arguments(u); words != nil && !s.asked[t.ID] {
		// Kimi sends the arguments in the place of the outcome, and shortens
		// them in its permission request, so they are kept for that.
		u.Input, u.Content = words, []protocol.ToolContent{}
	}
	if edit, ok := wire.ReadInput(u.Input).Edit(); ok && len(u.Content) == 0 && !s.shown[t.ID] {
		u.Content = []protocol.ToolContent{edit}
		if u.Kind == nil || *u.Kind == "other" {
			u.Kind = new("edit")
		}
	}
	if len(u.Content) > 0 {
		s.shown[t.ID] = true
	}
	if u.Content == nil && wire.Said(t.RawOutput) && !s.shown[t.ID] {
		// Some agents send the outcome only in a form of their own.
		u.Content = []protocol.ToolContent{{Kind: protocol.ContentText, Text: wire.Output(t.RawOutput)}}
	}
	if u.Status != nil && wire.Final(*u.Status) {
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

// arguments returns the arguments of a running call that are sent as its only
// content; nil for any other content.
func arguments(u *driver.ToolUpdate) json.RawMessage {
	if u.Status == nil || wire.Final(*u.Status) || len(u.Content) != 1 || u.Content[0].Kind != protocol.ContentText {
		return nil
	}
	var object map[string]json.RawMessage
	text := []byte(u.Content[0].Text)
	if json.Unmarshal(text, &object) != nil || len(object) == 0 {
		return nil
	}
	return text
}
