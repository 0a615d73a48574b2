// Package recorder turns what an agent sends in a turn into entries of a
// transcript: texts that grow, tool calls and their outcome, browser steps,
// questions, and the end of the turn. It knows no agent, queue or viewer.
package recorder

import (
	"time"
	"unicode/utf8"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/files"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// maxBlock is the length in bytes at which a text of an agent is continued in a
// new entry.
const maxBlock = 256 << 10

// Config is what a Recorder needs. All fields are required.
type Config struct {
	Entries *transcript.Transcript
	Files   files.Store
	// Open is called before each write: it opens the transcript, and returns an
	// error when nothing can be written any more.
	Open func() error
	// Written is called with each event once it is on disk.
	Written func(ev protocol.ChatEvent)
	// Head is that of the conversation: it has the tab, and counts the entries.
	Head *protocol.Conversation
}

// Recorder writes the entries of the running turn, or of the last one: an agent
// may still send updates about its tools after the end. It has no lock: its
// owner must make one call at a time.
type Recorder struct {
	entries *transcript.Transcript
	files   files.Store
	open    func() error
	written func(ev protocol.ChatEvent)
	head    *protocol.Conversation
	turn
}

// turn is the state of one turn.
type turn struct {
	message protocol.MessageID
	// words is the text or thought that is still growing.
	words *words
	tools map[string]string // from the agent's call id to our entry's id
	plan  string            // the id of the plan's entry
	// steps are commands whose tool call was not announced yet.
	steps []Step
}

// words is a text that is still growing.
type words struct {
	entry, id string // our entry's id, and the agent's id of the text
	kind      protocol.ChatEntryKind
	size      int
}

// New returns a Recorder that has no turn yet.
func New(c Config) *Recorder {
	return &Recorder{entries: c.Entries, files: c.Files, open: c.Open, written: c.Written, head: c.Head}
}

// Begin begins a turn: what is recorded from now on belongs to its message.
func (r *Recorder) Begin(message protocol.MessageID) {
	r.turn = turn{message: message, tools: map[string]string{}}
}

// Message returns the id of the turn's message.
func (r *Recorder) Message() protocol.MessageID { return r.message }

// Aside records another turn, and then continues with this one.
func (r *Recorder) Aside(message protocol.MessageID, record func() error) error {
	before := r.turn
	r.Begin(message)
	err := record()
	r.turn = before
	return err
}

// write writes one event. The event is on disk before anybody sees it.
func (r *Recorder) write(ev protocol.ChatEvent) error {
	if err := r.open(); err != nil {
		return err
	}
	ev, made, err := r.entries.Write(ev)
	if err != nil {
		return err
	}
	if made {
		r.head.Entries++
	}
	r.written(ev)
	return nil
}

// Put writes an entry, new or changed, and returns its id.
func (r *Recorder) Put(e protocol.ChatEntry) (string, error) {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	err := r.write(protocol.ChatEvent{Op: protocol.ChatPut, Entry: &e})
	return e.ID, err
}

// Update records an update of an agent. It returns false for an update that
// makes no entry.
func (r *Recorder) Update(u driver.Update) (bool, error) {
	switch {
	case u.Text != nil:
		return true, r.text(protocol.EntryText, *u.Text)
	case u.Thought != nil:
		return true, r.text(protocol.EntryThought, *u.Thought)
	case u.Tool != nil:
		_, err := r.tool(*u.Tool)
		return true, err
	case u.Plan != nil:
		return true, r.planned(u.Plan)
	case u.Notice != nil:
		return true, r.Notice(*u.Notice)
	}
	return false, nil
}

// planned writes the agent's plan; it replaces the previous one.
func (r *Recorder) planned(items []protocol.ChatPlanItem) error {
	e := protocol.ChatEntry{ID: r.plan, Message: r.message, Kind: protocol.EntryPlan, Plan: items}
	if old, ok := r.entries.Entry(r.plan); ok && r.plan != "" {
		e.Index, e.At = old.Index, old.At
	} else if err := r.CloseText(); err != nil {
		return err
	}
	id, err := r.Put(e)
	r.plan = id
	return err
}

// Notice writes a notice of ours, as an entry.
func (r *Recorder) Notice(text string) error {
	if err := r.CloseText(); err != nil {
		return err
	}
	_, err := r.Put(protocol.ChatEntry{Message: r.message, Kind: protocol.EntryNotice, Text: text})
	return err
}

// text adds a piece of text.
func (r *Recorder) text(kind protocol.ChatEntryKind, chunk driver.Chunk) error {
	if chunk.Image != nil {
		return r.picture(kind, *chunk.Image)
	}
	if chunk.Text == "" {
		return nil
	}
	w := r.words
	if w != nil && (w.kind != kind || chunk.ID != "" && chunk.ID != w.id || w.size >= maxBlock) {
		if err := r.CloseText(); err != nil {
			return err
		}
		w = nil
	}
	for text := chunk.Text; text != ""; {
		part := text
		if n := maxBlock; len(part) > n {
			for n > 0 && !utf8.RuneStart(part[n]) {
				n--
			}
			part = part[:max(n, 1)]
		}
		text = text[len(part):]
		if w != nil {
			if err := r.write(protocol.ChatEvent{Op: protocol.ChatAppend, ID: w.entry, Text: part}); err != nil {
				return err
			}
			w.size += len(part)
			continue
		}
		id, err := r.Put(protocol.ChatEntry{Message: r.message, Kind: kind, Text: part, Open: true})
		if err != nil {
			return err
		}
		w = &words{entry: id, id: chunk.ID, kind: kind, size: len(part)}
		r.words = w
	}
	return nil
}

// CloseText ends the growing text, because something else follows.
func (r *Recorder) CloseText() error {
	w := r.words
	if w == nil {
		return nil
	}
	r.words = nil
	e, ok := r.entries.Entry(w.entry)
	if !ok {
		return nil
	}
	e.Open = false
	_, err := r.Put(e)
	return err
}

// picture saves an image that the agent sent in its text, and writes an entry
// for it.
func (r *Recorder) picture(kind protocol.ChatEntryKind, img driver.Image) error {
	if err := r.CloseText(); err != nil {
		return err
	}
	path, err := r.files.Save("picture", img.Mime, img.Data)
	if err != nil {
		return r.Notice("An image from the agent could not be saved: " + err.Error())
	}
	_, err = r.Put(protocol.ChatEntry{
		Message: r.message, Kind: kind,
		Images: []protocol.ChatAttachment{{Kind: protocol.AttachImage, Name: "picture", Mime: img.Mime, Path: path}},
	})
	return err
}
