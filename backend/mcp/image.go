package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// screenshot takes a screenshot. It gives the image to the model only on
// request, because an image costs as much as a long page of text.
func (b *toolbox) screenshot(c *call) *sdk.CallToolResult {
	image, err := take[bool](c, "image")
	if err != nil {
		return failure(err)
	}
	spec, err := b.find("screenshot")
	if err != nil {
		return failure(err)
	}
	if _, chosen := c.args["format"]; image && !chosen && offers(spec, "format", "jpeg") {
		// A page as JPEG has a fifth of the size of its PNG and is as readable.
		c.args["format"] = text("jpeg")
		if _, chosen := c.args["quality"]; !chosen {
			c.args["quality"] = json.RawMessage("75")
		}
	}
	s, err := c.request("screenshot")
	if err != nil {
		return failure(err)
	}
	if !image {
		return b.steps(c, []step{s}, false)
	}
	c.progress(0, 1, s.label)
	reply := b.execute(c, s)
	if !reply.OK {
		return failure(reply.Error)
	}
	var saved struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(reply.Data, &saved) != nil || saved.Path == "" {
		return failure(protocol.NewError(protocol.CodeInternal, "the screenshot has no path", ""))
	}
	data, kind, err := b.config.Caller.Image(c.ctx, saved.Path)
	if err != nil {
		e := protocol.AsError(err)
		return failure(e.Saying(fmt.Sprintf("the screenshot %s was taken and cannot be shown: %s", saved.Path, e.Message)))
	}
	return &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: reply.Text},
		&sdk.ImageContent{Data: data, MIMEType: kind},
	}}
}

// offers reports whether an argument of a command has a choice.
func offers(s command.Spec, arg, value string) bool {
	return slices.ContainsFunc(s.Args, func(a command.Arg) bool {
		return a.Name == arg && slices.Contains(a.Choices, value)
	})
}
