package chat

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// saveFile keeps a picture or file of the conversation and returns its path
// relative to the session's folder.
func (c *conversation) saveFile(name, kind string, data []byte) (string, error) {
	if len(data) > protocol.MaxAttachment {
		return "", protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("%s is larger than %d MB", name, protocol.MaxAttachment>>20), "make it smaller")
	}
	dir := filepath.Join(c.dir, filesDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of a conversation's files: %w", err)
	}
	// The name is ours: what a page or an agent calls it is no path.
	path := filepath.Join(dir, rand.Text()+extension(kind, name))
	if err := journal.WriteFile(path, data, 0o600); err != nil {
		return "", err
	}
	relative, err := filepath.Rel(c.m.config.Root, path)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(relative), nil
}

// extension is what the name of a file ends with.
func extension(kind, name string) string {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return "." + strings.TrimPrefix(kind, "image/")
	}
	own := strings.ToLower(filepath.Ext(name))
	if len(own) > 1 && len(own) <= 9 && strings.Trim(own[1:], "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		return own
	}
	if all, err := mime.ExtensionsByType(kind); err == nil && len(all) > 0 {
		return all[0]
	}
	return ".bin"
}

// keepAttachments checks what stands beside a prompt and puts its bytes into
// files.
func (c *conversation) keepAttachments(list []protocol.ChatAttachment) ([]protocol.ChatAttachment, error) {
	if len(list) > maxAttachments {
		return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("a message takes %d attachments", maxAttachments), "send some of them with the next one")
	}
	kept := make([]protocol.ChatAttachment, 0, len(list))
	for _, a := range list {
		a.Name, a.Text = oneLine(a.Name, protocol.MaxTitle), bounded(a.Text)
		switch a.Kind {
		case protocol.AttachImage, protocol.AttachFile:
			data, err := base64.StdEncoding.DecodeString(a.Data)
			if err != nil || len(data) == 0 {
				return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s has no bytes in base64", a.Name), "")
			}
			if a.Path, err = c.saveFile(a.Name, a.Mime, data); err != nil {
				return nil, err
			}
			a.Data = ""
		case protocol.AttachTab, protocol.AttachElement:
			a.Data, a.Path = "", ""
		default:
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a kind of attachment", a.Kind), "use image, file, tab or element")
		}
		kept = append(kept, a)
	}
	return kept, nil
}

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
