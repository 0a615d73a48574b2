package approval

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// oneTerminal has one terminal.
type oneTerminal struct {
	mu     sync.Mutex
	status protocol.AgentStatus
	gone   bool
}

func (f *oneTerminal) Get(protocol.TerminalID) (protocol.TerminalInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return protocol.TerminalInfo{ID: "x", Status: f.status}, nil
}

func (f *oneTerminal) SetStatus(_ protocol.TerminalID, status protocol.AgentStatus, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return protocol.NewError(protocol.CodeUnknownTerminal, "this terminal does not exist any more", "")
	}
	f.status = status
	return nil
}

func ask(tool, input string) protocol.ToolPermissionRequest {
	return protocol.ToolPermissionRequest{Tool: tool, Input: json.RawMessage(input)}
}

var claude = protocol.Actor{Kind: protocol.ActorTerminal, ID: "x", Agent: "Claude Code", Tab: "t1"} //nolint:gochecknoglobals // a constant

// Each way in which a question ends, and that only the user's yes allows.
func TestToolCalls(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *policy.Broker, d *ToolCalls, f *oneTerminal, cancel func())
		want protocol.ToolDecision
	}{
		"allowed": {func(b *policy.Broker, _ *ToolCalls, _ *oneTerminal, _ func()) {
			_ = b.Answer(b.Pending()[0].ID, protocol.AnswerOnce)
		}, protocol.ToolAllowed},
		"denied": {func(b *policy.Broker, _ *ToolCalls, _ *oneTerminal, _ func()) {
			_ = b.Answer(b.Pending()[0].ID, protocol.AnswerDeny)
		}, protocol.ToolDenied},
		"answered in the terminal": {func(_ *policy.Broker, d *ToolCalls, f *oneTerminal, _ func()) {
			_ = f.SetStatus("x", protocol.AgentWorking, "")
			d.Changed(f, "x")
		}, protocol.ToolUndecided},
		"nobody answers": {func(*policy.Broker, *ToolCalls, *oneTerminal, func()) {}, protocol.ToolUndecided},
		"the hook ended": {func(_ *policy.Broker, _ *ToolCalls, _ *oneTerminal, cancel func()) { cancel() }, protocol.ToolUndecided},
		"the agent ended": {func(b *policy.Broker, _ *ToolCalls, _ *oneTerminal, _ func()) {
			b.Gone(claude)
		}, protocol.ToolUndecided},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var d ToolCalls
				f, b := &oneTerminal{status: protocol.AgentWorking}, policy.NewBroker("default", func() {})
				got := make(chan protocol.ToolDecision, 1)
				go func() {
					reply, err := d.Ask(ctx, b, f, claude, ask("Bash", `{"command":"rm -rf build","timeout":5}`))
					if err != nil {
						t.Error(err)
					}
					got <- reply.Decision
				}()
				synctest.Wait()
				p := b.Pending()
				if len(p) != 1 || p[0].Command != "Bash" || p[0].Kind != protocol.ActionTool || p[0].Tab != "t1" || len(p[0].Args) != 2 || p[0].Args[0].Value != "rm -rf build" || p[0].Args[1].Value != "5" {
					t.Fatalf("%+v", p)
				}
				if f.status != protocol.AgentNeedsYou {
					t.Errorf("the terminal is %s", f.status)
				}
				d.Changed(f, "x") // an event about something else ends nothing
				c.do(b, &d, f, cancel)
				if decision := <-got; decision != c.want {
					t.Errorf("%s, not %s", decision, c.want)
				}
				if len(b.Pending()) != 0 || len(d.waiting) != 0 {
					t.Errorf("left: %v %v", b.Pending(), d.waiting)
				}
			})
		})
	}
}

func TestToolCallsThatCannotBeShown(t *testing.T) {
	many := map[string]int{}
	for i := range protocol.MaxToolArgs + 1 {
		many[strings.Repeat("a", i+1)] = i
	}
	wide, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		req  protocol.ToolPermissionRequest
		gone bool
		code protocol.Code
	}{
		"no name":              {ask(" ", `{}`), false, protocol.CodeBadArgument},
		"no object":            {ask("Bash", `[1]`), false, protocol.CodeBadArgument},
		"a long argument":      {ask("Bash", `{"command":"`+strings.Repeat("x", protocol.MaxToolArg+1)+`"}`), false, protocol.CodeTooLarge},
		"too many arguments":   {ask("Bash", string(wide)), false, protocol.CodeTooLarge},
		"a terminal that went": {ask("Bash", `{}`), true, protocol.CodeUnknownTerminal},
	} {
		var d ToolCalls
		b := policy.NewBroker("default", func() { t.Errorf("%s: asked", name) })
		reply, err := d.Ask(t.Context(), b, &oneTerminal{gone: c.gone}, claude, c.req)
		if e := protocol.AsError(err); e == nil || e.Code != c.code || reply.Decision != protocol.ToolUndecided {
			t.Errorf("%s: %v %v", name, reply, err)
		}
	}
	if a, err := toolApproval(claude, ask(strings.Repeat("n", 500), "")); err != nil || len([]rune(a.Command)) != protocol.MaxToolName {
		t.Errorf("%v %v", a, err)
	}
}
