package claude

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// message handles one message of claude. It runs in the reader.
func (s *session) message(m *message) {
	switch m.Type {
	case "control_response":
		s.answered(&m.Response)
	case "control_request":
		s.requested(m)
	case "control_cancel_request":
		s.take(m.RequestID)
	case "system":
		s.system(m)
	case "stream_event":
		if m.Parent == "" && !s.stale() {
			s.streamEvent(&m.Event)
		}
	case "assistant":
		if !s.stale() {
			s.assistant(m)
		}
	case "user":
		s.user(m)
	case "result":
		s.result(m)
	}
}

// stale reports whether the running turn was abandoned, so that claude's
// messages must be dropped.
func (s *session) stale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && s.turn.givenUp
}

// system handles what claude reports about itself.
func (s *session) system(m *message) {
	if m.PermissionMode != "" && s.options.choose(optionMode, m.PermissionMode) {
		s.emit(driver.Update{Options: s.options.shown()})
	}
	for _, server := range m.Servers {
		s.failedServer(server)
	}
	if m.Subtype == "compact_boundary" {
		s.emit(driver.Update{Notice: new("Claude summed up the conversation so far, to have room for more.")})
	}
}

// failedServer tells the user once about an MCP server of theirs that claude cannot use.
// Those in claude's own settings are between the two.
func (s *session) failedServer(server serverStatus) {
	if server.Status != "failed" && server.Status != "needs-auth" || !s.servers[server.Name] {
		return
	}
	delete(s.servers, server.Name)
	s.emit(driver.Update{Notice: new(s.agent.launch.Name + " cannot use the MCP server " + server.Name + ": it does not work, or refuses the connection. `pilotfish mcp-servers` lists yours.")})
}

// streamEvent handles a piece of a message.
func (s *session) streamEvent(e *streamEvent) {
	switch e.Type {
	case "message_start":
		s.streamed = e.Message.ID
		clear(s.pieces)
		s.context.Context = e.Message.Usage.input()
	case "content_block_start":
		s.pieces[e.Index] = e.Block.Type
		if e.Block.Type == "tool_use" {
			// Its input arrives in pieces, too; the complete call follows.
			s.emit(driver.Update{Tool: describe(e.Block.ID, e.Block.Name, nil)})
		}
	case "content_block_delta":
		// The text before a tool call and the text after it are separate
		// messages.
		id := fmt.Sprint(s.streamed, ":", e.Index)
		switch {
		case e.Delta.Type == "text_delta" && e.Delta.Text != "":
			s.emit(driver.Update{Text: &driver.Chunk{Text: e.Delta.Text, ID: id}})
		case e.Delta.Type == "thinking_delta" && e.Delta.Thinking != "":
			s.emit(driver.Update{Thought: &driver.Chunk{Text: e.Delta.Thinking, ID: id}})
		}
	case "message_delta":
		if e.Usage != nil {
			s.context.Context = max(s.context.Context, e.Usage.input()) + e.Usage.Output
		}
	}
}

// assistant handles a complete block of a message. Text that arrived in pieces
// was sent already.
func (s *session) assistant(m *message) {
	if m.Error != "" {
		s.mu.Lock()
		if s.turn != nil {
			s.turn.problem = m.Error
		}
		s.mu.Unlock()
	}
	for i, b := range m.Message.blocks() {
		switch b.Type {
		case "tool_use":
			u := describe(b.ID, b.Name, b.Input)
			u.Status = new(protocol.ToolRunning)
			if len(u.Content) > 0 {
				s.edits[b.ID] = true
			}
			if plan := plan(b.Name, b.Input); plan != nil {
				s.emit(driver.Update{Plan: plan})
			}
			s.emit(driver.Update{Tool: u})
		case "text":
			// Claude's own texts (a limit, an error) arrive only complete. The
			// text of a subagent is for claude, not for the user.
			if m.Message.ID != s.streamed && m.Parent == "" && m.Error == "" && b.Text != "" {
				s.emit(driver.Update{Text: &driver.Chunk{Text: b.Text, ID: fmt.Sprint(m.Message.ID, ":", i)}})
			}
		}
	}
}

// user handles a message with the role user: results of tools, and our own
// message when claude starts with it.
func (s *session) user(m *message) {
	if m.IsReplay {
		s.takenUp(m.UUID)
	}
	if s.stale() {
		return
	}
	for _, b := range m.Message.blocks() {
		if b.Type == "tool_result" {
			s.emit(driver.Update{Tool: s.toolResult(&b)})
			continue
		}
		if text, ok := strings.CutPrefix(b.Text, "<local-command-stdout>"); ok && s.working() {
			// The answer of a slash command, without the model.
			s.emit(driver.Update{Text: &driver.Chunk{Text: strings.TrimSuffix(text, "</local-command-stdout>"), ID: m.UUID}})
		}
	}
}

// working reports whether claude has started with the prompt of the turn.
func (s *session) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && s.turn.begun
}

// toolResult converts the result of a tool.
func (s *session) toolResult(b *block) *driver.ToolUpdate {
	u := &driver.ToolUpdate{Call: b.ToolUseID, Status: new(protocol.ToolDone)}
	if b.IsError {
		u.Status = new(protocol.ToolFailed)
	}
	edit := s.edits[b.ToolUseID]
	delete(s.edits, b.ToolUseID)
	if edit && !b.IsError {
		return u // the diff shows more than "the file was updated"
	}
	list := (&apiMessage{Content: b.Content}).blocks()
	u.Content = make([]protocol.ToolContent, 0, len(list))
	for _, c := range list {
		switch c.Type {
		case "text":
			u.Content = append(u.Content, protocol.ToolContent{Kind: protocol.ContentText, Text: c.Text})
		case "image":
			if data, err := base64.StdEncoding.DecodeString(c.Source.Data); err == nil {
				u.Content = append(u.Content, protocol.ToolContent{Kind: protocol.ContentImage})
				u.Images = append(u.Images, driver.Image{Mime: c.Source.MediaType, Data: data})
			}
		}
	}
	return u
}

// result handles the end of a turn.
func (s *session) result(m *message) {
	// Without a turn, this is how claude says why it cannot start.
	for _, why := range m.Errors {
		s.heard(why)
	}
	for _, model := range m.ModelUsage {
		s.context.ContextSize = max(s.context.ContextSize, model.ContextWindow)
	}
	s.context.Cost, s.context.Currency = m.Cost, "USD"
	usage := s.context
	s.emit(driver.Update{Usage: &usage})

	s.mu.Lock()
	t := s.turn
	if t == nil || t.sent && len(t.waiting) > 0 && !t.cancelled && !t.givenUp {
		// A message that was added to the turn is started now.
		s.mu.Unlock()
		return
	}
	s.turn = nil
	cancelled := t.cancelled || t.givenUp
	s.mu.Unlock()
	// Ends questions that claude asked without waiting for their answers.
	s.endQuestions(false)
	end, err := s.turnEnd(m, t, cancelled)
	t.ended <- turnResult{end, err}
}

// turnEnd returns how a turn ended.
func (s *session) turnEnd(m *message, t *turn, cancelled bool) (driver.TurnEnd, error) {
	end := driver.TurnEnd{Reason: protocol.EndDone, Usage: &protocol.ChatUsage{Input: m.Usage.input(), Output: m.Usage.Output}}
	switch {
	case cancelled && (m.IsError || m.Subtype != "success"):
		end.Reason = protocol.EndCancelled
		return end, nil
	case m.Subtype == "error_max_turns":
		end.Reason = protocol.EndMaxTurns
		return end, nil
	case t.problem == "authentication_failed":
		end.Reason = protocol.EndFailed
		return end, &driver.NeedsSignIn{}
	case m.IsError || m.Subtype != "success":
		end.Reason = protocol.EndFailed
		why := m.Result
		if why == "" {
			why = strings.Join(m.Errors, "; ")
		}
		if why == "" {
			why = "the turn ended with " + m.Subtype
		}
		return end, protocol.NewError(protocol.CodeInternal, s.agent.launch.Name+": "+why, "")
	}
	switch m.StopReason {
	case "refusal":
		end.Reason = protocol.EndRefused
	case "max_tokens":
		end.Reason = protocol.EndMaxTokens
	}
	return end, nil
}

// plan returns the checklist that a tool call of claude writes; nil for other
// calls.
func plan(name string, input json.RawMessage) []protocol.ChatPlanItem {
	if name != "TodoWrite" {
		return nil
	}
	var list struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	if json.Unmarshal(input, &list) != nil {
		return nil
	}
	items := make([]protocol.ChatPlanItem, 0, len(list.Todos))
	for _, todo := range list.Todos {
		items = append(items, protocol.ChatPlanItem{Text: todo.Content, Status: todo.Status})
	}
	return items
}
