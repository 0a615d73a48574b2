package acp

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"pilotfish/backend/chat/acp/wire"
	"pilotfish/backend/protocol"
)

// The ids for modes and models that an agent announces separately, not as
// config options.
const (
	modeOption  = "mode"
	modelOption = "model"
)

// option is a ChatOption, and how to set it.
type option struct {
	protocol.ChatOption
	method  string // the protocol's method that sets it
	boolean bool
	// chosen is the user's choice. It is shown also while a turn runs with
	// another value.
	chosen string
	// asked is the value that is being requested for one turn. OpenCode
	// announces this value before it responds, and that is not the user's
	// choice either.
	asked string
}

// options are the options of a session. It is safe for concurrent use.
type options struct {
	mu   sync.Mutex
	list []option
}

// begin handles what the session announced at its start. Agents that announce
// config options include their modes and models in them.
func (o *options) begin(r *wire.SessionReply) {
	if r.ConfigOptions != nil {
		o.configure(r.ConfigOptions)
		if len(r.ConfigOptions) > 0 {
			return
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if m := r.Modes; m != nil && len(m.Available) > 0 {
		mode := option{method: sdk.AgentMethodSessionSetMode, chosen: m.Current, ChatOption: protocol.ChatOption{
			ID: modeOption, Name: "Mode", Category: "mode", Value: m.Current,
		}}
		for _, a := range m.Available {
			mode.Choices = append(mode.Choices, protocol.ChatChoice{Value: a.ID, Name: named(a.Name, a.ID), About: a.Description})
		}
		o.list = append(o.list, mode)
	}
	if m := r.Models; m != nil && len(m.Available) > 0 {
		model := option{method: methodSetModel, chosen: m.Current, ChatOption: protocol.ChatOption{
			ID: modelOption, Name: "Model", Category: "model", Value: m.Current,
		}}
		for _, a := range m.Available {
			model.Choices = append(model.Choices, protocol.ChatChoice{Value: a.ID, Name: named(a.Name, a.ID), About: a.Description})
		}
		o.list = append(o.list, model)
	}
}

// methodSetModel is a method that a former version of the protocol had.
const methodSetModel = "session/set_model"

func named(name, id string) string {
	if name == "" {
		return id
	}
	return name
}

// configure replaces the config options by a new list.
func (o *options) configure(configs []wire.ConfigOption) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.list
	o.list = slices.DeleteFunc(slices.Clone(before), func(one option) bool { return one.method == sdk.AgentMethodSessionSetConfigOption })
	for _, c := range configs {
		if c.ID == "" {
			continue
		}
		one := option{method: sdk.AgentMethodSessionSetConfigOption, ChatOption: protocol.ChatOption{
			ID: c.ID, Name: named(c.Name, c.ID), Category: c.Category, Choices: []protocol.ChatChoice{},
		}}
		if c.Type == "boolean" {
			one.boolean = true
			one.Choices = []protocol.ChatChoice{{Value: "true", Name: "On"}, {Value: "false", Name: "Off"}}
			one.Value = string(c.Current)
		} else {
			_ = json.Unmarshal(c.Current, &one.Value) // a value that is no string matches no choice
			for _, v := range c.Options {
				if v.Group == "" {
					v.Options = []wire.ConfigValue{v.ConfigValue}
				}
				for _, value := range v.Options {
					one.Choices = append(one.Choices, protocol.ChatChoice{Value: value.Value, Name: named(value.Name, value.Value), About: value.Description})
				}
			}
		}
		one.chosen = one.Value
		if i := slices.IndexFunc(before, func(was option) bool { return was.ID == one.ID }); i >= 0 {
			one.asked = before[i].asked
			if one.Value == before[i].Value || one.Value == one.asked {
				one.chosen = before[i].chosen // the user's choice stays, beside the value for the turn
			}
		}
		o.list = append(o.list, one)
	}
}

// setMode records the mode that the agent announced; it returns false if
// nothing changed.
func (o *options) setMode(mode string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		if one := &o.list[i]; one.Category == "mode" && one.Value != mode && mode != "" {
			one.Value, one.chosen = mode, mode
			return true
		}
	}
	return false
}

// set records a value that the agent accepted. chosen says that the user chose
// it, as opposed to a value for one turn.
func (o *options) set(id, value string, chosen bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		if one := &o.list[i]; one.ID == id {
			one.Value, one.asked = value, ""
			if chosen {
				one.chosen = value
			}
		}
	}
}

// ask records the value that is being requested for a turn; empty when the
// request is over.
func (o *options) ask(id, value string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		if o.list[i].ID == id {
			o.list[i].asked = value
		}
	}
}

// find returns an option.
func (o *options) find(id string) (option, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(one option) bool { return one.ID == id })
	if i < 0 {
		return option{}, false
	}
	return o.list[i], true
}

// model returns the option that chooses the model.
func (o *options) model() (option, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(one option) bool { return one.Category == "model" })
	if i < 0 {
		return option{}, false
	}
	return o.list[i], true
}

// shown returns the options as the user sees them.
func (o *options) shown() []protocol.ChatOption {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]protocol.ChatOption, len(o.list))
	for i, one := range o.list {
		out[i] = one.ChatOption
		out[i].Value = one.chosen
	}
	return out
}

// setRequest returns the request that sets an option.
func (one option) setRequest(session, value string) any {
	switch {
	case one.method == sdk.AgentMethodSessionSetMode:
		return sdk.SetSessionModeRequest{SessionId: sdk.SessionId(session), ModeId: sdk.SessionModeId(value)}
	case one.method == methodSetModel:
		return map[string]string{"sessionId": session, "modelId": value}
	case one.boolean:
		on, _ := strconv.ParseBool(value) // it is "true" or "false", one of the choices
		return sdk.SetSessionConfigOptionRequest{Boolean: &sdk.SetSessionConfigOptionBoolean{
			SessionId: sdk.SessionId(session), ConfigId: sdk.SessionConfigId(one.ID), Value: on,
		}}
	}
	return sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: sdk.SessionId(session), ConfigId: sdk.SessionConfigId(one.ID), Value: sdk.SessionConfigValueId(value),
	}}
}
