package listing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// nothing is a fake browser without tabs.
type nothing struct{ command.Browser }

func (nothing) WasOpen(protocol.TabID) bool { return false }
func (nothing) ByHand() bool                { return false }
func (nothing) Carry(context.Context, protocol.TabID, string, string, map[string]any, func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	return protocol.CommandReply{}
}

func (nothing) Tabs() []protocol.Tab { return nil }

// shown returns what a user sees of a text that a command makes.
func shown(t *testing.T, arg command.Arg, budget int, write func(in *command.Invocation) string) string {
	t.Helper()
	args := map[string]json.RawMessage{}
	if budget > 0 {
		args["max"] = json.RawMessage(fmt.Sprint(budget))
	}
	c := command.Command{
		Spec: command.Spec{Name: "show", Scope: protocol.ScopeRead, Args: []command.Arg{arg}, Examples: []string{"show"}},
		Run: func(_ context.Context, in *command.Invocation) (command.Result, error) {
			return command.Result{Text: write(in)}, nil
		},
	}
	reply := command.New(nothing{}, policy.New(policy.Config{}), []command.Command{c}, nil).Execute(t.Context(), command.Call{
		Actor: protocol.Actor{Kind: protocol.ActorShell}, Scopes: []protocol.Scope{protocol.ScopeRead},
		Request: protocol.CommandRequest{Command: "show", Args: args},
	})
	if !reply.OK {
		t.Fatalf("%+v", reply)
	}
	return reply.Text
}

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i+1)
	}
	return lines
}

func TestLast(t *testing.T) {
	if got := listing.Last(nil, 3, "none"); got != "none" {
		t.Error(got)
	}
	if got := listing.Last(numbered(3), 3, "none"); got != "line 1\nline 2\nline 3" {
		t.Error(got)
	}
	if got := listing.Last(numbered(5), 2, "none"); got != "… 3 more before these (--max shows more)\nline 4\nline 5" {
		t.Error(got)
	}
	if got := listing.Last(numbered(51), 0, "none"); !strings.HasPrefix(got, "… 1 more") {
		t.Error(got)
	}
}

func TestRows(t *testing.T) {
	rows := func(n int) func(in *command.Invocation) string {
		return func(in *command.Invocation) string {
			return listing.Rows(in, "https://a.example", numbered(n), "none")
		}
	}
	if got := shown(t, listing.MaxArg(), 0, rows(0)); got != "none" {
		t.Error(got)
	}
	if got := shown(t, listing.MaxArg(), 2, rows(3)); got != "… 1 more before these (--max shows more)\nline 2\nline 3" {
		t.Error(got)
	}
}

func TestFirst(t *testing.T) {
	first := func(n int) func(in *command.Invocation) string {
		return func(in *command.Invocation) string {
			return listing.First(in, "https://a.example", numbered(n), "links")
		}
	}
	if got := shown(t, listing.BudgetArg(), 0, first(0)); got != "no links on this page" {
		t.Error(got)
	}
	got := shown(t, listing.BudgetArg(), 200, first(100))
	if !strings.HasPrefix(got, "line 1\nline 2\n") || !strings.Contains(got, "more links (--max shows more)") || len(got) > 250 {
		t.Error(got)
	}
	if got := shown(t, listing.BudgetArg(), 0, first(100)); strings.Contains(got, "more links") || !strings.HasSuffix(got, "line 100") {
		t.Error(got)
	}
}

func TestTextAndCut(t *testing.T) {
	page := protocol.PageText{Text: strings.Repeat("漢", 300), Length: 300}
	got := shown(t, listing.BudgetArg(), 200, func(in *command.Invocation) string {
		return listing.Text(in, listing.Cut(in, page))
	})
	if want := strings.Repeat("漢", 200) + "\n… 100 more characters (--max shows more)"; got != want {
		t.Error(got)
	}
	if got := shown(t, listing.BudgetArg(), 0, func(in *command.Invocation) string { return listing.Text(in, listing.Cut(in, page)) }); got != page.Text {
		t.Error(got)
	}
}
