package claude

import (
	"slices"
	"sync"

	"pilotfish/backend/protocol"
)

// The options of a session.
const (
	optionModel = "model"
	optionMode  = "mode"
)

// options are the options of a session.
type options struct {
	mu   sync.Mutex
	list []protocol.ChatOption // Value is the user's choice
	runs string                // the model that is in use
}

// modes are the permission modes of claude that can be chosen at any time.
// "Bypass permissions" is not one of them: it must be chosen when claude is
// started.
func modes() []protocol.ChatChoice {
	return []protocol.ChatChoice{
		{Value: "default", Name: "Ask", About: "asks before it changes or runs anything"},
		{Value: "acceptEdits", Name: "Accept edits", About: "changes files without asking"},
		{Value: "plan", Name: "Plan", About: "reads and plans, changes nothing"},
	}
}

// modeName returns the name of a mode for the user.
func modeName(mode string) string {
	for _, m := range modes() {
		if m.Value == mode {
			return m.Name
		}
	}
	return mode
}

// begin takes over what claude offers.
func (o *options) begin(can *initialized) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(can.Models) > 0 {
		model := protocol.ChatOption{ID: optionModel, Name: "Model", Category: "model", Value: can.Models[0].Value}
		for _, m := range can.Models {
			name := m.Name
			if name == "" {
				name = m.Value
			}
			model.Choices = append(model.Choices, protocol.ChatChoice{Value: m.Value, Name: name, About: m.Description})
		}
		o.list = append(o.list, model)
		o.runs = model.Value
	}
	o.list = append(o.list, protocol.ChatOption{ID: optionMode, Name: "Mode", Category: "mode", Value: "default", Choices: modes()})
}

func (o *options) shown() []protocol.ChatOption {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.list)
}

// option returns one option. The caller holds mu.
func (o *options) option(id string) *protocol.ChatOption {
	for i := range o.list {
		if o.list[i].ID == id {
			return &o.list[i]
		}
	}
	return nil
}

// has reports whether a value is one of the choices.
func (o *options) has(id, value string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.option(id)
	return one != nil && slices.ContainsFunc(one.Choices, func(c protocol.ChatChoice) bool { return c.Value == value })
}

func (o *options) chosenModel() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if one := o.option(optionModel); one != nil {
		return one.Value
	}
	return ""
}

// changes reports whether a turn needs another model than the one in use.
func (o *options) changes(id, value string) bool {
	o.mu.Lock()
	runs := o.runs
	o.mu.Unlock()
	return value != runs && o.has(id, value)
}

// run records the model in use.
func (o *options) run(model string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs = model
}

// choose records a choice of the user, or of claude itself; it returns false if
// nothing changed.
func (o *options) choose(id, value string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.option(id)
	if one == nil || one.Value == value || value == "" {
		return false
	}
	one.Value = value
	return true
}
