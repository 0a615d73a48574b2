// Package files keeps the files of a conversation: what the user attached to a
// prompt, and images that an agent sent. It also makes the agent's prompt from
// a message and its attachments.
package files

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// maxAttachments is how many attachments a prompt may have.
const maxAttachments = 10

// Store keeps the files of one conversation.
type Store struct {
	// Root is the session's folder: paths are relative to it. Dir is the
	// folder of the conversation's files, within Root.
	Root, Dir string
}

// Remove removes all files of the conversation.
func (s Store) Remove() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("removing a conversation's files: %w", err)
	}
	return nil
}

// Save stores an image or a file of the conversation and returns its path
// relative to the session's folder.
func (s Store) Save(name, kind string, data []byte) (string, error) {
	if len(data) > protocol.MaxAttachment {
		return "", protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("%s is larger than %d MB", name, protocol.MaxAttachment>>20), "make it smaller")
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of a conversation's files: %w", err)
	}
	// The file name is our own: a name given by a page or an agent must not
	// become a path.
	path := filepath.Join(s.Dir, rand.Text()+extension(kind, name))
	if err := journal.WriteFile(path, data, 0o600); err != nil {
		return "", err
	}
	relative, err := filepath.Rel(s.Root, path)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(relative), nil
}

// extension returns the extension of a file's name.
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

// Drop removes the files of attachments that Keep has stored.
func (s Store) Drop(kept []protocol.ChatAttachment) {
	for _, a := range kept {
		if a.Path != "" {
			_ = os.Remove(filepath.Join(s.Root, filepath.FromSlash(a.Path))) // Remove gets what stays
		}
	}
}

// Keep checks the attachments of a prompt and stores their bytes as files. After an error
// it leaves none.
func (s Store) Keep(list []protocol.ChatAttachment) (kept []protocol.ChatAttachment, err error) {
	if len(list) > maxAttachments {
		return kept, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("a message takes %d attachments", maxAttachments), "send some of them with the next one")
	}
	defer func() {
		if err != nil {
			s.Drop(kept)
			kept = nil
		}
	}()
	kept = make([]protocol.ChatAttachment, 0, len(list))
	for _, a := range list {
		a.Name, a.Text = clip.Line(a.Name, protocol.MaxTitle), clip.Tool(a.Text)
		switch a.Kind {
		case protocol.AttachImage, protocol.AttachFile:
			data, err := base64.StdEncoding.DecodeString(a.Data)
			if err != nil || len(data) == 0 {
				return kept, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s is empty or is not valid base64", a.Name), "")
			}
			if a.Path, err = s.Save(a.Name, a.Mime, data); err != nil {
				return kept, err
			}
			a.Data = ""
		case protocol.AttachText:
			if strings.TrimSpace(a.Text) == "" {
				return kept, protocol.NewError(protocol.CodeBadArgument, a.Name+" is empty", "attach a text")
			}
			a.Data, a.Path = "", ""
		case protocol.AttachTab, protocol.AttachElement:
			a.Data, a.Path = "", ""
		default:
			return kept, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a kind of attachment", a.Kind), "use image, file, tab, element or text")
		}
		kept = append(kept, a)
	}
	return kept, nil
}
