package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command/foreign"
	"pilotfish/backend/protocol"
)

// tools are the tools of a server, bounded.
type tools struct {
	list []tool
	more int // left out
}

// tool is one of them.
type tool struct {
	protocol.TaskTool
	// readOnly is the server's own claim that the tool changes nothing.
	readOnly bool
}

// find returns a tool by its name.
func (t tools) find(name string) (tool, bool) {
	for _, one := range t.list {
		if one.Name == name {
			return one, true
		}
	}
	return tool{}, false
}

// names are the tools' names, in the server's order.
func (t tools) names() []string {
	names := make([]string, len(t.list))
	for i, one := range t.list {
		names[i] = one.Name
	}
	return names
}

// wire returns the tools as the panel gets them.
func (t tools) wire() []protocol.TaskTool {
	out := make([]protocol.TaskTool, len(t.list))
	for i, one := range t.list {
		out[i] = one.TaskTool
	}
	return out
}

// list reads the tools of a server. A server that has no tools is no error. What is over
// a limit is left out and counted; pages after that are not read.
func list(ctx context.Context, session *mcp.ClientSession) (tools, error) {
	if caps := session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return tools{}, nil
	}
	var t tools
	size := 0
	for one, err := range session.Tools(ctx, nil) {
		if err != nil {
			return tools{}, fmt.Errorf("listing its tools: %w", err)
		}
		described, ok := describe(one)
		size += len(described.Name) + len(described.Description) + len(described.Schema)
		if !ok || len(t.list) >= maxTools || size > maxDescribed {
			if t.more++; t.more > 10*maxTools {
				break // a server that never ends its list
			}
			continue
		}
		t.list = append(t.list, described)
	}
	return t, nil
}

// describe bounds what a server says of a tool; false for a tool that cannot be named.
func describe(one *mcp.Tool) (tool, bool) {
	if one.Name == "" || len(one.Name) > maxName || foreign.Line(one.Name, maxName) != one.Name {
		return tool{}, false
	}
	t := tool{TaskTool: protocol.TaskTool{Name: one.Name, Description: foreign.Line(one.Description, maxDescription)}}
	if schema, err := json.Marshal(one.InputSchema); err == nil && len(schema) <= maxSchema {
		t.Schema = schema
	}
	t.readOnly = one.Annotations != nil && one.Annotations.ReadOnlyHint
	return t, true
}

// object checks that arguments are a JSON object within the limit; {} for none.
func object(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	if len(raw) > maxArguments {
		return nil, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the arguments have more than %d KB", maxArguments>>10), "give the tool less at a time")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, "the arguments of a tool are a JSON object", `such as {"query": "words"}`)
	}
	return raw, nil
}

// answer is what a tool answered, as text within maxResult. Pictures, sounds and files
// are named, not shown.
func answer(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("(an image, %s, %d bytes)", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("(audio, %s, %d bytes)", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, "(a resource: "+c.URI+")")
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				parts = append(parts, c.Resource.Text)
			default:
				parts = append(parts, fmt.Sprintf("(a file: %s, %d bytes)", c.Resource.URI, len(c.Resource.Blob)))
			}
		}
	}
	if len(parts) == 0 && result.StructuredContent != nil {
		if data, err := json.Marshal(result.StructuredContent); err == nil {
			parts = append(parts, string(data))
		}
	}
	return bounded(strings.Join(parts, "\n"))
}

// bounded cuts a text to maxResult characters and says how much is left out.
func bounded(text string) string {
	text = strings.ToValidUTF8(text, "")
	n := utf8.RuneCountInString(text)
	if n <= maxResult {
		return text
	}
	return fmt.Sprintf("%s\n… (%d more characters)", string([]rune(text)[:maxResult]), n-maxResult)
}
