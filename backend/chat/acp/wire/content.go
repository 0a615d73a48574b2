package wire

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

// toolContent is an item of a tool call's content. Its Content is a block.
type toolContent struct {
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	Path    string          `json:"path"`
	Old     *string         `json:"oldText"`
	New     string          `json:"newText"`
	Text    string          `json:"text"`
}

// read returns the text or the image of a block. The text may end within a
// character (see splitText).
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
		_ = Lenient(b.Resource, &r) // else both stay empty
		if r.Text != "" {
			return []byte(r.Text), nil
		}
		return []byte(r.URI), nil
	case "audio":
		return []byte("[audio]"), nil
	}
	// An unknown kind: read its text, if it has one.
	return b.Text, nil
}

// ReadBlock reads a block, or a plain string that an agent sent in its place.
func ReadBlock(raw json.RawMessage) (text []byte, image *driver.Image) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text splitText
		_ = Lenient(raw, &text) // an invalid string is no text
		return text, nil
	}
	var b block
	if Lenient(raw, &b) != nil {
		return nil, nil
	}
	return b.read()
}

// ReadToolContent reads the content of a tool call. It returns nil if there is
// no content, and an empty list if the content is empty.
func ReadToolContent(raw json.RawMessage) (content []protocol.ToolContent, images []driver.Image) {
	var items []json.RawMessage
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, &items) != nil {
		return nil, nil
	}
	content = make([]protocol.ToolContent, 0, len(items))
	for _, item := range items {
		var c toolContent
		if Lenient(item, &c) != nil {
			continue
		}
		switch c.Type {
		case "diff":
			d := protocol.ToolContent{Kind: protocol.ContentDiff, Path: c.Path, New: c.New, Fresh: c.Old == nil}
			if c.Old != nil {
				d.Old = *c.Old
			}
			content = append(content, d)
		case "terminal":
			// We offer no terminals. If an agent names one, it is the agent's
			// own.
		default:
			block := item // an item that is a block itself
			if len(c.Content) > 0 {
				block = c.Content
			}
			if text, image := ReadBlock(block); image != nil {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentImage})
				images = append(images, *image)
			} else if len(text) > 0 {
				content = append(content, protocol.ToolContent{Kind: protocol.ContentText, Text: whole(text)})
			}
		}
	}
	return content, images
}

// Output reads a raw output that has a value: a string as it is, the field that
// several agents use for it, and anything else as JSON.
func Output(raw json.RawMessage) string {
	var text splitText
	if len(raw) > 0 && raw[0] == '"' && Lenient(raw, &text) == nil {
		return whole(text)
	}
	var fields struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	}
	_ = Lenient(raw, &fields) // a list has no fields
	switch {
	case fields.Output != "":
		return fields.Output
	case fields.Error != "":
		return fields.Error
	}
	return protocol.Indented(raw)
}

// ToolStatus converts a status; an unknown one becomes nil.
func ToolStatus(status *string) *protocol.ToolStatus {
	if status == nil {
		return nil
	}
	switch *status {
	case "pending":
		return new(protocol.ToolPending)
	case "in_progress":
		return new(protocol.ToolRunning)
	case "completed":
		return new(protocol.ToolDone)
	case "failed":
		return new(protocol.ToolFailed)
	case "cancelled", "canceled":
		return new(protocol.ToolCancelled)
	}
	return nil
}

// Final reports whether a tool call with this status has ended.
func Final(status protocol.ToolStatus) bool {
	return status == protocol.ToolDone || status == protocol.ToolFailed || status == protocol.ToolCancelled
}
