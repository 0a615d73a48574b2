package operations

import (
	"fmt"

	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
)

// Login manages whether the app starts when the user logs in. The setting only
// stores what the user chose. The desktop's entry decides, and the user can
// also switch it off there.
type Login struct {
	Entry *desktop.LoginEntry
	// Program is the path of this program.
	Program string
}

// seen returns the settings with StartOnLogin as the desktop's entry has it.
func (l Login) seen(settings protocol.Settings) protocol.Settings {
	if l.Entry == nil {
		return settings
	}
	if enabled, err := l.Entry.Enabled(); err == nil {
		settings.StartOnLogin = enabled
	}
	return settings
}

// apply enables or disables the entry as the settings say.
func (l Login) apply(settings protocol.Settings) error {
	if l.Entry == nil || l.seen(settings).StartOnLogin == settings.StartOnLogin {
		return nil
	}
	var err error
	if settings.StartOnLogin {
		err = l.Entry.Enable(l.Program, "--hidden")
	} else {
		err = l.Entry.Disable()
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
