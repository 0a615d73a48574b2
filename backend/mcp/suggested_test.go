package mcp

import (
	"testing"

	"pilotfish/backend/protocol"
)

func TestAnErrorNamesToolsAndNotLines(t *testing.T) {
	e := protocol.NewError(protocol.CodeDialog, "t1 shows a dialog", "answer it first",
		protocol.Try("answers OK", "dialog", "accept", "Ada Lovelace"), protocol.Try("shows what is there", "snapshot"),
		protocol.Try("lists the tabs", "tabs"), protocol.With("waits longer", "--timeout", "1m"), protocol.Try("lists them", "task", "list"))
	const want = "error dialog: t1 shows a dialog\nhint: answer it first; browser_run with \"dialog accept 'Ada Lovelace'\" answers OK; " +
		"browser_snapshot shows what is there; browser_tabs lists the tabs; --timeout 1m waits longer; task_status lists them"
	if got := describeError(e); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
