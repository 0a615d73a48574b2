package catalogue_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// An action that the panel carries out with events made in the page is judged
// as if the app did it, by the facts from the panel; the browser is not used.
func TestLeaveForWhatThePanelDoes(t *testing.T) {
	broker := policy.NewBroker("default", func() {})
	kinds := make(chan protocol.ActionKind, 8)
	broker.Watch(func(q protocol.Approval, over *policy.Over) {
		if over == nil {
			kinds <- q.Kind
			go func() { _ = broker.Answer(q.ID, protocol.AnswerDeny) }()
		}
	})
	p := policy.New(policy.Config{Broker: broker})
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "1", Name: "task “A”"}
	p.Opened(task, "t1")
	send := &protocol.TargetFacts{Role: "button", Name: "Send", Submits: true, Form: &protocol.FormFacts{Action: "https://example.com/post"}}
	link := func(to string) *protocol.TargetFacts {
		return &protocol.TargetFacts{Role: "link", Name: "More", Href: to}
	}
	for _, one := range []struct {
		name, command string
		target        string
		facts         *protocol.TargetFacts
		code          protocol.Code
		asks          protocol.ActionKind
		address, to   string
	}{
		{name: "a look", command: "snapshot"},
		{name: "what sets off nothing", command: "click", target: "f0e1", facts: &protocol.TargetFacts{Role: "button", Name: "More"}},
		{name: "what sends", command: "click", target: "f0e1", facts: send, code: protocol.CodeDenied, asks: protocol.ActionSend},
		{name: "nobody says what it is", command: "click", target: "f0e1", code: protocol.CodeBadArgument},
		{name: "a link", command: "click", target: "f0e1", facts: link("https://example.com/more")},
		{name: "a link that runs code", command: "click", target: "f0e1", facts: link("javascript:void 0")},
		{name: "a link to the cloud's own", command: "click", target: "f0e1", facts: link("http://169.254.169.254/"), code: protocol.CodeRefused},
		{name: "a link to a file", command: "click", target: "f0e1", facts: link("file:///etc/passwd"), code: protocol.CodeRefused},
		{name: "another page", command: "goto", address: "example.com/more", to: "https://example.com/more"},
		{name: "the cloud's own", command: "goto", address: "http://169.254.169.254/", code: protocol.CodeRefused},
		{name: "a page of the browser", command: "goto", address: "chrome://settings", code: protocol.CodeRefused},
		{name: "the page again", command: "reload"},
		{name: "what only the app can do", command: "tables", code: protocol.CodeBadArgument},
	} {
		t.Run(one.name, func(t *testing.T) {
			b := newTabs()
			args := map[string]json.RawMessage{}
			if one.target != "" {
				args["target"] = json.RawMessage(`"` + one.target + `"`)
			}
			if one.address != "" {
				args["url"] = json.RawMessage(`"` + one.address + `"`)
			}
			reply := catalogue.New(catalogue.Config{Browser: b, Policy: p}).Execute(t.Context(), command.Call{
				Actor: task, Scopes: scopes, Tab: "t1", ByPage: &protocol.ByPage{Facts: one.facts},
				Request: protocol.CommandRequest{Command: one.command, Args: args},
			})
			if len(b.calls) != 0 {
				t.Errorf("the browser was asked %q", b.calls)
			}
			var asked protocol.ActionKind
			select {
			case asked = <-kinds:
			default:
			}
			if asked != one.asks {
				t.Errorf("the person was asked about %q and not %q", asked, one.asks)
			}
			if one.code != "" {
				if reply.OK || reply.Error.Code != one.code {
					t.Errorf("%+v", reply)
				}
				return
			}
			if !reply.OK || !strings.Contains(string(reply.Data), `"url":"https://`) {
				t.Errorf("%+v %s", reply, reply.Data)
			}
			if to := `"to":"` + one.to + `"`; one.to != "" && !strings.Contains(string(reply.Data), to) {
				t.Errorf("the tab may go to %s", reply.Data)
			}
		})
	}
}
