package recorder

import (
	"slices"
	"strings"

	"pilotfish/backend/chat/clip"
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

// Step writes a step down at the tool call that it belongs to. It returns false when
// there is none yet: the agent announces it over its own pipe, before or a moment
// after. Such a step waits for it, until FlushSteps.
func (r *Recorder) Step(s Step) (bool, error) {
	if id := r.StepEntry(); id != "" {
		return true, r.putStep(id, s)
	}
	r.steps = append(r.steps, s)
	return false, nil
}

// Waiting is how many steps wait for their tool call.
func (r *Recorder) Waiting() int { return len(r.steps) }

// StepEntry is the tool call that a step belongs to: the first one under way
// that no step was told of, else the last one under way.
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

// putStep writes a step down at its tool call.
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
	_, err := r.Put(e)
	return err
}

// FlushSteps writes the steps down that no tool call came for.
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
			Title: s.Line, Line: s.Line, Kind: KindBrowser, Status: status, Input: s.Input, Content: []protocol.ToolContent{}, Screenshot: s.Screenshot,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// adopt gives a tool call that is announced the step that came before it.
func (r *Recorder) adopt(t *protocol.ChatTool) {
	if t.Kind != KindBrowser || t.Line != "" || len(r.steps) == 0 {
		return
	}
	s := r.steps[0]
	r.steps = slices.Clone(r.steps[1:])
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
