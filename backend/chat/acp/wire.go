//go:build unix

package acp

import (
	"bytes"
	"encoding/json"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// What agents write, as far as we read it. These types forgive: what is missing
// or of another type stays empty (see lenient), and what has several forms stays
// raw until it is known which one it is. The library's own types take what they
// do not know for something else.

// capability is "{}" or true where an agent can do something.
type capability json.RawMessage

func (c *capability) UnmarshalJSON(raw []byte) error {
	*c = append((*c)[:0], raw...)
	return nil
}

// yes reports whether the agent announced it.
func (c capability) yes() bool {
	return len(c) > 0 && !bytes.Equal(c, []byte("null")) && !bytes.Equal(c, []byte("false"))
}

// initialized is the answer to initialize.
type initialized struct {
	ProtocolVersion int `json:"protocolVersion"`
	Can             struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume capability `json:"resume"`
			Close  capability `json:"close"`
		} `json:"sessionCapabilities"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
	} `json:"agentCapabilities"`
	AuthMethods []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"authMethods"`
}

// methods are the ways to sign in.
func (i *initialized) methods() []protocol.SignInMethod {
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

// sessionReply is the answer to session/new, load and resume.
type sessionReply struct {
	SessionID     string         `json:"sessionId"`
	Modes         *modes         `json:"modes"`
	Models        *models        `json:"models"`
	ConfigOptions []configOption `json:"configOptions"`
}

// modes are what newer agents announce as a config option.
type modes struct {
	Current   string `json:"currentModeId"`
	Available []struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModes"`
}

// models likewise; the protocol has dropped them, agents still send them.
type models struct {
	Current   string `json:"currentModelId"`
	Available []struct {
		ID          string `json:"modelId"`
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"availableModels"`
}

// configOption is something that a person chooses. Options are values, or groups
// of values.
type configOption struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Category string          `json:"category"`
	Type     string          `json:"type"` // select or boolean
	Current  json.RawMessage `json:"currentValue"`
	Options  []struct {
		configValue
		Group   string        `json:"group"`
		Options []configValue `json:"options"`
	} `json:"options"`
}

type configValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// params are those of session/update and session/request_permission.
type params struct {
	Session  string        `json:"sessionId"`
	Update   sessionUpdate `json:"update"`
	ToolCall toolCall      `json:"toolCall"`
	Options  []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// updateKind is the "sessionUpdate" of an update.
type updateKind string

const (
	kindUser     updateKind = "user_message_chunk"
	kindText     updateKind = "agent_message_chunk"
	kindThought  updateKind = "agent_thought_chunk"
	kindTool     updateKind = "tool_call"
	kindToolMore updateKind = "tool_call_update"
	kindPlan     updateKind = "plan"
	kindCommands updateKind = "available_commands_update"
	kindMode     updateKind = "current_mode_update"
	kindOptions  updateKind = "config_option_update"
	kindInfo     updateKind = "session_info_update"
	kindUsage    updateKind = "usage_update"
)

// sessionUpdate is the update of session/update, all kinds in one.
type sessionUpdate struct {
	Kind          updateKind     `json:"sessionUpdate"`
	MessageID     string         `json:"messageId"`
	toolCall                     // its content is a block in a chunk of text
	Entries       []planEntry    `json:"entries"`
	Commands      []command      `json:"availableCommands"`
	CurrentMode   string         `json:"currentModeId"`
	ConfigOptions []configOption `json:"configOptions"`
	Used          int            `json:"used"`
	Size          int            `json:"size"`
	Cost          *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// toolCall is the part of an update that is about a tool, and the toolCall of a
// permission.
type toolCall struct {
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
		// ToolName is where Qwen Code says it.
		ToolName string `json:"toolName"`
		// Usage is of one call of the model: Qwen Code says it with an empty text,
		// and nothing with the end of the turn.
		Usage *tokens `json:"usage"`
	} `json:"_meta"`
}

// tokens is what calls of a model used.
type tokens struct {
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

// promptReply is the answer to session/prompt.
type promptReply struct {
	StopReason string `json:"stopReason"`
	Usage      *struct {
		Input  int `json:"inputTokens"`
		Output int `json:"outputTokens"`
		Read   int `json:"cachedReadTokens"`
		Write  int `json:"cachedWriteTokens"`
	} `json:"usage"`
	// Meta is where Gemini CLI says it.
	Meta struct {
		Quota *struct {
			Tokens struct {
				Input  int `json:"input_tokens"`
				Output int `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	} `json:"_meta"`
}

// endReason says how a turn ended, in our words.
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

// turnEnd is the end of a turn that the agent answered. used is what it said
// meanwhile, or nil.
func (r *promptReply) turnEnd(used *tokens) driver.TurnEnd {
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
