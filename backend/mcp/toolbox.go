package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// Toolbox gives the tools of one caller to a program that calls them directly,
// without a transport. It is safe for concurrent use.
type Toolbox struct {
	box   toolbox
	tools []tool
}

// Tool is the description of a tool for a model.
type Tool struct {
	Name, Title, Description string
	Schema                   json.RawMessage
}

// Result is the result of a tool.
type Result struct {
	Text   string
	Images []Image
	Failed bool
}

// Image is an image in a tool's result.
type Image struct {
	Mime string
	Data []byte
}

// NewToolbox returns the tools of a caller, the same as those of NewServer.
func NewToolbox(c Config) *Toolbox {
	return &Toolbox{box: toolbox{config: c, specs: c.Specs}, tools: tools(c.Specs)}
}

// Instructions returns the text that explains the tools to a model.
func (b *Toolbox) Instructions() string { return instructions(b.box.config) }

// Tools returns all tools.
func (b *Toolbox) Tools() []Tool {
	out := make([]Tool, len(b.tools))
	for i, t := range b.tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			schema = []byte("{}") // cannot happen: it consists of maps and strings
		}
		out[i] = Tool{Name: t.Name, Title: t.Annotations.Title, Description: t.Description, Schema: schema}
	}
	return out
}

// Call runs a tool. Its errors are results, which the model sees.
func (b *Toolbox) Call(ctx context.Context, name string, args json.RawMessage) Result {
	c := &call{
		ctx: ctx, args: map[string]json.RawMessage{},
		progress: func(int, int, string) {}, waiting: func(protocol.Waiting) {}, news: func(int, int, string) {},
	}
	for _, t := range b.tools {
		if t.Name != name {
			continue
		}
		if json.Unmarshal(args, &c.args) != nil {
			return result(wrong("the arguments are not an object", ""))
		}
		return result(t.run(&b.box, c))
	}
	return result(wrong(fmt.Sprintf("there is no tool %.60q", name), "use one of the tools that you were given"))
}

// result converts a result of the SDK.
func result(r *sdk.CallToolResult) Result {
	out := Result{Failed: r.IsError}
	for _, content := range r.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			if out.Text != "" {
				out.Text += "\n"
			}
			out.Text += c.Text
		case *sdk.ImageContent:
			out.Images = append(out.Images, Image{Mime: c.MIMEType, Data: c.Data})
		}
	}
	return out
}
