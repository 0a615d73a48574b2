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
	// historyBytes is about how much is read of a conversation's journal, in
	// bytes.
	historyBytes = 1 << 20
	// historyResult is the greatest length, in bytes, at which a tool result of an
	// earlier turn is sent again. Pages change, so a longer result is left out
	// completely.
	historyResult = 2 << 10
	// maxFile bounds an attached file that is put into a prompt, in bytes.
	maxFile = 128 << 10
)

// leftOut replaces a result that was left out.
const leftOut = "(This result was left out to save space. Call the tool again if you need it.)"

// messages returns the messages of the earlier conversation in an order that
// both wire formats accept: each call is followed by its result.
func messages(past []driver.Said, known []Tool, vision bool) []wire.Message {
	h := &history{known: known}
	for _, said := range past {
		h.add(said, vision)
	}
	h.flush()
	// A history that was cut may begin within a turn; both formats require a
	// user's message first.
	first := slices.IndexFunc(h.out, func(m wire.Message) bool { return m.Role == wire.User })
	if first < 0 {
		return nil
	}
	return h.out[first:]
}

// history collects the messages.
type history struct {
	known []Tool
	out   []wire.Message
	// beside describes the instant messages that Pilot carried out, and their
	// outcome.
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

// say adds an assistant's message.
func (h *history) say(text string) {
	h.out = append(h.out, wire.Message{Role: wire.Assistant, Text: text})
}

// pilot records what Pilot carried out at once: it is not the model's own
// message.
func (h *history) pilot(said driver.Said) {
	switch e := said.Entry; {
	case said.Prompt != nil:
		h.beside = append(h.beside, fmt.Sprintf("The user said %q, and it was carried out without you.", said.Prompt.Text))
	case e.Kind == protocol.EntryTool && e.Tool.Line != "":
		h.beside = append(h.beside, fmt.Sprintf("%s (%s).", e.Tool.Line, e.Tool.Status))
	}
}

// flush adds a message about what Pilot carried out.
func (h *history) flush() {
	if len(h.beside) == 0 {
		return
	}
	h.out = append(h.out, wire.Message{Role: wire.User, Text: "[For you to know, not to answer: " + strings.Join(h.beside, " ") + "]"})
	h.beside = nil
}

// call adds a tool call and its result. The ids are new, because the profile
// may have moved to a provider that requires another form (Mistral: nine
// letters or digits).
func (h *history) call(t protocol.ChatTool) {
	h.calls++
	id := fmt.Sprintf("p%08d", h.calls)
	call := wire.Call{ID: id, Name: t.Name, Input: compact(t.Input)}
	result := wire.Result{ID: id, Text: historyText(t), Failed: t.Status != protocol.ToolDone}
	text := ""
	if n := len(h.out); n > 0 && h.out[n-1].Role == wire.Assistant && len(h.out[n-1].Calls) == 0 {
		// The text before the call goes into the message of the call.
		text = h.out[n-1].Text
		h.out = h.out[:n-1]
	}
	h.out = append(h.out,
		wire.Message{Role: wire.Assistant, Text: text, Calls: []wire.Call{call}},
		wire.Message{Role: wire.Results, Results: []wire.Result{result}})
}

// historyText returns the result of a tool call of an earlier turn.
func historyText(t protocol.ChatTool) string {
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
	case size > historyResult:
		return leftOut
	case size == 0:
		return "(It brought no text.)"
	}
	return strings.Join(texts, "\n")
}

// userMessage returns the message of a prompt: its text, its images if the
// model accepts them, and its files as text.
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

// fileText returns an attached file as text, because a model has no access to
// files.
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
