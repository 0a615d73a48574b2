package recorder

import (
	"slices"
	"strings"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/protocol"
)

// Step is one browser command of a conversation's agent, with its outcome.
type Step struct {
	// Line describes it in plain words: "Clicked Save".
	Line string
	OK   bool
	// Denied says that the user was asked about it and said no.
	Denied bool
	// Input is the command's arguments, for a user who wants the details.
	Input string
	// Screenshot is the path of a screenshot that it took, for GET /file.
	Screenshot string
}

// Step records a step at its tool call. It returns false if there is no such
// call yet: the agent announces the call over its own pipe, shortly before or
// after the step. The step then waits for the call, until FlushSteps.
func (r *Recorder) Step(s Step) (bool, error) {
	if id := r.StepEntry(); id != "" {
		return true, r.putStep(id, s)
	}
	r.steps = append(r.steps, s)
	return false, nil
}

// Waiting returns how many steps wait for their tool call.
func (r *Recorder) Waiting() int { return len(r.steps) }

// StepEntry returns the id of the tool call that a new step belongs to: the
// first running call without a step, else the last running call.
func (r *Recorder) StepEntry() string {
	last := ""
	for e := range r.entries.Heads() {
		t := e.Tool
		if t == nil || !e.Open || t.Kind != KindBrowser {
			continue
		}
		if last = e.ID; t.Line == "" {
			break
		}
	}
	return last
}

// putStep records a step at its tool call.
func (r *Recorder) putStep(id string, s Step) error {
	e, ok := r.entries.Entry(id)
	if !ok || e.Tool == nil {
		return nil
	}
	tool := *e.Tool
	e.Tool = &tool
	if tool.Line != "" {
		tool.Line += ", "
		s.Line = lowerFirst(s.Line)
	}
	tool.Line = clip.Cut(tool.Line+s.Line, 2*protocol.MaxTitle)
	if s.Screenshot != "" {
		tool.Screenshot = s.Screenshot
	}
	tool.Denied = tool.Denied || s.Denied
	_, err := r.Put(e)
	return err
}

// FlushSteps writes the waiting steps as entries of their own, without a tool
// call.
func (r *Recorder) FlushSteps() error {
	steps := r.steps
	r.steps = nil
	for _, s := range steps {
		if err := r.CloseText(); err != nil {
			return err
		}
		status := protocol.ToolDone
		if !s.OK {
			status = protocol.ToolFailed
		}
		_, err := r.Put(protocol.ChatEntry{Message: r.message, Kind: protocol.EntryTool, Tool: &protocol.ChatTool{
			Title: s.Line, Line: s.Line, Kind: KindBrowser, Status: status, Input: s.Input, Content: []protocol.ToolContent{}, Screenshot: s.Screenshot, Denied: s.Denied,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// adopt assigns the oldest waiting step to a newly announced tool call.
func (r *Recorder) adopt(t *protocol.ChatTool) {
	if t.Kind != KindBrowser || t.Line != "" || len(r.steps) == 0 {
		return
	}
	s := r.steps[0]
	r.steps = slices.Clone(r.steps[1:])
	t.Line, t.Screenshot, t.Denied = s.Line, s.Screenshot, s.Denied
}

// browserTool reports whether a tool is one of ours, by its name. Agents wrap
// the name in different ways ("mcp__pilotfish__browser_act", "browser_act
// (pilotfish MCP Server)").
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
