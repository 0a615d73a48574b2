// Package catalogue has the commands. A file has those about one thing: a function that
// declares them, and their handlers. All are methods of one type, which has the Config.
package catalogue

import (
	"slices"

	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Config is what the commands need to run.
type Config struct {
	Browser Browser
	Policy  *policy.Policy
	// Cannot is what the browser cannot do, with why; nil for nothing.
	Cannot map[protocol.Capability]string
	// Terminals are those beside the tabs.
	Terminals Terminals
	// Settings have the methods that the user allowed for `cdp`, to themselves or to
	// agents. They are read for every `cdp`; nil allows none.
	Settings *config.Store
	// Secrets are the user's secrets; nil for none.
	Secrets command.Secrets
	// SignIns imports sign-ins of other browsers; nil for none.
	SignIns SignIns
	// Uploads decides which files agents give to pages.
	Uploads Uploads
}

// commands makes the commands and runs them. Without a browser, the commands can be
// described but not run.
type commands struct{ Config }

// New returns the registry of every command.
func New(c Config) *command.Registry {
	r := command.New(c.Browser, c.Policy, (&commands{c}).all(), c.Cannot)
	if c.Secrets != nil {
		r.WithSecrets(c.Secrets)
	}
	return r
}

// groups returns the commands in groups, in the order of the help. They are
// functions and not variables, so that no code can change them, and so that the
// lookup of one command creates only the groups up to its own.
func (c *commands) groups() []func() []command.Command {
	return []func() []command.Command{
		c.navigation, c.snapshots, c.actions, c.waits, c.page, c.screenshots, c.developer, c.inspector,
		c.each, c.windows, c.stored, c.emulation, c.reports, c.recordings, c.batches,
		c.webMCP, c.rawCDP, c.terminal, c.rules, c.secrets, c.signIns,
	}
}

// all returns all commands, in the order of the help.
func (c *commands) all() []command.Command {
	var all []command.Command
	for _, group := range c.groups() {
		all = append(all, group()...)
	}
	return all
}

// Table returns a table that finds every command by name and alias. Keep it for
// many lookups: each call of Table creates all declarations anew.
func Table() command.Table { return command.NewTable((&commands{}).all()) }

// Specs returns every command, in the order of the help.
func Specs() []command.Spec { return Table().Specs() }

// Lookup returns the command of a name or alias, if there is one. It creates
// only the declarations up to it.
func Lookup(name string) (command.Spec, bool) {
	for _, group := range (&commands{}).groups() {
		for _, c := range group() {
			if c.Name == name || slices.Contains(c.Aliases, name) {
				return c.Spec, true
			}
		}
	}
	return command.Spec{}, false
}

// Find is Table().Find for a single lookup.
func Find(name string) (command.Spec, error) {
	if s, ok := Lookup(name); ok {
		return s, nil
	}
	return Table().Find(name)
}
