//go:build unix

package acp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// block is a piece of content of any kind.
type block struct {
	Type     string          `json:"type"`
	Text     splitText       `json:"text"`
	Data     string          `json:"data"` // base64
	MimeType string          `json:"mimeType"`
	URI      string          `json:"uri"`
	Name     string          `json:"name"`
	Resource json.RawMessage `json:"resource"`
}

// toolContent is an item of a tool call's content. Content is a block.
type toolContent struct {
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	Path    string          `json:"path"`
	Old     *string         `json:"oldText"`
	New     string          `json:"newText"`
	Text    string          `json:"text"`
}

// read makes a text or a picture of a block. The text may end within a character
// (see splitText).
func (b *block) read() (text []byte, image *driver.Image) {
	switch b.Type {
	case "text":
		return b.Text, nil
	case "image":
		data, err := base64.StdEncoding.DecodeString(b.Data)
		if err != nil || len(data) == 0 {
			if b.URI != "" {
				return []byte(b.URI), nil
			}
			return []byte("[a picture that cannot be read]"), nil
		}
		return nil, &driver.Image{Mime: b.MimeType, Data: data}
	case "resource_link":
		if b.Name == "" || b.Name == b.URI {
			return []byte(b.URI), nil
		}
		return []byte("[" + b.Name + "](" + b.URI + ")"), nil
	case "resource":
		var r struct {
			Text string `json:"text"`
			URI  string `json:"uri"`
		}
		_ = lenient(b.Resource, &r) // then both are empty
		if r.Text != "" {
			return []byte(r.Text), nil
		}
		return []byte(r.URI), nil
	case "audio":
		return []byte("[audio]"), nil
	}
	// A kind of tomorrow: if it has a text, that is what there is to read.
	return b.Text, nil
}

// readBlock reads a block, or a plain string that an agent sent for one.
func readBlock(raw json.RawMessage) (text []byte, image *driver.Image) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text splitText
		_ = lenient(raw, &text) // rubbish is no text
		return text, nil
	}
	var b block
	if lenient(raw, &b) != nil {
		return nil, nil
	}
	return b.read()
}

// readToolContent reads the content of a tool call. It returns nil for what was
// not said, and an empty list for one that is empty.
func readToolContent(raw json.RawMessage) (content []protocol.ToolContent, images []driver.Image) {
	var items []json.RawMessage
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, &items) != nil {
		return nil, nil
	}
	content = make([]protocol.ToolContent, 0, len(items))
	for _, item := range items {
		var c toolContent
		if lenient(item, &c) != nil {
			continue
		}
		switch {
		case c.Type == "diff":
			d := protocol.ToolContent{Kind: protocol.ContentDiff, Path: c.Path, New: c.New, Fresh: c.Old == nil}
			if c.Old != nil {
				d.Old = *c.Old
			}
			content = append(content, d)
		case c.Type == "terminal":
			// We offer no terminals; an agent that names one has it for itself.
		case len(c.Content) > 0:
			text, image := readBlock(c.Content)
			if image != nil {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentImage})
				images = append(images, *image)
			} else if len(text) > 0 {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentText, Text: whole(text)})
			}
		default:
			// A block without its wrapping.
			if text, image := readBlock(item); image != nil {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentImage})
				images = append(images, *image)
			} else if len(text) > 0 {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentText, Text: whole(text)})
			}
		}
	}
	return content, images
}
