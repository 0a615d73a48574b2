// Package recall provides the earlier part of a conversation to an agent that
// does not know it, and handles what an agent repeats of it when a session is
// loaded.
package recall

import (
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// backward calls add with the entries, newest first, until add returns false.
func backward(entries *transcript.Transcript, add func(protocol.ChatEntry) bool) error {
	for _, e := range slices.Backward(entries.Recent()) {
		if !add(e) {
			return nil
		}
	}
	if err := entries.Each(0, add); err != nil {
		return fmt.Errorf("reading the history of a conversation: %w", err)
	}
	return nil
}

// Quote puts the conversation before the turn now in front of a prompt, as much
// of its end as fits. On an error it quotes what could be read.
func Quote(entries *transcript.Transcript, now protocol.MessageID, text string) (string, error) {
	var parts []string
	size := 0
	err := backward(entries, func(e protocol.ChatEntry) bool {
		if e.Message == now || e.Kind != protocol.EntryUser && e.Kind != protocol.EntryText || e.Text == "" {
			return true
		}
		who := "You"
		if e.Kind == protocol.EntryUser {
			who = "Person"
		}
		part := who + ": " + e.Text
		if size += len(part); size > protocol.ChatContext {
			return false
		}
		parts = append(parts, part)
		return true
	})
	if len(parts) == 0 {
		return text, err
	}
	slices.Reverse(parts)
	return fmt.Sprintf("This conversation began before this session. What was said so far, for you to read and not to answer:\n\n%s\n\nEnd of what was said. Now the person writes:\n\n%s", strings.Join(parts, "\n\n"), text), err
}

// maxPictures is how many images of earlier prompts an agent receives again.
const maxPictures = 4

// Said returns the conversation before the turn now, oldest first: the last
// entries, about limit bytes. prompt returns what an agent receives for a
// message, with or without its images.
func Said(entries *transcript.Transcript, now protocol.MessageID, limit int, prompt func(message protocol.QueuedMessage, images bool) driver.Prompt) ([]driver.Said, error) {
	var said []driver.Said
	size, pictures := 0, 0
	instant := map[protocol.MessageID]bool{}
	err := backward(entries, func(e protocol.ChatEntry) bool {
		if e.Message == now {
			return true
		}
		one := driver.Said{Entry: e}
		switch e.Kind {
		case protocol.EntryUser:
			// The entries are read backwards, so the outcome of this message is
			// in said already.
			instant[e.Message] = e.Route != nil && e.Route.Kind == protocol.RouteInstant
			p := prompt(protocol.QueuedMessage{ID: e.Message, Text: e.Text, Attachments: e.Attachments}, pictures < maxPictures)
			pictures += len(p.Images)
			one.Prompt = &p
			size += len(p.Text)
		case protocol.EntryText, protocol.EntryEnd:
			size += len(e.Text)
		case protocol.EntryTool:
			size += len(e.Tool.Input)
		default:
			return true
		}
		said = append(said, one)
		return size < limit
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(said)
	for i := range said {
		said[i].Instant = instant[said[i].Entry.Message]
	}
	return said, nil
}

// LastPrompt returns the last message that the agent received before the turn
// now.
func LastPrompt(entries *transcript.Transcript, now protocol.MessageID) (text string, err error) {
	err = backward(entries, func(e protocol.ChatEntry) bool {
		mine := e.Kind == protocol.EntryUser && e.Text != "" && (now == "" || e.Message != now) &&
			(e.Route == nil || e.Route.Kind != protocol.RouteInstant)
		if mine {
			text = e.Text
		}
		return !mine
	})
	return text, err
}
