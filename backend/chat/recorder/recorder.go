// Package recorder turns what an agent says in a turn into entries of a transcript:
// texts that grow, tool calls and what came of them, steps in the browser, questions,
// and the end of the turn. It knows no agent, queue or viewer.
package recorder

import (
	"time"
	"unicode/utf8"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/files"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// maxBlock is the length in bytes at which a text of an agent goes on in a new
// entry.
const maxBlock = 256 << 10

// Config is what a Recorder needs. All fields are required.
type Config struct {
	Entries *transcript.Transcript
	Files   files.Store
	// Open is called before each write: it opens the transcript, and returns an error
	// when nothing can be written any more.
	Open func() error
	// Written is called with each event once it is on disk. made is set when the event
	// made a new entry.
	Written func(ev protocol.ChatEvent, made bool)
	// Tab is the conversation's tab.
	Tab func() protocol.TabID
}

// Recorder writes down what is said in the turn that runs, or in the last one: an
// agent may have a word more about its tools. It has no lock: its owner makes one
// call at a time.
type Recorder struct {
	entries *transcript.Transcript
	files   files.Store
	open    func() error
	written func(ev protocol.ChatEvent, made bool)
	tab     func() protocol.TabID
	talk
}

// talk is what belongs to one turn.
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

// New returns a Recorder of no turn.
func New(c Config) *Recorder {
	return &Recorder{entries: c.Entries, files: c.Files, open: c.Open, written: c.Written, tab: c.Tab}
}

// Begin begins with a turn: what is said from now on belongs to its message.
func (r *Recorder) Begin(message protocol.MessageID) {
	r.talk = talk{message: message, tools: map[string]string{}}
}

// Message is that of the turn.
func (r *Recorder) Message() protocol.MessageID { return r.message }

// Aside records another turn, and goes on with this one.
func (r *Recorder) Aside(message protocol.MessageID, record func() error) error {
	before := r.talk
	r.Begin(message)
	err := record()
	r.talk = before
	return err
}

// write takes one event in: it is on disk before anybody sees it.
func (r *Recorder) write(ev protocol.ChatEvent) error {
	if err := r.open(); err != nil {
		return err
	}
	ev, made, err := r.entries.Write(ev)
	if err != nil {
		return err
	}
	r.written(ev, made)
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

// Update writes down what an agent said. It returns false for an update that is no
// entry.
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

// planned writes the agent's plan, in the place of the one before.
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

// Notice writes a sentence of ours.
func (r *Recorder) Notice(text string) error {
	if err := r.CloseText(); err != nil {
		return err
	}
	_, err := r.Put(protocol.ChatEntry{Message: r.message, Kind: protocol.EntryNotice, Text: text})
	return err
}

// text takes a piece of a text in.
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

// CloseText ends the text that grows: something else comes.
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

// picture writes a picture that the agent sent among its words.
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
