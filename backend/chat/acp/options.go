//go:build unix

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

// The ids of what agents announce as modes and models and not as config options.
const (
	modeOption  = "mode"
	modelOption = "model"
)

// option is a ChatOption and the way it is set.
type option struct {
	protocol.ChatOption
	method  string // of the protocol
	boolean bool
	// chosen is what a person is shown when a turn runs with another value.
	chosen string
	// asked is the value for a turn that the agent is being asked for. OpenCode
	// announces it before it answers, which is no choice of a person's either.
	asked string
}

// options are what a session lets a person choose. They are safe for concurrent
// use.
type options struct {
	mu   sync.Mutex
	list []option
}

// begin takes what the session announced at its beginning. Agents that announce
// config options say their modes and models there, too.
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

// methodSetModel is a method that the protocol had for a while.
const methodSetModel = "session/set_model"

func named(name, id string) string {
	if name == "" {
		return id
	}
	return name
}

// configure takes a list of config options, which replaces the one before.
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
			_ = json.Unmarshal(c.Current, &one.Value) // one that is no string is none of the choices
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
				one.chosen = before[i].chosen // it stays what was chosen beside the turn's
			}
		}
		o.list = append(o.list, one)
	}
}

// setMode takes the agent's word for a mode; false when that is no news.
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

// set takes a value that the agent accepted. chosen says that it is a person's
// choice, and not one for a turn.
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

// ask notes the value that a turn is about to ask for; empty is none any more.
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

// shown are the options as a person is shown them.
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

// setRequest is the request by which an option gets a value.
func (one option) setRequest(session, value string) any {
	switch {
	case one.method == sdk.AgentMethodSessionSetMode:
		return sdk.SetSessionModeRequest{SessionId: sdk.SessionId(session), ModeId: sdk.SessionModeId(value)}
	case one.method == methodSetModel:
		return map[string]string{"sessionId": session, "modelId": value}
	case one.boolean:
		on, _ := strconv.ParseBool(value) // it is one of the choices
		return sdk.SetSessionConfigOptionRequest{Boolean: &sdk.SetSessionConfigOptionBoolean{
			SessionId: sdk.SessionId(session), ConfigId: sdk.SessionConfigId(one.ID), Value: on,
		}}
	}
	return sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: sdk.SessionId(session), ConfigId: sdk.SessionConfigId(one.ID), Value: sdk.SessionConfigValueId(value),
	}}
}
