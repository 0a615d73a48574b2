package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// prompt is what an agent is handed for a message.
func (c *conversation) prompt(message protocol.QueuedMessage, agent driver.Starter, images bool) driver.Prompt {
	p := driver.Prompt{Message: message.ID, Text: message.Text}
	var about []string
	for _, a := range c.beside(message) {
		path := filepath.Join(c.m.config.Root, filepath.FromSlash(a.Path))
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
			if agent.TakesRefs && a.Tab == c.state.Head.Tab {
				p.Refs = append(p.Refs, a.Ref)
				continue
			}
			about = append(about, fmt.Sprintf("element %s in tab %s, which the page calls %q", a.Ref, a.Tab, a.Name))
		}
	}
	if len(about) > 0 {
		p.Text += "\n\n[The person means: " + strings.Join(about, "; ") + ".]"
	}
	return p
}

// beside are the attachments that say more than the words of the prompt: an
// element of the conversation's own tab whose ref stands there is said already.
// The caller holds mu.
func (c *conversation) beside(message protocol.QueuedMessage) []protocol.ChatAttachment {
	tab := c.headLocked().Tab
	return slices.DeleteFunc(slices.Clone(message.Attachments), func(a protocol.ChatAttachment) bool {
		return a.Kind == protocol.AttachElement && a.Tab == tab && slices.Contains(strings.Fields(message.Text), "@"+a.Ref)
	})
}
