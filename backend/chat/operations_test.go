package chat

import (
	"encoding/json"
	"slices"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Only the user at the panel, the window or the tray answers a question: an agent may be
// running in a shell.
func TestAShellAnswersNoQuestion(t *testing.T) {
	h := opened(t, &played{script: echo}, "")
	all := Operations(func(protocol.SessionName) (*Manager, error) { return h.Manager, nil })
	answer := all[slices.IndexFunc(all, func(o op.Operation) bool { return o.Name == "AnswerQuestion" })]
	in, err := json.Marshal(protocol.ChatAnswerRequest{Conversation: "c1", Approval: "n1", Option: "once"})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[auth.Kind]protocol.Code{auth.KindCLI: protocol.CodeForbidden, auth.KindAgent: protocol.CodeForbidden, auth.KindPanel: protocol.CodeUnknownConversation} {
		if _, err := answer.Run(t.Context(), op.Call{Grant: auth.Grant{Kind: kind}}, in); code(err) != want {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
}
