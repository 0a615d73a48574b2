package command

import (
	"fmt"
	"slices"

	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// Table finds commands by name and alias. Whoever looks often makes one: the
// declarations are made anew for everybody else. Nobody changes it.
type Table map[string]*command

// NewTable returns the table of every command.
func NewTable() Table {
	t := Table{}
	all := commands()
	for i := range all {
		for _, name := range append([]string{all[i].Name}, all[i].Aliases...) {
			t[name] = &all[i]
		}
	}
	return t
}

// Find returns the command of a name or alias, or the error that says what was
// probably meant.
func (t Table) Find(name string) (Spec, error) {
	c, err := t.find(name)
	if err != nil {
		return Spec{}, err
	}
	return c.Spec, nil
}

func (t Table) find(name string) (*command, error) {
	if c := t[name]; c != nil {
		return c, nil
	}
	return nil, unknown(name)
}

// Specs returns every command, in the order of the help.
func Specs() []Spec {
	all := commands()
	specs := make([]Spec, len(all))
	for i := range all {
		specs[i] = all[i].Spec
	}
	return specs
}

// Lookup returns the command of a name or alias, if there is one. It makes no more
// of the declarations than it needs.
func Lookup(name string) (Spec, bool) {
	for _, group := range declared() {
		for _, c := range group() {
			if c.Name == name || slices.Contains(c.Aliases, name) {
				return c.Spec, true
			}
		}
	}
	return Spec{}, false
}

// Find is Table.Find for one look.
func Find(name string) (Spec, error) {
	if s, ok := Lookup(name); ok {
		return s, nil
	}
	return Spec{}, unknown(name)
}

// unknown is the error of a name that there is not.
func unknown(name string) error {
	var names []string
	for _, s := range Specs() {
		names = append(append(names, s.Name), s.Aliases...)
	}
	hint, next := "", protocol.Try("lists the commands", "help")
	if near := spelling.Nearest(name, names); near != "" {
		if s, ok := Lookup(near); ok {
			hint, next = fmt.Sprintf("did you mean %s?", near), s.example()
		}
	}
	return protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("there is no command %.60q", name), hint, next)
}
