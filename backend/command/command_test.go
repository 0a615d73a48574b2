package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// The registry is tested here with commands of its own; those of the browser
// are tested in the catalogue.

// site is a fake browser of two tabs.
type site struct {
	open  []protocol.Tab
	facts protocol.TargetFacts
	gated []protocol.TabID
}

func newSite() *site {
	return &site{open: []protocol.Tab{
		{ID: "t1", URL: "https://one.example/", Active: true},
		{ID: "t2", URL: "https://two.example/", Active: true, Focused: true},
	}}
}

func (*site) WasOpen(id protocol.TabID) bool { return id == "t5" }
func (*site) ByHand() bool                   { return false }
func (*site) Carry(context.Context, protocol.TabID, string, string, map[string]any, func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	return protocol.CommandReply{}
}

func (s *site) Tabs() []protocol.Tab { return slices.Clone(s.open) }

func (s *site) Page(_ context.Context, _ protocol.Caller, id protocol.TabID) (protocol.PageInfo, error) {
	for _, t := range s.open {
		if t.ID == id {
			return protocol.PageInfo{Tab: id, URL: t.URL}, nil
		}
	}
	return protocol.PageInfo{}, errors.New("no such tab")
}

func (s *site) Facts(context.Context, protocol.Caller, protocol.TabID, string, bool) (protocol.TargetFacts, error) {
	return s.facts, nil
}

func (s *site) Gate(_ context.Context, id protocol.TabID, _ []string, _ func(string, bool) error, _ func(string, netip.Addr) error, _ protocol.Saver) error {
	s.gated = append(s.gated, id)
	return nil
}

var (
	agent = protocol.Actor{Kind: protocol.ActorTerminal, ID: "x", Name: "claude in t1"}
	user  = protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}
)

// declared returns a command for the tests below.
func declared(name string, scope protocol.Scope, aim command.Aim, run func(context.Context, *command.Invocation) (command.Result, error)) command.Command {
	return command.Command{
		Spec: command.Spec{Name: name, Scope: scope, Summary: "test", Returns: "nothing", Examples: []string{name}},
		Tab:  aim, Run: run,
	}
}

func says(text string) func(context.Context, *command.Invocation) (command.Result, error) {
	return func(context.Context, *command.Invocation) (command.Result, error) {
		return command.Result{Text: text}, nil
	}
}

// ask runs one command for an actor whose own tab is t1, if it is an agent.
func ask(t *testing.T, s *site, p *policy.Policy, actor protocol.Actor, commands []command.Command, req protocol.CommandRequest) protocol.CommandReply {
	t.Helper()
	call := command.Call{Actor: actor, Scopes: []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}, Request: req}
	if policy.Agent(actor) {
		call.Tab = "t1"
	}
	return command.New(s, p, commands, nil).Execute(t.Context(), call)
}

func code(r protocol.CommandReply) protocol.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

func plain() *policy.Policy { return policy.New(policy.Config{OwnPort: func() int { return 4711 }}) }

// What a command declares decides how a call of it is judged.
func TestDeclarationsAreJudged(t *testing.T) {
	there := declared("there", protocol.ScopeRead, command.OwnTab, says("read"))
	away := declared("away", protocol.ScopeAct, command.OwnTab, says("left"))
	away.Leaves = true
	all := []command.Command{there, away}
	s := newSite()
	s.open[0].URL = "file:///etc/passwd" // an agent may not read it, but may leave it
	if reply := ask(t, s, plain(), agent, all, protocol.CommandRequest{Command: "there"}); code(reply) != protocol.CodeRefused {
		t.Errorf("a page that is refused: %+v", reply)
	}
	if reply := ask(t, s, plain(), agent, all, protocol.CommandRequest{Command: "away"}); !reply.OK || reply.Text != "left" {
		t.Errorf("a command that leaves it: %+v", reply)
	}
	if reply := ask(t, s, plain(), agent, all, protocol.CommandRequest{Command: "there", Tab: "t2"}); code(reply) == "" {
		t.Errorf("a tab of the person's: %+v", reply)
	}
	if !slices.Equal(slices.Compact(s.gated), []protocol.TabID{"t1"}) {
		t.Errorf("gated are %v", s.gated)
	}
}

// A command that opens an address is judged by that address, not by the page
// that the tab shows.
func TestWhatACommandOpensIsJudged(t *testing.T) {
	var to string
	visit := declared("visit", protocol.ScopeAct, command.OwnTab, says("there"))
	visit.Kind, visit.Leaves = protocol.ActionOpen, true
	visit.Opens = func(in *command.Invocation) (string, error) { return to, in.MayOpen(to) }
	for _, c := range []struct {
		to   string
		want protocol.Code
	}{{"https://two.example/", ""}, {"http://169.254.169.254/", protocol.CodeRefused}, {"http://localhost:4711/", protocol.CodeRefused}} {
		to = c.to
		if reply := ask(t, newSite(), plain(), agent, []command.Command{visit}, protocol.CommandRequest{Command: "visit"}); code(reply) != c.want {
			t.Errorf("%s: %+v", c.to, reply)
		}
	}
}

// First refuses a call before the user is asked.
func TestFirstRefusesBeforeAnybodyIsAsked(t *testing.T) {
	broker := policy.NewBroker("default", func() {})
	broker.Watch(func(protocol.Approval, *policy.Over) { t.Error("the person was asked") })
	p := policy.New(policy.Config{Broker: broker})
	raw := declared("raw", protocol.ScopeSensitive, command.OwnTab, says("done"))
	raw.First = func(*command.Invocation) error { return command.BadArgument("never", "") }
	if reply := ask(t, newSite(), p, agent, []command.Command{raw}, protocol.CommandRequest{Command: "raw"}); code(reply) != protocol.CodeBadArgument {
		t.Errorf("%+v", reply)
	}
}

// A command declares what it is about to do; the consequence is asked about.
func TestDoingIsWeighed(t *testing.T) {
	asked := 0
	broker := policy.NewBroker("default", func() {})
	broker.Watch(func(q protocol.Approval, over *policy.Over) {
		if over == nil {
			asked++
			go func() { _ = broker.Answer(q.ID, protocol.AnswerDeny) }()
		}
	})
	p := policy.New(policy.Config{Broker: broker})
	task := protocol.Actor{Kind: protocol.ActorTask, ID: "1", Name: "task “A”"}
	p.Opened(task, "t1")
	s := newSite()
	s.facts = protocol.TargetFacts{Role: "button", Name: "Send", Submits: true, Form: &protocol.FormFacts{Action: "https://one.example/post"}}
	for name, do := range map[string]policy.Doing{"push": {Click: true}, "point": {}} {
		asked = 0
		c := declared(name, protocol.ScopeAct, command.OwnTab, says("done"))
		c.Doing = func(*command.Invocation) (policy.Doing, string) { return do, "e1" }
		reply := command.New(s, p, []command.Command{c}, nil).Execute(t.Context(), command.Call{
			Actor: task, Scopes: []protocol.Scope{protocol.ScopeAct}, Tab: "t1", Request: protocol.CommandRequest{Command: name},
		})
		if do.Click != (asked == 1) || do.Click != (code(reply) == protocol.CodeDenied) {
			t.Errorf("%s: asked %d times, %+v", name, asked, reply)
		}
	}
}

// Several commands run in order. After one that opens a tab, the next commands
// act on that tab; a command that runs others cannot be nested.
func TestBatch(t *testing.T) {
	s := newSite()
	open := declared("open", protocol.ScopeRead, command.NoTab, func(_ context.Context, in *command.Invocation) (command.Result, error) {
		in.Tab = "t1"
		return command.Result{Text: "opened"}, nil
	})
	open.OpensTab = true
	where := declared("where", protocol.ScopeRead, command.AnyTab, func(_ context.Context, in *command.Invocation) (command.Result, error) {
		return command.Result{Text: string(in.Tab)}, nil
	})
	fails := declared("fails", protocol.ScopeRead, command.NoTab, func(context.Context, *command.Invocation) (command.Result, error) {
		return command.Result{}, command.BadArgument("no", "")
	})
	var lines []string
	keep := false
	several := declared("several", protocol.ScopeRead, command.NoTab, func(ctx context.Context, in *command.Invocation) (command.Result, error) {
		return in.RunBatch(ctx, command.Batch{Lines: lines, KeepGoing: keep})
	})
	several.Nests = true
	all := []command.Command{open, where, fails, several}
	var notes []string
	run := func() protocol.CommandReply {
		notes = nil
		return command.New(s, plain(), all, nil).Execute(t.Context(), command.Call{
			Actor: user, Scopes: []protocol.Scope{protocol.ScopeRead}, Request: protocol.CommandRequest{Command: "several"},
			Watch: command.Watch{Note: func(n command.Note) { notes = append(notes, string(n.Phase)+" "+n.Request.Command) }},
		})
	}
	lines = []string{"where", "open", "where", "where --tab t2"}
	if reply := run(); !reply.OK || reply.Text != "1. where\nt2\n2. open\nopened\n3. where\nt1\n4. where --tab t2\nt2" {
		t.Errorf("%+v", reply)
	}
	if want := []string{"begun several", " where", " open", " where", " where"}; !slices.Equal(notes, want) {
		t.Errorf("noted %q, want %q", notes, want)
	}
	lines = []string{"fails", "where"}
	if reply := run(); reply.OK || !strings.Contains(reply.Text, "1 more were not run") || len(notes) != 2 {
		t.Errorf("%+v, %q", reply, notes)
	}
	keep = true
	if reply := run(); reply.OK || !strings.HasSuffix(reply.Text, "2. where\nt2") {
		t.Errorf("%+v", reply)
	}
	lines = []string{"where", "several"}
	if reply := run(); reply.OK || !strings.Contains(reply.Text, "command 2: several cannot stand inside of another") || len(notes) > 0 {
		t.Errorf("%+v, %q", reply, notes)
	}
}

// A reply is made from a result, also if only a part was done.
func TestReplies(t *testing.T) {
	part := declared("part", protocol.ScopeRead, command.NoTab, func(context.Context, *command.Invocation) (command.Result, error) {
		return command.Result{Text: "half", Data: map[string]int{"n": 1}, Failed: command.BadArgument("the rest is wrong", "")}, nil
	})
	slow := declared("slow", protocol.ScopeRead, command.NoTab, func(ctx context.Context, _ *command.Invocation) (command.Result, error) {
		<-ctx.Done()
		return command.Result{}, ctx.Err()
	})
	broken := declared("broken", protocol.ScopeRead, command.NoTab, func(context.Context, *command.Invocation) (command.Result, error) {
		panic("a fault")
	})
	odd := declared("odd", protocol.ScopeRead, command.NoTab, func(context.Context, *command.Invocation) (command.Result, error) {
		return command.Result{Data: func() {}}, nil
	})
	all := []command.Command{part, slow, broken, odd}
	reply := ask(t, newSite(), plain(), user, all, protocol.CommandRequest{Command: "part"})
	if reply.OK || reply.Text != "half" || string(reply.Data) != `{"n":1}` || code(reply) != protocol.CodeBadArgument {
		t.Errorf("part: %+v", reply)
	}
	reply = ask(t, newSite(), plain(), user, all, protocol.CommandRequest{Command: "slow", TimeoutMS: 1})
	if code(reply) != protocol.CodeTimeout || len(reply.Error.Next) != 1 || reply.DurationMS < float64(time.Millisecond)/1e6 {
		t.Errorf("slow: %+v", reply)
	}
	for _, name := range []string{"broken", "odd"} {
		if reply := ask(t, newSite(), plain(), user, all, protocol.CommandRequest{Command: name}); reply.OK || code(reply) != protocol.CodeInternal {
			t.Errorf("%s: %+v", name, reply)
		}
	}
	if reply := ask(t, newSite(), plain(), user, all, protocol.CommandRequest{Command: "slwo"}); code(reply) != protocol.CodeUnknownCommand || !strings.Contains(reply.Error.Hint, "slow") {
		t.Errorf("slwo: %+v", reply)
	}
}

// Steps may run concurrently.
func TestStepsSideBySide(t *testing.T) {
	where := declared("where", protocol.ScopeRead, command.AnyTab, func(_ context.Context, in *command.Invocation) (command.Result, error) {
		return command.Result{Text: string(in.Tab)}, nil
	})
	both := declared("both", protocol.ScopeRead, command.NoTab, func(ctx context.Context, in *command.Invocation) (command.Result, error) {
		replies := make([]string, 2)
		var wg sync.WaitGroup
		for i, tab := range []protocol.TabID{"t1", "t2"} {
			wg.Go(func() { replies[i] = in.Step(ctx, protocol.CommandRequest{Command: "where", Tab: tab}).Text })
		}
		wg.Wait()
		return command.Result{Text: strings.Join(replies, " ")}, nil
	})
	if reply := ask(t, newSite(), plain(), user, []command.Command{where, both}, protocol.CommandRequest{Command: "both"}); reply.Text != "t1 t2" {
		t.Errorf("%+v", reply)
	}
}

// Arguments are checked and typed before a command runs.
func TestValues(t *testing.T) {
	var got command.Values
	c := declared("all", protocol.ScopeRead, command.NoTab, func(_ context.Context, in *command.Invocation) (command.Result, error) {
		got = in.Args
		return command.Result{}, nil
	})
	c.Args = []command.Arg{
		command.DoArg("list", "set"),
		{Name: "word", Type: command.String},
		{Name: "n", Type: command.Integer, Min: 1, Max: 5},
		{Name: "yes", Type: command.Boolean},
		{Name: "clip", Type: command.ClipArg},
		{Name: "lines", Type: command.Lines},
		{Name: "files", Type: command.Paths},
	}
	args := map[string]json.RawMessage{
		"word": json.RawMessage(`"a"`), "n": json.RawMessage(`"3"`), "yes": json.RawMessage(`"on"`), "clip": json.RawMessage(`"0,1,2,3"`),
		"lines": json.RawMessage(`["a"," ","b"]`), "files": json.RawMessage(`"x, y"`), "do": json.RawMessage(`null`),
	}
	if reply := ask(t, newSite(), plain(), user, []command.Command{c}, protocol.CommandRequest{Command: "all", Args: args}); !reply.OK {
		t.Fatalf("%+v", reply)
	}
	clip := got.Clip("clip")
	if got.Text("word") != "a" || got.Number("n") != 3 || !got.Flag("yes") || clip == nil || clip.Height != 3 || got.Do("list") != "list" ||
		!slices.Equal(got.List("lines"), []string{"a", "b"}) || !slices.Equal(got.Paths("files"), []string{"x", "y"}) || got.Given("do") || !got.Given("n") {
		t.Errorf("%+v", got)
	}
	if err := got.Needs("all set", "word", "all set a"); err != nil {
		t.Error(err)
	}
	if err := got.Needs("all set", "other", "all set a"); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("%v", err)
	}
	for name, raw := range map[string]string{"n": `6`, "yes": `"perhaps"`, "clip": `"1,2"`, "lines": `[]`, "files": `""`, "do": `"other"`, "nothing": `1`} {
		if reply := ask(t, newSite(), plain(), user, []command.Command{c}, protocol.CommandRequest{Command: "all", Args: map[string]json.RawMessage{name: json.RawMessage(raw)}}); code(reply) != protocol.CodeBadArgument {
			t.Errorf("%s=%s: %+v", name, raw, reply)
		}
	}
}

// A value is unchanged after it is written into a line and parsed.
func TestQuoteWord(t *testing.T) {
	for _, v := range []string{"", "a b", `"`, `\`, `it's \"`, "${x}", "$(x)"} {
		words, err := command.SplitLine("fill " + command.QuoteWord(v))
		if err != nil || len(words) != 2 || words[1] != v {
			t.Errorf("%q became %q, %v", v, words, err)
		}
	}
}

// The error for a tab that was open says that it is closed.
func TestClosedTab(t *testing.T) {
	commands := []command.Command{declared("look", protocol.ScopeRead, command.OwnTab, says("seen")), declared("list", protocol.ScopeRead, command.NoTab, says("listed"))}
	for _, name := range []string{"look", "list"} {
		for tab, want := range map[protocol.TabID]string{"t5": "tab t5 is closed", "t9": "there is no tab t9"} {
			reply := ask(t, newSite(), plain(), user, commands, protocol.CommandRequest{Command: name, Tab: tab})
			if reply.OK || reply.Error.Code != protocol.CodeUnknownTab || reply.Error.Message != want {
				t.Errorf("%s in %s: %+v", name, tab, reply.Error)
			}
		}
		// One that is being started again has none.
		starting := newSite()
		starting.open = nil
		if reply := ask(t, starting, plain(), user, commands, protocol.CommandRequest{Command: name, Tab: "t5"}); reply.OK || reply.Error.Code != protocol.CodeNotRunning {
			t.Errorf("%s while the browser starts: %+v", name, reply.Error)
		}
	}
}
