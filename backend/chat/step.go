package chat

import (
	"slices"
	"strings"
	"time"

	"pilotfish/backend/protocol"
)

// Step is a command that a conversation's agent gave to the browser, as it
// turned out.
type Step struct {
	// Line says it in plain words: "Clicked Save".
	Line string
	OK   bool
	// Input is what was asked for, for whoever looks closer.
	Input string
	// Screenshot is a picture that it took, for GET /file.
	Screenshot string
}

// Step is told of each command of a conversation's agent. The agent announces
// the tool call that it belongs to over its own pipe, before or a moment after.
func (m *Manager) Step(id protocol.ConversationID, s Step) {
	c, err := m.find(id)
	if err != nil {
		return // deleted in the middle of it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turn
	if t == nil || c.closed {
		return
	}
	agent := c.starter
	if t.beside {
		agent = c.side.starter
	}
	if agent.ReportsSteps {
		return
	}
	t.said(c)
	if id := c.stepEntry(); id != "" {
		if err := c.putStep(id, s); err != nil {
			c.broken(err)
		}
		return
	}
	c.talk.steps = append(c.talk.steps, s)
	if len(c.talk.steps) == 1 {
		time.AfterFunc(chatStepWait, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.turn != t {
				return
			}
			if err := c.flushSteps(); err != nil {
				c.broken(err)
			}
		})
	}
}

// stepEntry is the tool call that a step belongs to: the first one under way
// that no step was told of, else the last one under way.
func (c *conversation) stepEntry() string {
	last := ""
	for e := range c.entries.Heads() {
		t := e.Tool
		if t == nil || !e.Open || t.Kind != kindBrowser {
			continue
		}
		if last = e.ID; t.Line == "" {
			break
		}
	}
	return last
}

// putStep writes a step down at its tool call.
func (c *conversation) putStep(id string, s Step) error {
	e, ok := c.entries.Entry(id)
	if !ok || e.Tool == nil {
		return nil
	}
	tool := *e.Tool
	e.Tool = &tool
	if tool.Line != "" {
		tool.Line += ", "
		s.Line = lowerFirst(s.Line)
	}
	tool.Line = cut(tool.Line+s.Line, 2*protocol.MaxTitle)
	if s.Screenshot != "" {
		tool.Screenshot = s.Screenshot
	}
	_, err := c.put(e)
	return err
}

// flushSteps writes the steps down that no tool call came for.
func (c *conversation) flushSteps() error {
	steps := c.talk.steps
	c.talk.steps = nil
	for _, s := range steps {
		if err := c.closeWords(); err != nil {
			return err
		}
		status := protocol.ToolDone
		if !s.OK {
			status = protocol.ToolFailed
		}
		_, err := c.put(protocol.ChatEntry{Message: c.talk.message, Kind: protocol.EntryTool, Tool: &protocol.ChatTool{
			Title: s.Line, Line: s.Line, Kind: kindBrowser, Status: status, Input: s.Input, Content: []protocol.ToolContent{}, Screenshot: s.Screenshot,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// adopt gives a tool call that is announced the step that came before it.
func (c *conversation) adopt(t *protocol.ChatTool) {
	if t.Kind != kindBrowser || t.Line != "" || len(c.talk.steps) == 0 {
		return
	}
	s := c.talk.steps[0]
	c.talk.steps = slices.Clone(c.talk.steps[1:])
	t.Line, t.Screenshot = s.Line, s.Screenshot
}

// browserTool says whether a tool is one of ours: by its name, which agents wrap
// in different ways ("mcp__pilotfish__browser_act", "browser_act (pilotfish MCP
// Server)").
func browserTool(names ...string) bool {
	for _, name := range names {
		for _, tool := range []string{"browser_snapshot", "browser_act", "browser_navigate", "browser_read", "browser_screenshot", "browser_tabs", "browser_run"} {
			if strings.Contains(name, tool) {
				return true
			}
		}
	}
	return false
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
