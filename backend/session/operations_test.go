package session

import (
	"encoding/json"
	"testing"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// The user does in the window what each part declares.
func TestOperations(t *testing.T) {
	m := newManager(t, t.TempDir(), false)
	table := op.NewTable(nil, m.Operations()...)
	name := called[protocol.SessionName](t, table, "NewSession", protocol.NewSession{Title: "My work"})
	if _, err := m.Session(name); err != nil {
		t.Error(err)
	}
	// One in the user's own browser says so before it was started.
	attached := protocol.NewSession{Title: "Mine", Identity: &protocol.SessionIdentity{Browser: "my-chrome"}}
	s, err := m.Session(called[protocol.SessionName](t, table, "NewSession", attached))
	if err != nil || s.Info().Identity.Browser != "my-chrome" {
		t.Errorf("%v, %v", s, err)
	}
	called[op.None](t, table, "SaveSessionIdentity", protocol.SessionIdentity{Color: "#1a73e8"})
	if id := called[protocol.SessionIdentity](t, table, "SessionIdentity", nil); id.Color != "#1a73e8" {
		t.Errorf("%+v", id)
	}
	rule := protocol.SiteRule{Site: "example.com", Kind: protocol.ActionAct, Decision: protocol.SiteDeny}
	rules := called[[]protocol.SiteRule](t, table, "SetSiteRule", rule)
	if rules[0] != rule || len(called[[]protocol.SiteRule](t, table, "SiteRules", nil)) != len(rules) {
		t.Errorf("%+v", rules)
	}
	if left := called[[]protocol.SiteRule](t, table, "RemoveSiteRule", rule); len(left) != len(rules)-1 {
		t.Errorf("%+v", left)
	}
	if all := called[protocol.ClientsReply](t, table, "Clients", protocol.ClientsRequest{Do: protocol.ClientsList}); all.Clients == nil {
		t.Errorf("%+v", all)
	}
	called[protocol.StoredReply](t, table, "Stored", protocol.StoredRequest{Do: protocol.StoredList})
	called[protocol.SessionWork](t, table, "SessionWork", nil)
	for _, c := range []struct {
		name string
		in   any
		code protocol.Code
	}{
		{"NewSession", protocol.NewSession{Title: "Other", Identity: &protocol.SessionIdentity{Browser: "my-chrome", UserAgent: "x"}}, protocol.CodeBadArgument},
		{"ShowSignIns", nil, protocol.CodeNotRunning},
		{"ShowTab", protocol.TabID("t1"), protocol.CodeNotRunning},
		{"OpenLink", "https://example.org/", protocol.CodeNotRunning},
		{"OpenLink", "file:///etc/passwd", protocol.CodeBadArgument},
		{"RunInView", protocol.CommandRequest{Command: "reload", Tab: "t1"}, protocol.CodeNotRunning},
		{"RunInView", protocol.CommandRequest{Command: "eval", Tab: "t1"}, protocol.CodeBadArgument},
		{"RunInView", protocol.CommandRequest{Command: "goto", Tab: "t1", Args: map[string]json.RawMessage{"url": []byte(`"file:///etc/passwd"`)}}, protocol.CodeBadArgument},
		{"ShowConversation", protocol.ChatRequest{Conversation: "c1"}, protocol.CodeUnknownConversation},
		{"ConversationFile", protocol.FileRequest{Path: "../x"}, protocol.CodeRefused},
		{"AnswerQuestion", protocol.ChatAnswerRequest{Conversation: "c1", Approval: "n1", Option: "once"}, protocol.CodeNotRunning},
		{"StopTurn", protocol.ChatRequest{Conversation: "c1"}, protocol.CodeNotRunning},
		{"RestartAgent", protocol.ChatRequest{Conversation: "c1"}, protocol.CodeNotRunning},
		{"NextSaid", 0, protocol.CodeNotRunning},
		{"DeleteSession", nil, protocol.CodeBadArgument},
		{"AnswerApproval", protocol.ApprovalAnswerRequest{ID: "n1", Answer: protocol.AnswerDeny}, protocol.CodeBadArgument},
	} {
		if _, err := calls[json.RawMessage](t, table, c.name, c.in); protocol.AsError(err) == nil || protocol.AsError(err).Code != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
	if n := m.count.Load(); n != 3 {
		t.Errorf("%d sessions after a refused one", n)
	}
	for _, name := range table.Names() { // nothing, about no session: an error, or nothing to do
		if _, err := table.Call(t.Context(), name, op.Call{Session: "nobody"}, nil); err != nil && protocol.AsError(err).Code == protocol.CodeInternal {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}
