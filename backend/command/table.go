package command

import (
	"fmt"

	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Table finds commands by name and alias. It does not change after NewTable.
type Table struct {
	commands []Command // in the order of the help
	byName   map[string]*Command
}

// NewTable returns the table of the given commands, which are in the order of
// the help.
func NewTable(commands []Command) Table {
	t := Table{commands: commands, byName: make(map[string]*Command, 2*len(commands))}
	for i := range commands {
		t.byName[commands[i].Name] = &commands[i]
		for _, name := range commands[i].Aliases {
			t.byName[name] = &commands[i]
		}
	}
	return t
}

// Find returns the command of a name or alias, or an error with the nearest
// name.
func (t Table) Find(name string) (Spec, error) {
	c, err := t.command(name)
	if err != nil {
		return Spec{}, err
	}
	return c.Spec, nil
}

func (t Table) command(name string) (*Command, error) {
	if c := t.byName[name]; c != nil {
		return c, nil
	}
	return nil, t.unknown(name)
}

// Specs returns every command, in the order of the help.
func (t Table) Specs() []Spec {
	specs := make([]Spec, len(t.commands))
	for i := range t.commands {
		specs[i] = t.commands[i].Spec
	}
	return specs
}

// unknown returns the error for an unknown name.
func (t Table) unknown(name string) error {
	var names []string
	for _, c := range t.commands {
		names = append(append(names, c.Name), c.Aliases...)
	}
	hint, next := "", protocol.Try("lists the commands", "help")
	if near := spelling.Nearest(name, names); near != "" {
		hint, next = fmt.Sprintf("did you mean %s?", near), t.byName[near].example()
	}
	return protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("there is no command %.60q", name), hint, next)
}
