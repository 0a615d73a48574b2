package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

const (
	// historyBytes bounds what is read of a conversation's journal.
	historyBytes = 1 << 20
	// pastResult is the length up to which a result of an earlier turn is given
	// again, in bytes. Pages change: what is longer is left out as a whole.
	pastResult = 2 << 10
	// maxFile bounds an attached file that is put into a prompt, in bytes.
	maxFile = 128 << 10
)

// leftOut stands for a result that was left out.
const leftOut = "(This result was left out to save space. Call the tool again if you need it.)"

// messages are the messages of what was said, in an order that both wire formats
// take: each call has its result behind it.
func messages(past []driver.Said, known []Tool, vision bool) []wire.Message {
	h := &history{known: known}
	for _, said := range past {
		h.add(said, vision)
	}
	h.flush()
	// A history that was cut may begin within a turn; both formats want the user
	// first.
	first := slices.IndexFunc(h.out, func(m wire.Message) bool { return m.Role == wire.User })
	if first < 0 {
		return nil
	}
	return h.out[first:]
}

// history builds the messages.
type history struct {
	known []Tool
	out   []wire.Message
	// beside is what Pilot carries out at once, and what came of it.
	beside []string
	calls  int
}

func (h *history) add(said driver.Said, vision bool) {
	if said.Instant {
		h.pilot(said)
		return
	}
	h.flush()
	switch e := said.Entry; {
	case said.Prompt != nil:
		h.out = append(h.out, userMessage(*said.Prompt, vision))
	case e.Kind == protocol.EntryText:
		h.say(e.Text)
	case e.Kind == protocol.EntryTool && slices.ContainsFunc(h.known, func(t Tool) bool { return t.Name == e.Tool.Name }):
		h.call(*e.Tool)
	case e.Kind == protocol.EntryEnd && e.End.Reason == protocol.EndCancelled:
		h.say("(The user stopped this answer here.)")
	}
}

// say adds to what the assistant said.
func (h *history) say(text string) {
	h.out = append(h.out, wire.Message{Role: wire.Assistant, Text: text})
}

// pilot takes in what Pilot carried out at once: the model did not say it.
func (h *history) pilot(said driver.Said) {
	switch e := said.Entry; {
	case said.Prompt != nil:
		h.beside = append(h.beside, fmt.Sprintf("The user said %q, and it was carried out without you.", said.Prompt.Text))
	case e.Kind == protocol.EntryTool && e.Tool.Line != "":
		h.beside = append(h.beside, fmt.Sprintf("%s (%s).", e.Tool.Line, e.Tool.Status))
	}
}

// flush tells what Pilot carried out.
func (h *history) flush() {
	if len(h.beside) == 0 {
		return
	}
	h.out = append(h.out, wire.Message{Role: wire.User, Text: "[For you to know, not to answer: " + strings.Join(h.beside, " ") + "]"})
	h.beside = nil
}

// call adds a call of a tool and its result. The ids are new: a profile may have
// moved to a provider that takes other ones (Mistral: nine letters or digits).
func (h *history) call(t protocol.ChatTool) {
	h.calls++
	id := fmt.Sprintf("p%08d", h.calls)
	call := wire.Call{ID: id, Name: t.Name, Input: compact(t.Input)}
	result := wire.Result{ID: id, Text: pastText(t), Failed: t.Status != protocol.ToolDone}
	text := ""
	if n := len(h.out); n > 0 && h.out[n-1].Role == wire.Assistant && len(h.out[n-1].Calls) == 0 {
		// What it said before the call is said with the call.
		text = h.out[n-1].Text
		h.out = h.out[:n-1]
	}
	h.out = append(h.out,
		wire.Message{Role: wire.Assistant, Text: text, Calls: []wire.Call{call}},
		wire.Message{Role: wire.Results, Results: []wire.Result{result}})
}

// pastText is the result of a tool of an earlier turn.
func pastText(t protocol.ChatTool) string {
	if t.Status == protocol.ToolCancelled {
		return "(The user stopped it.)"
	}
	var texts []string
	size := 0
	for _, c := range t.Content {
		if c.Kind == protocol.ContentText {
			texts = append(texts, c.Text)
			size += len(c.Text)
		}
	}
	switch {
	case size > pastResult:
		return leftOut
	case size == 0:
		return "(It brought no text.)"
	}
	return strings.Join(texts, "\n")
}

// userMessage is a prompt: its words, its pictures where the model takes them,
// and its files as texts.
func userMessage(p driver.Prompt, vision bool) wire.Message {
	m := wire.Message{Role: wire.User, Text: p.Text}
	for _, image := range p.Images {
		if vision {
			m.Images = append(m.Images, wire.Image(image))
		}
	}
	for _, f := range p.Files {
		m.Text += "\n\n" + fileText(f)
	}
	return m
}

// fileText is an attached file for a model, which has no files of its own.
func fileText(f driver.File) string {
	name := filepath.Base(f.Path)
	if strings.HasPrefix(f.Mime, "image/") {
		return "[The user attached a picture, which is not shown to you.]"
	}
	info, err := os.Stat(f.Path)
	if err == nil && info.Size() > maxFile {
		return fmt.Sprintf("[The user attached the file %s. It is too long to be shown: %d KB.]", name, info.Size()>>10)
	}
	data, err := os.ReadFile(f.Path)
	switch {
	case err != nil:
		return fmt.Sprintf("[The user attached the file %s, which cannot be read any more.]", name)
	case !utf8.Valid(data):
		return fmt.Sprintf("[The user attached the file %s, which is no text.]", name)
	}
	return fmt.Sprintf("[The user attached the file %s:]\n%s\n[End of the file.]", name, data)
}
