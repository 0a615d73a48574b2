package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// carrying is a browser into which there is no way but its panel, which asks about each
// command whether it may, with the facts about a button.
type carrying struct{ *tabs }

func (carrying) ByHand() bool { return true }

func (b carrying) Carry(ctx context.Context, tab protocol.TabID, caller, name string, args map[string]any, allow func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	if may := allow(ctx, protocol.ByPage{Facts: &b.facts}); !may.OK {
		return may
	}
	b.note("%s carries %s out on %s: %v", caller, name, tab, args)
	return protocol.CommandReply{OK: true, Tab: tab, Text: "done", Data: json.RawMessage("{}")}
}

// Where there is no way into the browser but its panel, the panel carries out what it can, once
// it is allowed. The panel that runs a task does that by itself, and everything else is refused.
func TestPanelCarriesOut(t *testing.T) {
	agent := protocol.Actor{Kind: protocol.ActorMCP, ID: "a", Name: "an agent"}
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "k1"}
	p := policy.New(policy.Config{Private: true})
	p.Opened(agent, "t1")
	p.Opened(task, "t1")
	scopes := []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}
	for _, one := range []struct {
		name    string
		actor   protocol.Actor
		tab     protocol.TabID
		command string
		args    string
		code    protocol.Code
		calls   string
	}{
		{name: "a click", actor: agent, tab: "t1", command: "click", args: `{"target":"f0e1"}`, calls: "[mcp:a carries click out on t1: map[target:f0e1]]"},
		{name: "a page", actor: agent, tab: "t1", command: "goto", args: `{"url":"example.com"}`, calls: "[mcp:a carries goto out on t1: map[url:example.com]]"},
		{name: "the cloud's own", actor: agent, tab: "t1", command: "goto", args: `{"url":"http://169.254.169.254/"}`, code: protocol.CodeRefused},
		{name: "the user's tab", actor: agent, tab: "t2", command: "snapshot", code: protocol.CodeRefused},
		{name: "a key", actor: agent, tab: "t1", command: "press", args: `{"key":"Enter","target":"f0e1"}`, calls: "[mcp:a carries press out on t1: map[key:Enter target:f0e1]]"},
		{name: "what needs the protocol", actor: agent, tab: "t1", command: "eval", args: `{"expression":"1"}`, code: protocol.CodeNoInput},
		{name: "a task's", actor: task, tab: "t1", command: "click", args: `{"target":"f0e1"}`, code: protocol.CodeNoInput},
		{name: "a tab", actor: agent, tab: "t1", command: "closetab", calls: "[closetab t1]"},
	} {
		t.Run(one.name, func(t *testing.T) {
			b := carrying{newTabs()}
			var args map[string]json.RawMessage
			if one.args != "" {
				if err := json.Unmarshal([]byte(one.args), &args); err != nil {
					t.Fatal(err)
				}
			}
			reply := catalogue.New(catalogue.Config{Browser: b, Policy: p}).Execute(t.Context(), command.Call{
				Actor: one.actor, Scopes: scopes, Tab: "t1", Request: protocol.CommandRequest{Command: one.command, Args: args, Tab: one.tab},
			})
			var code protocol.Code
			if reply.Error != nil {
				code = reply.Error.Code
			}
			calls := ""
			if len(b.calls) > 0 {
				calls = fmt.Sprint(b.calls)
			}
			if code != one.code || calls != one.calls {
				t.Errorf("%s, and the browser was asked %q", reply, calls)
			}
			if code == protocol.CodeNoInput && !strings.HasPrefix(reply.Error.Message, one.command+" needs remote debugging") {
				t.Errorf("%s", reply)
			}
			if code == "" && one.command != "closetab" && (!reply.Untrusted || reply.Origin != "https://one.example") {
				t.Errorf("what the page says is not marked: %s", reply)
			}
		})
	}
}
