// Package wire has the messages of agents that speak ACP, as far as we read
// them. Decoding is lenient: what is missing or of another type stays empty
// (see Lenient), and what has several forms stays raw until its form is known.
// The library's own types decode an unknown value as something else.
package wire

import (
	"bytes"
	"encoding/json"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// capability is "{}" or true if an agent can do something.
type capability json.RawMessage

func (c *capability) UnmarshalJSON(raw []byte) error {
	*c = append((*c)[:0], raw...)
	return nil
}

// Yes reports whether the agent announced it.
func (c capability) Yes() bool {
	return len(c) > 0 && !bytes.Equal(c, []byte("null")) && !bytes.Equal(c, []byte("false"))
}

// Initialized is the response to initialize.
type Initialized struct {
	ProtocolVersion int `json:"protocolVersion"`
	Can             struct {
		Load    bool `json:"loadSession"`
		Session struct {
			List   capability `json:"list"`
			Resume capability `json:"resume"`
			Close  capability `json:"close"`
		} `json:"sessionCapabilities"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		// MCP says which servers it connects to beside programs that it starts.
		MCP struct {
			HTTP bool `json:"http"`
		} `json:"mcpCapabilities"`
	} `json:"agentCapabilities"`
	AuthMethods []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"authMethods"`
}

// Methods returns the ways to sign in.
func (i *Initialized) Methods() []protocol.SignInMethod {
	out := make([]protocol.SignInMethod, 0, len(i.AuthMethods))
	for _, m := range i.AuthMethods {
		if m.ID == "" {
			continue
		}
		if m.Name == "" {
			m.Name = m.ID
		}
		out = append(out, protocol.SignInMethod{ID: m.ID, Name: m.Name, About: m.Description})
	}
	return out
}

// SessionReply is the response to session/new, load and resume.
type SessionReply struct {
	SessionID     string         `json:"sessionId"`
	Modes         *modes         `json:"modes"`
	Models        *models        `json:"models"`
	ConfigOptions []ConfigOption `json:"configOptions"`
}

// modes are announced as a config option by newer agents.
type modes struct {
	Current   string `json:"currentModeId"`
	Available []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModes"`
}

// models, too; the protocol no longer has them, but agents still send them.
type models struct {
	Current   string `json:"currentModelId"`
	Available []struct {
		ID          string `json:"modelId"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModels"`
}

// ConfigOption is something that the user can choose. Options are values, or
// groups of values.
type ConfigOption struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Category string          `json:"category"`
	Type     string          `json:"type"` // select or boolean
	Current  json.RawMessage `json:"currentValue"`
	Options  []struct {
		ConfigValue
		Group   string        `json:"group"`
		Options []ConfigValue `json:"options"`
	} `json:"options"`
}

// ConfigValue is a possible value of an option.
type ConfigValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Params are the params of session/update and session/request_permission.
type Params struct {
	Session  string        `json:"sessionId"`
	Update   SessionUpdate `json:"update"`
	ToolCall ToolCall      `json:"toolCall"`
	Options  []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// UpdateKind is the field "sessionUpdate" of an update.
type UpdateKind string

// The kinds of updates.
const (
	KindUser     UpdateKind = "user_message_chunk"
	KindText     UpdateKind = "agent_message_chunk"
	KindThought  UpdateKind = "agent_thought_chunk"
	KindTool     UpdateKind = "tool_call"
	KindToolMore UpdateKind = "tool_call_update"
	KindPlan     UpdateKind = "plan"
	KindCommands UpdateKind = "available_commands_update"
	KindMode     UpdateKind = "current_mode_update"
	KindOptions  UpdateKind = "config_option_update"
	KindInfo     UpdateKind = "session_info_update"
	KindUsage    UpdateKind = "usage_update"
)

// SessionUpdate is the update of session/update, with the fields of all kinds.
type SessionUpdate struct {
	Kind          UpdateKind     `json:"sessionUpdate"`
	MessageID     string         `json:"messageId"`
	ToolCall                     // in a chunk of text, its Content is a block
	Entries       []planEntry    `json:"entries"`
	Commands      []command      `json:"availableCommands"`
	CurrentMode   string         `json:"currentModeId"`
	ConfigOptions []ConfigOption `json:"configOptions"`
	Used          int            `json:"used"`
	Size          int            `json:"size"`
	Cost          *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// ToolCall is the part of an update about a tool call, and the toolCall of a
// permission request.
type ToolCall struct {
	ID        string          `json:"toolCallId"`
	Content   json.RawMessage `json:"content"`
	Title     *string         `json:"title"` // also of session_info_update
	ToolKind  *string         `json:"kind"`
	Status    *string         `json:"status"`
	RawInput  json.RawMessage `json:"rawInput"`
	RawOutput json.RawMessage `json:"rawOutput"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
	Meta struct {
		Claude struct {
			ToolName string `json:"toolName"`
		} `json:"claudeCode"`
		// ToolName is the field of Qwen Code.
		ToolName string `json:"toolName"`
		// Usage is the usage of one call of the model. Qwen Code sends it with
		// an empty text, and sends none at the end of the turn.
		Usage *Tokens `json:"usage"`
	} `json:"_meta"`
}

// Tokens is the tokens that calls of a model used.
type Tokens struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
}

type planEntry struct {
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
}

type command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Input       struct {
		Hint string `json:"hint"`
	} `json:"input"`
}

// PromptReply is the response to session/prompt.
type PromptReply struct {
	StopReason string `json:"stopReason"`
	Usage      *struct {
		Input  int `json:"inputTokens"`
		Output int `json:"outputTokens"`
		Read   int `json:"cachedReadTokens"`
		Write  int `json:"cachedWriteTokens"`
	} `json:"usage"`
	// Meta is where Gemini CLI reports the usage.
	Meta struct {
		Quota *struct {
			Tokens struct {
				Input  int `json:"input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	} `json:"_meta"`
}

// endReason converts the protocol's stop reason.
func endReason(stop string) protocol.EndReason {
	switch stop {
	case "cancelled":
		return protocol.EndCancelled
	case "refusal":
		return protocol.EndRefused
	case "max_tokens":
		return protocol.EndMaxTokens
	case "max_turn_requests":
		return protocol.EndMaxTurns
	}
	return protocol.EndDone
}

// TurnEnd converts the response to a prompt. used is the usage that the agent
// reported during the turn, or nil.
func (r *PromptReply) TurnEnd(used *Tokens) driver.TurnEnd {
	end := driver.TurnEnd{Reason: endReason(r.StopReason)}
	if u := r.Usage; u != nil {
		end.Usage = &protocol.ChatUsage{Input: u.Input + u.Read + u.Write, Output: u.Output}
	} else if q := r.Meta.Quota; q != nil {
		end.Usage = &protocol.ChatUsage{Input: q.Tokens.Input, Output: q.Tokens.Output}
	} else if used != nil {
		end.Usage = &protocol.ChatUsage{Input: used.Input, Output: used.Output}
	}
	return end
}
