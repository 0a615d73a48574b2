package recorder

import (
	"mime"
	"path/filepath"
	"slices"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// tool records an update of a tool call, and returns the id of its entry.
func (r *Recorder) tool(u driver.ToolUpdate) (string, error) {
	e, known := r.entries.Entry(r.tools[u.Call])
	if !known || e.Tool == nil {
		if err := r.CloseText(); err != nil {
			return "", err
		}
		e = protocol.ChatEntry{
			Message: r.message, Kind: protocol.EntryTool,
			Tool: &protocol.ChatTool{Call: u.Call, Kind: "other", Status: protocol.ToolPending, Content: []protocol.ToolContent{}},
		}
	}
	if u.Answer != nil {
		return r.answered(e, u.Answer)
	}
	tool := *e.Tool
	merge(&tool, u)
	r.adopt(&tool)
	for i := range tool.Content {
		if content := &tool.Content[i]; content.Kind == protocol.ContentImage && content.Path == "" && len(u.Images) > 0 {
			path, err := r.files.Save("tool", u.Images[0].Mime, u.Images[0].Data)
			if err != nil {
				*content = protocol.ToolContent{Kind: protocol.ContentText, Text: "An image could not be saved: " + err.Error()}
			}
			content.Path, u.Images = path, u.Images[1:]
		}
	}
	e.Tool, e.Open = &tool, !final(tool.Status)
	id, err := r.Put(e)
	if err == nil && r.tools != nil {
		r.tools[u.Call] = id
	}
	return id, err
}

// answered replaces a tool call by its outcome.
func (r *Recorder) answered(e protocol.ChatEntry, a *driver.Answer) (string, error) {
	e.Kind, e.Tool, e.Open, e.Text = protocol.EntryText, nil, false, a.Text
	if a.Picture != "" {
		e.Images = []protocol.ChatAttachment{{Kind: protocol.AttachImage, Name: "Screenshot", Mime: mime.TypeByExtension(filepath.Ext(a.Picture)), Path: a.Picture}}
	}
	if a.Which != nil {
		which := *a.Which
		which.Tab = r.head.Tab
		e.Which = &which
	}
	return r.Put(e)
}

// merge applies an update to the known state of a tool call.
func merge(t *protocol.ChatTool, u driver.ToolUpdate) {
	if u.Title != nil && *u.Title != "" {
		t.Title = clip.Line(*u.Title, 4*protocol.MaxTitle)
	}
	if t.Title == "" {
		t.Title = clip.Line(u.Name, protocol.MaxTitle)
	}
	if u.Name != "" {
		t.Name = clip.Line(u.Name, protocol.MaxTitle)
	}
	if u.Kind != nil && *u.Kind != "" && t.Kind != KindBrowser {
		t.Kind = *u.Kind
		if t.Kind == KindBrowser {
			t.Line = t.Title // an agent that uses this kind sends a plain title
		}
	} else if t.Kind == KindBrowser && u.Title != nil && !browserTool(t.Title) {
		t.Line = t.Title
	}
	if browserTool(u.Name, t.Title) {
		t.Kind = KindBrowser
	}
	if u.Status != nil {
		t.Status = *u.Status
	}
	if u.Input != nil {
		t.Input = clip.Tool(protocol.Indented(u.Input))
	}
	if u.Paths != nil {
		t.Paths = u.Paths
	}
	if u.Content == nil {
		return
	}
	before := t.Content
	t.Content = make([]protocol.ToolContent, len(u.Content))
	for i, content := range u.Content {
		content = narrowed(content)
		content.Text, content.Old, content.New = clip.Tool(content.Text), clip.Tool(content.Old), clip.Tool(content.New)
		t.Content[i] = content
	}
	// Some agents replace the diff by a message about the outcome; the diff is
	// kept.
	diff := func(c protocol.ToolContent) bool { return c.Kind == protocol.ContentDiff }
	if len(t.Content) > 0 && !slices.ContainsFunc(t.Content, diff) {
		changes := slices.DeleteFunc(slices.Clone(before), func(c protocol.ToolContent) bool { return !diff(c) })
		t.Content = append(changes, t.Content...)
	}
}

// KindBrowser is the kind of a tool call that is a browser step.
const KindBrowser = "browser"

func final(s protocol.ToolStatus) bool {
	return s == protocol.ToolDone || s == protocol.ToolFailed || s == protocol.ToolCancelled
}
