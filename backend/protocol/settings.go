package protocol

import "fmt"

// SettingKind says how a setting's value is entered.
type SettingKind string

// The kinds of settings.
const (
	SettingSwitch  SettingKind = "switch"
	SettingNumber  SettingKind = "number"
	SettingOneOf   SettingKind = "choice" // one of Setting.Choices
	SettingText    SettingKind = "text"
	SettingAddress SettingKind = "address" // of a web page
	SettingCommand SettingKind = "command" // a command line, or arguments
	SettingFolder  SettingKind = "folder"
	SettingWords   SettingKind = "words" // a list of words or phrases
	// The value of these depends on what is on this machine: the page asks the app for
	// what can be chosen.
	SettingBrowser   SettingKind = "browser"
	SettingAgent     SettingKind = "agent"
	SettingChatAgent SettingKind = "chat_agent"
	SettingModels    SettingKind = "models" // names of models for each agent
)

// SettingChoice is a value that a setting can have.
type SettingChoice struct {
	// Value is the value as text: that of a number is its digits.
	Value string `json:"value"`
	Text  string `json:"text"`
}

// SettingCondition says for which settings another one has a meaning.
type SettingCondition struct {
	// Field is the setting that is looked at, as in Setting.
	Field string `json:"field"`
	Is    string `json:"is,omitempty"`
	Not   string `json:"not,omitempty"`
}

// Setting describes one setting. The page of settings, the comments of settings.toml,
// the documents and the checks are all made from it.
type Setting struct {
	// Name is the key in settings.toml.
	Name string `json:"name"`
	// Field is the place of the value in Settings: JSON names with dots between them.
	Field string `json:"field"`
	Group string `json:"group"` // the ID of its SettingGroup
	Label string `json:"label"`
	// Explanation is one or two sentences for the user.
	Explanation string      `json:"explanation"`
	Kind        SettingKind `json:"kind"`
	// Default is the value of a new installation.
	Default any `json:"default" tstype:"unknown"`
	// Empty says what an empty value means; "" for settings that are never empty.
	Empty string `json:"empty,omitempty"`
	// Example is a value that could be entered.
	Example string `json:"example,omitempty"`
	// Min and Max are the limits of a number, in Unit.
	Min  *int   `json:"min,omitempty"`
	Max  *int   `json:"max,omitempty"`
	Unit string `json:"unit,omitempty"`
	// Choices are the values to choose from. A number may have others, too.
	Choices []SettingChoice `json:"choices,omitempty"`
	// When is nil for a setting that always has a meaning.
	When *SettingCondition `json:"when,omitempty"`
	// AtSessionStart: the value is read when a session starts.
	AtSessionStart bool `json:"atSessionStart,omitempty"`
}

// SettingGroup is a group of settings with a heading.
type SettingGroup struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// SettingsRegistry is the list of all settings, in the order in which they are shown.
type SettingsRegistry struct {
	// File is the path of settings.toml.
	File     string         `json:"file"`
	Groups   []SettingGroup `json:"groups"`
	Settings []Setting      `json:"settings"`
}

// SettingsProblem says what is wrong in settings.toml. Until the file is mended, the
// last valid settings are in force.
type SettingsProblem struct {
	File string `json:"file"`
	// Line and Column are where the mistake is, from 1; 0 when it is not at one place.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Name is the key of the wrong setting; empty when the file cannot be read at all.
	Name string `json:"name,omitempty"`
	// Unknown: the only mistake is a setting that Pilotfish does not know; the others are
	// in force as they are in the file.
	Unknown bool `json:"unknown,omitempty"`
	// Message is what is wrong, Allowed what is allowed there.
	Message string `json:"message"`
	Allowed string `json:"allowed"`
}

// Error returns the problem as an error of the command line.
func (p *SettingsProblem) Error() *Error {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s, line %d", p.File, p.Line)
	}
	return NewError(CodeBadArgument, fmt.Sprintf("%s: %s", at, p.Message), "allowed is "+p.Allowed)
}
