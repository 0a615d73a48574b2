//go:build agents

package agents_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/agents/fakes/notes"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// A real agent gets the user's MCP server at an address, and its model uses a tool of it.
// All of these agents announce that they connect to such servers. The notice
// about an agent that does not is tested in backend/chat/acp and in app/e2e.
func TestDriversUseAServerAtAnAddress(t *testing.T) {
	const credential = "Bearer of the user"
	script := func(*driven) model.Script {
		return func(r model.Request) model.Reply {
			keep := slices.IndexFunc(r.Tools, func(name string) bool { return strings.HasSuffix(name, "keep") })
			switch seen := result(r); {
			case seen != "":
				return model.Reply{Text: "It said: " + seen}
			case len(r.Tools) == 0:
				return model.Reply{Text: "A title"}
			case keep < 0:
				return model.Reply{Text: fmt.Sprintf("There is no such tool among %q.", r.Tools)}
			}
			return model.Reply{Calls: []model.Call{{Name: r.Tools[keep], Input: map[string]any{"text": "milk"}}}}
		}
	}
	each(t, script, func(d driven, _ *model.Model) {
		t := d.t
		server := &notes.Notes{}
		site := httptest.NewServer(server.Handler(credential))
		t.Cleanup(site.Close) // after the agent, which may keep a connection
		k := newConversation(protocol.AnswerOnce)
		s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir(), Tools: []driver.ToolServer{
			{Name: "notes", URL: site.URL, Headers: []driver.ToolHeader{{Name: "Authorization", Value: credential}}},
		}}, k)
		if err != nil {
			t.Fatal(err)
		}
		if end, err := s.Prompt(timed(t), driver.Prompt{Text: "Keep milk."}); err != nil || end.Reason != protocol.EndDone {
			t.Fatalf("%+v, %v", end, err)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if kept := server.Kept(); !slices.Equal(kept, []string{"milk"}) || server.Refused() > 0 {
			t.Errorf("the server has %q and refused %d requests", kept, server.Refused())
		}
		if said := k.text.String(); !strings.Contains(said, "Note 1 for "+credential+": milk") {
			t.Errorf("the model got: %s", said)
		}
		if len(k.notices) > 0 {
			t.Errorf("the notices are %q", k.notices)
		}
		// OpenCode uses MCP tools without a question.
		for _, ask := range k.asks {
			if !strings.Contains(string(ask.Tool.Input), "milk") {
				t.Errorf("the question does not say what is kept: %+v", ask)
			}
		}
	})
}

// Claude reports a server that refuses it, and the user gets a notice. Agents over ACP have
// no such report: with them such a server is only missing.
func TestClaudeReportsAServerThatRefuses(t *testing.T) {
	m := model.New(model.Steps(model.Reply{Text: "Hello."}))
	defer m.Close()
	d := drivenAgents(t, m)[0]
	server := &notes.Notes{}
	site := httptest.NewServer(server.Handler("Bearer of somebody else"))
	t.Cleanup(site.Close)
	k := newConversation("")
	s, err := d.startAgent(t).Open(timed(t), driver.SessionConfig{Dir: t.TempDir(), Tools: []driver.ToolServer{{Name: "notes", URL: site.URL}}}, k)
	if err != nil {
		t.Fatal(err)
	}
	if end, err := s.Prompt(timed(t), driver.Prompt{Text: "Hello."}); err != nil || end.Reason != protocol.EndDone {
		t.Fatalf("%+v, %v", end, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.notices) != 1 || !strings.Contains(k.notices[0], "cannot use the MCP server notes") || server.Refused() == 0 {
		t.Errorf("the notices are %q; %d requests were refused", k.notices, server.Refused())
	}
}
