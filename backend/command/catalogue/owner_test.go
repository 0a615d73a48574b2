package catalogue_test

import (
	"context"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// recorder is a browser with a recording and routines.
type recorder struct {
	*unfilmed
	routines []protocol.Routine
	// later are steps that are recorded after the first look at the recording.
	later   []protocol.RecordedStep
	stopped bool
}

func (r *recorder) EndRecording(ctx context.Context, _ protocol.Caller, id protocol.TabID) (protocol.Recording, error) {
	reply, err := r.Recording(ctx, id)
	reply.Running, reply.Held = false, true
	return reply, err
}

func (r *recorder) StopRecording(context.Context, protocol.Caller, protocol.TabID, string) (protocol.Recording, error) {
	r.stopped = true
	return protocol.Recording{Steps: r.steps}, nil
}

func (r *recorder) Recording(context.Context, protocol.TabID) (protocol.Recording, error) {
	reply := protocol.Recording{Running: true, Steps: r.steps}
	r.steps = append(r.steps, r.later...)
	return reply, nil
}

func (r *recorder) Routines() ([]protocol.Routine, error) { return r.routines, nil }

// An agent that would replace a routine of the user, or of another agent, waits
// for the user, who sees the difference. The owner stays. A recording that was not saved is
// kept.
func TestReplacingARoutineOfAnotherOwnerAsks(t *testing.T) {
	const own, other = "terminal:x", "chat:y"
	old := func(owner string) []protocol.Routine {
		return []protocol.Routine{{Version: 1, Name: "login", Owner: owner, Goal: "Sign in", Steps: []string{"click css=#before", "click css=#go"}}}
	}
	later := []protocol.RecordedStep{{Do: "click", CSS: "#later"}}
	for name, c := range map[string]struct {
		actor  protocol.Actor
		old    []protocol.Routine
		later  []protocol.RecordedStep
		answer protocol.ApprovalAnswer
		asks   bool
		owner  string // of what is saved; "-" for nothing saved
	}{
		"the user's, denied":      {agent, old(""), nil, protocol.AnswerDeny, true, "-"},
		"the user's, allowed":     {agent, old(""), nil, protocol.AnswerOnce, true, ""},
		"another agent's":         {agent, old(other), nil, protocol.AnswerOnce, true, other},
		"its own":                 {agent, old(own), nil, "", false, own},
		"a new one":               {agent, nil, nil, "", false, own},
		"one more step meanwhile": {agent, old(""), later, protocol.AnswerOnce, true, "-"},
		"the user replaces":       {user, old(other), nil, "", false, ""},
	} {
		var asked []protocol.Approval
		broker := policy.NewBroker("default", func() {})
		watch := command.Watch{Asking: func(q protocol.Approval) {
			asked = append(asked, q)
			if err := broker.Answer(q.ID, c.answer); err != nil {
				t.Error(err)
			}
		}}
		b := &recorder{unfilmed: &unfilmed{tabs: newTabs(), steps: []protocol.RecordedStep{{Do: "click", CSS: "#go"}}}, routines: c.old, later: c.later}
		reply := catalogue.New(catalogue.Config{Browser: b, Policy: policy.New(policy.Config{Broker: broker})}).Execute(t.Context(), command.Call{
			Actor: c.actor, Scopes: scopes, Tab: "t1", Request: request("record", map[string]any{"do": "stop", "name": "login"}), Watch: watch,
		})
		if (len(asked) == 1) != c.asks || reply.OK != (c.owner != "-") {
			t.Errorf("%s: %+v, asked %+v", name, reply, asked)
			continue
		}
		if got := b.saved; (got.Name == "") != (c.owner == "-") || got.Name != "" && got.Owner != c.owner {
			t.Errorf("%s: saved %+v", name, got)
		}
		if b.stopped != reply.OK {
			t.Errorf("%s: the recording is removed: %t", name, b.stopped)
		}
		if c.asks {
			args := asked[0].Args
			last := args[len(args)-1]
			if asked[0].Kind != protocol.ActionSensitive || asked[0].Site != "" || last.Name != "difference" ||
				!strings.Contains(last.Value, "- goal: Sign in") || !strings.Contains(last.Value, "- click css=#before") || !strings.Contains(last.Value, "#go") {
				t.Errorf("%s: asked %+v", name, asked[0])
			}
		}
	}
}
