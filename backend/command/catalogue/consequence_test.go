package catalogue_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// The user is asked about the consequence of an action before anything is done,
// and sees the target and what would be sent.
func TestTaskAsksBeforeItSends(t *testing.T) {
	b := newTabs()
	b.facts = protocol.TargetFacts{
		Role: "button", Name: "Send", Submits: true,
		Form: &protocol.FormFacts{Action: "https://example.com/post", Fields: []protocol.FormFact{{Name: "Text", Value: "Hello"}}},
	}
	asked := make(chan protocol.Approval, 1)
	broker := policy.NewBroker("default", func() {})
	broker.Watch(func(q protocol.Approval, over *policy.Over) {
		if over == nil {
			asked <- q
		}
	})
	p := policy.New(policy.Config{Broker: broker})
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "1", Name: "task “A”"}
	p.Opened(task, "t1")
	run := func(actor protocol.Actor, answer protocol.ApprovalAnswer) (protocol.Approval, protocol.CommandReply) {
		t.Helper()
		var q protocol.Approval
		done := make(chan struct{})
		if answer != "" {
			go func() {
				defer close(done)
				q = <-asked
				_ = broker.Answer(q.ID, answer)
			}()
		} else {
			close(done)
		}
		reply := catalogue.New(catalogue.Config{Browser: b, Policy: p}).Execute(t.Context(), command.Call{Actor: actor, Scopes: scopes, Tab: "t1", Request: protocol.CommandRequest{
			Command: "click", Args: map[string]json.RawMessage{"target": json.RawMessage(`"e5"`)},
		}})
		<-done
		return q, reply
	}
	q, reply := run(task, protocol.AnswerDeny)
	if reply.OK || reply.Error.Code != protocol.CodeDenied || len(b.calls) != 0 {
		t.Errorf("denied: %+v, and the browser was asked %q", reply, b.calls)
	}
	want := []protocol.ApprovalArg{{Name: "target", Value: "e5"}}
	if q.Kind != protocol.ActionSend || !slices.Equal(q.Args, want) || q.Target == nil {
		t.Fatalf("asked: %+v", q)
	}
	if got := q.Target; got.Role != "button" || got.Name != "Send" || got.Form == nil || got.Form.Action != "https://example.com/post" || !slices.Equal(got.Form.Fields, []protocol.FormFact{{Name: "Text", Value: "Hello"}}) {
		t.Errorf("the element is %+v", got)
	}
	if _, reply = run(task, protocol.AnswerOnce); !reply.OK || len(b.calls) != 1 {
		t.Errorf("allowed: %+v, %q", reply, b.calls)
	}
	if _, reply = run(user, ""); !reply.OK {
		t.Errorf("a person: %+v", reply)
	}
	b.facts = protocol.TargetFacts{Role: "button", Name: "Next"}
	if _, reply = run(task, ""); !reply.OK {
		t.Errorf("what sets nothing off: %+v", reply)
	}
	// What is in a frame is asked about with the frame's site.
	b.facts = protocol.TargetFacts{Role: "button", Name: "Pay", Frame: "https://bank.example/card"}
	if q, reply = run(task, protocol.AnswerOnce); !reply.OK || q.Kind != protocol.ActionPay || q.Origin != "https://bank.example" {
		t.Errorf("in a frame: %+v, %+v", q, reply)
	}
	// A rule about the frame's site counts, whatever the page around it may.
	b.facts = protocol.TargetFacts{Role: "button", Name: "Next", Frame: "https://bank.example/card"}
	if _, reply := run(task, ""); !reply.OK {
		t.Errorf("in a frame without a rule: %+v", reply)
	}
	if err := p.Rules().Set(protocol.SiteRule{Site: "bank.example", Kind: protocol.ActionAct, Decision: protocol.SiteDeny}); err != nil {
		t.Fatal(err)
	}
	b.calls = nil
	if _, reply := run(task, ""); reply.OK || reply.Error.Code != protocol.CodeRefused || len(b.calls) != 0 {
		t.Errorf("in a denied frame: %+v, %q", reply, b.calls)
	}
	// Where the user wants to be asked about every action, the answer "for this task" is for
	// actions without a consequence: what sends is asked about as it is elsewhere.
	if err := p.Rules().Set(protocol.SiteRule{Site: "one.example", Kind: protocol.ActionAct, Decision: protocol.SiteAsk}); err != nil {
		t.Fatal(err)
	}
	b.facts = protocol.TargetFacts{Role: "button", Name: "Next"}
	if q, reply := run(task, protocol.AnswerTask); !reply.OK || q.Kind != protocol.ActionAct {
		t.Errorf("every action is asked about: %+v, %+v", q, reply)
	}
	if _, reply := run(task, ""); !reply.OK {
		t.Errorf("the same once more: %+v", reply)
	}
	b.facts = protocol.TargetFacts{Role: "button", Name: "Send", Submits: true, Form: &protocol.FormFacts{Action: "https://example.com/post"}}
	if q, reply := run(task, protocol.AnswerDeny); reply.OK || q.Kind != protocol.ActionSend {
		t.Errorf("what sends: %+v, %+v", q, reply)
	}
}

// An approval shows no secret, whatever the command. Text for a field that is
// not a password field is shown, because the user decides by it.
func TestApprovalsShowNoSecrets(t *testing.T) {
	for _, c := range []struct {
		command string
		args    map[string]any
		want    []protocol.ApprovalArg
	}{
		{"state", map[string]any{"do": "save", "name": "shop", "passphrase": "four plain words here"}, []protocol.ApprovalArg{
			{Name: "do", Value: "save"}, {Name: "name", Value: "shop"}, {Name: "passphrase", Value: "•••"},
		}},
		{"cookies", map[string]any{"do": "set", "name": "sid", "value": "topsecret"}, []protocol.ApprovalArg{
			{Name: "do", Value: "set"}, {Name: "name", Value: "sid"}, {Name: "value", Value: "•••"},
		}},
	} {
		var asked []protocol.Approval
		broker := policy.NewBroker("default", func() {})
		watch := command.Watch{Asking: func(q protocol.Approval) {
			asked = append(asked, q)
			if err := broker.Answer(q.ID, protocol.AnswerDeny); err != nil {
				t.Error(err)
			}
		}}
		p := policy.New(policy.Config{OwnPort: func() int { return 0 }, Rules: policy.NewRules(nil, func([]protocol.SiteRule) error { return nil }), Broker: broker})
		b := &keepsake{tabs: newTabs()}
		catalogue.New(catalogue.Config{Browser: b, Policy: p}).Execute(t.Context(), command.Call{Actor: agent, Scopes: everything(), Tab: "t1", Request: request(c.command, c.args), Watch: watch})
		if len(asked) != 1 || !slices.Equal(asked[0].Args, c.want) {
			t.Errorf("%s: asked %+v", c.command, asked)
		}
	}
}
