package claude

import (
	"encoding/json"
)

// message is any line of claude, as far as we read it.
type message struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	UUID    string `json:"uuid"`
	// Parent is the tool call of the subagent that this message comes from;
	// empty for claude itself.
	Parent   string          `json:"parent_tool_use_id"`
	IsReplay bool            `json:"isReplay"`
	Message  apiMessage      `json:"message"`
	Event    streamEvent     `json:"event"`
	Response controlResponse `json:"response"`
	Request  controlRequest  `json:"request"`
	// RequestID is the id of a control request of claude.
	RequestID string `json:"request_id"`
	// Error is set in an assistant message that reports an error:
	// "authentication_failed", ….
	Error string `json:"error"`

	// system
	PermissionMode string `json:"permissionMode"`
	// Servers are claude's MCP servers, in the message init before each turn.
	Servers []serverStatus `json:"mcp_servers"`

	// result
	IsError    bool     `json:"is_error"`
	Result     string   `json:"result"`
	Errors     []string `json:"errors"`
	StopReason string   `json:"stop_reason"`
	Cost       float64  `json:"total_cost_usd"`
	Usage      usage    `json:"usage"`
	ModelUsage map[string]struct {
		ContextWindow int `json:"contextWindow"`
	} `json:"modelUsage"`
}

// serverStatus is an MCP server of claude: connected, failed, needs-auth, pending or
// disabled.
type serverStatus struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// usage is the tokens of a request, or of a turn.
type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Read   int `json:"cache_read_input_tokens"`
	Write  int `json:"cache_creation_input_tokens"`
}

func (u usage) input() int { return u.Input + u.Read + u.Write }

// apiMessage is a message of the model's API. Its content is a list of blocks,
// or a string.
type apiMessage struct {
	ID      string          `json:"id"`
	Content json.RawMessage `json:"content"`
	Usage   usage           `json:"usage"`
}

// blocks returns the blocks of a message; a string becomes one text block.
func (m *apiMessage) blocks() []block {
	var list []block
	if json.Unmarshal(m.Content, &list) == nil {
		return list
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	return nil
}

// block is a block of a message.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"` // tool_use
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	// tool_result
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
	Source    struct {
		Data      string `json:"data"`
		MediaType string `json:"media_type"`
	} `json:"source"` // image
}

// streamEvent is an event of the model's stream.
type streamEvent struct {
	Type    string     `json:"type"`
	Index   int        `json:"index"`
	Message apiMessage `json:"message"`
	Block   block      `json:"content_block"`
	Delta   struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
}

// controlResponse is the response to a control request of ours.
type controlResponse struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
	Error     string          `json:"error"`
}

// controlRequest is a control request of claude.
type controlRequest struct {
	Subtype     string            `json:"subtype"`
	ToolName    string            `json:"tool_name"`
	ToolUseID   string            `json:"tool_use_id"`
	Input       json.RawMessage   `json:"input"`
	Suggestions []json.RawMessage `json:"permission_suggestions"`
	NoAlways    bool              `json:"suppress_always_allow_rule"`
}

// initialized is the response to our initialize.
type initialized struct {
	Commands []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Hint        string `json:"argumentHint"`
	} `json:"commands"`
	Models []struct {
		Value       string `json:"value"`
		Name        string `json:"displayName"`
		Description string `json:"description"`
	} `json:"models"`
}
