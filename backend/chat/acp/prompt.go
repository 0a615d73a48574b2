package acp

import (
	"encoding/base64"
	"net/url"
	"path/filepath"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/chat/driver"
)

// blocks returns the content of a prompt. The caller holds mu.
func (s *session) blocks(p driver.Prompt) []sdk.ContentBlock {
	blocks := make([]sdk.ContentBlock, 0, 2+len(p.Images)+len(p.Files))
	if s.unsaid != "" {
		blocks = append(blocks, sdk.TextBlock(framed(s.unsaid)))
	}
	if p.Text != "" {
		blocks = append(blocks, sdk.TextBlock(p.Text))
	}
	for _, image := range p.Images {
		blocks = append(blocks, sdk.ImageBlock(base64.StdEncoding.EncodeToString(image.Data), image.Mime))
	}
	for _, file := range p.Files {
		link := sdk.ResourceLinkBlock(filepath.Base(file.Path), (&url.URL{Scheme: "file", Path: file.Path}).String())
		if file.Mime != "" {
			link.ResourceLink.MimeType = &file.Mime
		}
		blocks = append(blocks, link)
	}
	return blocks
}

// framed returns the system prompt for an agent whose protocol has no field for
// it. It is sent before the user's first message, in a frame that says that it
// comes from Pilotfish.
func framed(system string) string {
	return "<pilotfish>\nThis is from Pilotfish, the program that you run in, and not from the person. It holds for the whole conversation; do not answer it.\n\n" +
		system + "\n</pilotfish>"
}
