package session

import (
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
	"pilotfish/backend/question"
)

// Every argument of a command that may be asked about appears in the question
// or in its details.
func TestNoArgumentIsLost(t *testing.T) {
	for _, spec := range catalogue.Specs() {
		a := protocol.Approval{Command: spec.Name, Kind: protocol.ActionSensitive}
		for _, arg := range spec.Args {
			a.Args = append(a.Args, protocol.ApprovalArg{Name: arg.Name, Value: "v" + arg.Name})
		}
		words := question.Words(a)
		for _, arg := range a.Args {
			detail := slices.Contains(words.Details, arg)
			// The argument do appears as a verb of its own.
			if !detail && !strings.Contains(words.What, arg.Value) && arg.Name != "do" {
				t.Errorf("%s: nothing says %s: %q, %v", spec.Name, arg.Name, words.What, words.Details)
			}
		}
	}
}
