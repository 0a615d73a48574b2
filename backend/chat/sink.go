package chat

import (
	"mime"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// talk is what the agent is saying in the turn that runs, or in the last one: it
// may have a word more about its tools.
type talk struct {
	message protocol.MessageID
	// words is the text or thought that grows.
	words *words
	tools map[string]string // the agent's call to our entry
	plan  string            // the entry of the plan
	// steps are commands whose tool call was not announced yet.
	steps []Step
}

// words is a text that grows.
type words struct {
	entry, id string // ours, and the agent's id of it
	kind      protocol.ChatEntryKind
	size      int
}

// sink is what one session of an agent speaks into. What a session says that is
// not the conversation's any more goes nowhere.
type sink struct {
	c *conversation
	// loading is set while a session of before is loaded: what was said in it is
	// in the journal already. past takes it, for what is not.
	loading bool
	past    past
	// beside is set for the agent of instant messages: its commands and options are
	// not the conversation's.
	beside bool
}

// Update takes one update in.
func (s *sink) Update(u driver.Update) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !s.counts(u) {
		return
	}
	if s.loading && s.past.take(u) {
		return
	}
	if c.turn != nil && c.turn.broken != nil {
		return
	}
	if err := c.update(u); err != nil {
		c.broken(err)
	}
}

// counts says whether an update is the conversation's.
func (s *sink) counts(u driver.Update) bool {
	if s.beside {
		return s.c.side.sink == s && u.Commands == nil && u.Options == nil && u.Usage == nil && u.Title == nil
	}
	return s.c.sink == s
}

// update takes one update in. The caller holds mu.
func (c *conversation) update(u driver.Update) error {
	if t := c.turn; t != nil {
		t.said(c)
	}
	switch {
	case u.Text != nil:
		return c.chunk(protocol.EntryText, *u.Text)
	case u.Thought != nil:
		return c.chunk(protocol.EntryThought, *u.Thought)
	case u.Tool != nil:
		_, err := c.tool(*u.Tool)
		return err
	case u.Plan != nil:
		e := protocol.ChatEntry{ID: c.talk.plan, Message: c.talk.message, Kind: protocol.EntryPlan, Plan: u.Plan}
		if old, ok := c.entries.Entry(c.talk.plan); ok && c.talk.plan != "" {
			e.Index, e.At = old.Index, old.At
		} else if err := c.closeWords(); err != nil {
			return err
		}
		id, err := c.put(e)
		c.talk.plan = id
		return err
	case u.Notice != nil:
		return c.notice(*u.Notice)
	case u.Commands != nil:
		c.state.Head.Commands = u.Commands
	case u.Options != nil:
		c.state.Head.Options = u.Options
	case u.Usage != nil:
		c.state.Head.Usage = u.Usage
	case u.Title != nil:
		if title := oneLine(*u.Title, protocol.MaxTitle); title != "" && !c.state.Titled {
			c.state.Head.Title = title
		}
	default:
		return nil // the person's own words, repeated
	}
	if u.Usage == nil {
		c.save(false)
	} else {
		c.m.news.touch(c, false)
	}
	return nil
}

// notice writes a word of ours.
func (c *conversation) notice(text string) error {
	if err := c.closeWords(); err != nil {
		return err
	}
	_, err := c.put(protocol.ChatEntry{Message: c.talk.message, Kind: protocol.EntryNotice, Text: text})
	return err
}

// chunk takes a piece of a text in.
func (c *conversation) chunk(kind protocol.ChatEntryKind, chunk driver.Chunk) error {
	if chunk.Image != nil {
		return c.picture(kind, *chunk.Image)
	}
	if chunk.Text == "" {
		return nil
	}
	w := c.talk.words
	if w != nil && (w.kind != kind || chunk.ID != "" && chunk.ID != w.id || w.size >= chatBlock) {
		if err := c.closeWords(); err != nil {
			return err
		}
		w = nil
	}
	for text := chunk.Text; text != ""; {
		part := text
		if n := chatBlock; len(part) > n {
			for n > 0 && !utf8.RuneStart(part[n]) {
				n--
			}
			part = part[:max(n, 1)]
		}
		text = text[len(part):]
		if w != nil {
			if err := c.write(protocol.ChatEvent{Op: protocol.ChatAppend, ID: w.entry, Text: part}); err != nil {
				return err
			}
			w.size += len(part)
			continue
		}
		id, err := c.put(protocol.ChatEntry{Message: c.talk.message, Kind: kind, Text: part, Open: true})
		if err != nil {
			return err
		}
		w = &words{entry: id, id: chunk.ID, kind: kind, size: len(part)}
		c.talk.words = w
	}
	return nil
}

// closeWords ends the text that grows: something else comes.
func (c *conversation) closeWords() error {
	w := c.talk.words
	if w == nil {
		return nil
	}
	c.talk.words = nil
	e, ok := c.entries.Entry(w.entry)
	if !ok {
		return nil
	}
	e.Open = false
	_, err := c.put(e)
	return err
}

// picture writes a picture that the agent sent among its words.
func (c *conversation) picture(kind protocol.ChatEntryKind, img driver.Image) error {
	if err := c.closeWords(); err != nil {
		return err
	}
	path, err := c.saveFile("picture", img.Mime, img.Data)
	if err != nil {
		return c.notice("An image from the agent could not be saved: " + err.Error())
	}
	_, err = c.put(protocol.ChatEntry{
		Message: c.talk.message, Kind: kind,
		Images: []protocol.ChatAttachment{{Kind: protocol.AttachImage, Name: "picture", Mime: img.Mime, Path: path}},
	})
	return err
}

// tool takes what an agent said of a tool call in, and returns its entry.
func (c *conversation) tool(u driver.ToolUpdate) (string, error) {
	e, known := c.entries.Entry(c.talk.tools[u.Call])
	if !known || e.Tool == nil {
		if err := c.closeWords(); err != nil {
			return "", err
		}
		e = protocol.ChatEntry{
			Message: c.talk.message, Kind: protocol.EntryTool,
			Tool: &protocol.ChatTool{Call: u.Call, Kind: "other", Status: protocol.ToolPending, Content: []protocol.ToolContent{}},
		}
	}
	if u.Answer != nil {
		return c.answered(e, u.Answer)
	}
	tool := *e.Tool
	merge1(&tool, u)
	c.adopt(&tool)
	for i := range tool.Content {
		if content := &tool.Content[i]; content.Kind == protocol.ContentImage && content.Path == "" && len(u.Images) > 0 {
			path, err := c.saveFile("tool", u.Images[0].Mime, u.Images[0].Data)
			if err != nil {
				*content = protocol.ToolContent{Kind: protocol.ContentText, Text: "An image could not be saved: " + err.Error()}
			}
			content.Path, u.Images = path, u.Images[1:]
		}
	}
	e.Tool, e.Open = &tool, !final(tool.Status)
	id, err := c.put(e)
	if err == nil && c.talk.tools != nil {
		c.talk.tools[u.Call] = id
	}
	return id, err
}

// answered puts what came of a call in its place.
func (c *conversation) answered(e protocol.ChatEntry, a *driver.Answer) (string, error) {
	e.Kind, e.Tool, e.Open, e.Text = protocol.EntryText, nil, false, a.Text
	if a.Picture != "" {
		e.Images = []protocol.ChatAttachment{{Kind: protocol.AttachImage, Name: "Screenshot", Mime: mime.TypeByExtension(filepath.Ext(a.Picture)), Path: a.Picture}}
	}
	if a.Which != nil {
		which := *a.Which
		which.Tab = c.state.Head.Tab
		e.Which = &which
	}
	return c.put(e)
}

// merge1 puts what was said over what was known.
func merge1(t *protocol.ChatTool, u driver.ToolUpdate) {
	if u.Title != nil && *u.Title != "" {
		t.Title = oneLine(*u.Title, 4*protocol.MaxTitle)
	}
	if t.Title == "" {
		t.Title = oneLine(u.Name, protocol.MaxTitle)
	}
	if u.Name != "" {
		t.Name = oneLine(u.Name, protocol.MaxTitle)
	}
	if u.Kind != nil && *u.Kind != "" && t.Kind != kindBrowser {
		t.Kind = *u.Kind
		if t.Kind == kindBrowser {
			t.Line = t.Title // an agent that knows this kind says it in plain words
		}
	} else if t.Kind == kindBrowser && u.Title != nil && !browserTool(t.Title) {
		t.Line = t.Title
	}
	if browserTool(u.Name, t.Title) {
		t.Kind = kindBrowser
	}
	if u.Status != nil {
		t.Status = *u.Status
	}
	if u.Input != nil {
		t.Input = bounded(protocol.Indented(u.Input))
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
		content.Text, content.Old, content.New = bounded(content.Text), bounded(content.Old), bounded(content.New)
		t.Content[i] = content
	}
	// Some agents put a word about the outcome in the place of what was changed.
	diff := func(c protocol.ToolContent) bool { return c.Kind == protocol.ContentDiff }
	if len(t.Content) > 0 && !slices.ContainsFunc(t.Content, diff) {
		changes := slices.DeleteFunc(slices.Clone(before), func(c protocol.ToolContent) bool { return !diff(c) })
		t.Content = append(changes, t.Content...)
	}
}

// kindBrowser is the kind of a tool call that is a step in the browser.
const kindBrowser = "browser"

func final(s protocol.ToolStatus) bool {
	return s == protocol.ToolDone || s == protocol.ToolFailed || s == protocol.ToolCancelled
}

// bounded cuts a text that is longer than a person reads, and says so.
func bounded(s string) string {
	if len(s) <= maxToolText {
		return s
	}
	return strings.ToValidUTF8(s[:maxToolText], "") + "\n… (cut)"
}

// cut shortens a text to a number of characters.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// oneLine makes a title of a text.
func oneLine(s string, limit int) string {
	if len(s) > 8*limit {
		s = strings.ToValidUTF8(s[:8*limit], "")
	}
	return cut(strings.Join(strings.Fields(s), " "), limit)
}

// said notes that the agent of a turn lives.
func (t *turn) said(c *conversation) {
	t.last = time.Now()
	if t.quiet {
		t.quiet = false
		c.m.news.touch(c, true)
	}
}
