package files

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
)

// Prompt returns what an agent receives for a message and its attachments, in a
// conversation that belongs to tab. images says whether the agent accepts
// images.
func (s Store) Prompt(message protocol.QueuedMessage, attachments []protocol.ChatAttachment, tab protocol.TabID, agent driver.Starter, images bool) driver.Prompt {
	p := driver.Prompt{Message: message.ID, Text: message.Text}
	var about []string
	for _, a := range attachments {
		path := filepath.Join(s.Root, filepath.FromSlash(a.Path))
		switch a.Kind {
		case protocol.AttachImage:
			data, err := os.ReadFile(path)
			if err == nil && images {
				p.Images = append(p.Images, driver.Image{Mime: a.Mime, Data: data})
				continue
			}
			p.Files = append(p.Files, driver.File{Path: path, Mime: a.Mime})
		case protocol.AttachFile:
			p.Files = append(p.Files, driver.File{Path: path, Mime: a.Mime})
		case protocol.AttachTab:
			about = append(about, fmt.Sprintf("tab %s, which calls itself %q", a.Tab, a.Name))
		case protocol.AttachElement:
			if agent.TakesRefs && a.Tab == tab {
				p.Refs = append(p.Refs, a.Ref)
				continue
			}
			about = append(about, fmt.Sprintf("element %s in tab %s, which the page calls %q", a.Ref, a.Tab, a.Name))
		}
	}
	for _, a := range attachments {
		if a.Kind == protocol.AttachText {
			origin := foreign.Line(cmp.Or(a.Origin, "unknown"), foreign.URLShown)
			p.Text += fmt.Sprintf("\n\n[%s, from %s]\n%s", foreign.Line(a.Name, protocol.MaxTitle), origin, foreign.Envelope(origin, a.Text))
		}
	}
	if len(about) > 0 {
		p.Text += "\n\n[The person means: " + strings.Join(about, "; ") + ".]"
	}
	return p
}

// Beside returns the attachments that add something to the text of a message.
// It omits an element of the conversation's own tab whose ref is in the text.
func Beside(message protocol.QueuedMessage, tab protocol.TabID) []protocol.ChatAttachment {
	return slices.DeleteFunc(slices.Clone(message.Attachments), func(a protocol.ChatAttachment) bool {
		return a.Kind == protocol.AttachElement && a.Tab == tab && slices.Contains(strings.Fields(message.Text), "@"+a.Ref)
	})
}
