package command

import (
	"fmt"

	"pilotfish/backend/protocol"
)

// DialogOpened says, in words, that a command on a tab met a dialog, and how to answer
// it. The dialog's message is text of the page, and not among them.
func DialogOpened(tab protocol.TabID, d *protocol.DialogInfo) string {
	what, in, text := "a "+d.Type, "", ""
	switch d.Type {
	case "alert":
		what = "an alert"
	case "prompt":
		text = " TEXT"
	}
	if d.Answered != "" {
		return fmt.Sprintf("%s dialog came, and the tab's policy answered it: %s", what, d.Answered)
	}
	if d.Tab != "" && d.Tab != tab {
		in = " --tab " + string(d.Tab)
		what += " dialog is open in " + string(d.Tab)
	} else {
		what += " dialog is open"
	}
	return fmt.Sprintf("%s and waits for an answer: dialog accept%s%s or dialog dismiss%s", what, text, in, in)
}
