package main

import (
	"fmt"

	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
)

// login manages whether the app starts when the user logs in. The setting only
// stores what the user chose. The desktop's entry decides, and the user can
// also switch it off there.
type login struct {
	entry *desktop.LoginEntry
	// program is the path of this program.
	program string
}

// seen returns the settings with StartOnLogin as the desktop's entry has it.
func (l login) seen(settings protocol.Settings) protocol.Settings {
	if l.entry == nil {
		return settings
	}
	if enabled, err := l.entry.Enabled(); err == nil {
		settings.StartOnLogin = enabled
	}
	return settings
}

// apply enables or disables the entry as the settings say.
func (l login) apply(settings protocol.Settings) error {
	if l.entry == nil || l.seen(settings).StartOnLogin == settings.StartOnLogin {
		return nil
	}
	var err error
	if settings.StartOnLogin {
		err = l.entry.Enable(l.program, "--hidden")
	} else {
		err = l.entry.Disable()
	}
	if err != nil {
		return &loginError{err: err}
	}
	return nil
}

// loginError is an error of the setting startOnLogin, for the page.
type loginError struct{ err error }

func (e *loginError) Error() string { return fmt.Sprintf("changing the start on login: %v", e.err) }
func (e *loginError) Unwrap() error { return e.err }

// Field is the setting's JSON name.
func (e *loginError) Field() string { return "startOnLogin" }
