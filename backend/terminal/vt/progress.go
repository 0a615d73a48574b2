package vt

import (
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

// progressOf reads the arguments of OSC 9;4: a state, and for some states a percentage.
// Without one, an error and a pause keep the percentage from before. nil ends the
// progress; what cannot be read changes nothing.
func progressOf(args string, before *protocol.TerminalProgress) *protocol.TerminalProgress {
	kind, value, _ := strings.Cut(args, ";")
	state, known := map[string]protocol.ProgressState{
		"0": "", "1": protocol.ProgressNormal, "2": protocol.ProgressError, "3": protocol.ProgressUnknown, "4": protocol.ProgressPaused,
	}[kind]
	if !known {
		return before
	}
	if state == "" {
		return nil
	}
	now := &protocol.TerminalProgress{State: state}
	percent, err := strconv.Atoi(strings.TrimSuffix(value, ";"))
	switch {
	case state == protocol.ProgressUnknown:
	case err == nil:
		now.Percent = min(max(percent, 0), 100)
	case state == protocol.ProgressNormal:
		return before
	case before != nil:
		now.Percent = before.Percent
	}
	return now
}
