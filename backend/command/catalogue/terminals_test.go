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

// terminalsFake has terminals that say what they were asked.
type terminalsFake struct {
	all  []protocol.TerminalInfo
	sent []string
	fail error
}

func (f *terminalsFake) List() []protocol.TerminalInfo { return f.all }

func (f *terminalsFake) text(id protocol.TerminalID) protocol.TerminalText {
	return protocol.TerminalText{Terminal: protocol.TerminalInfo{ID: id, State: protocol.TerminalLive, Status: protocol.AgentIdle}, Lines: []string{"obey-me", "second"}}
}

func (f *terminalsFake) Read(id protocol.TerminalID, _ int) (protocol.TerminalText, error) {
	return f.text(id), f.fail
}

func (f *terminalsFake) Send(id protocol.TerminalID, text string, keys []protocol.TerminalKey) error {
	for _, key := range keys {
		text += "<" + string(key) + ">"
	}
	f.sent = append(f.sent, string(id)+": "+text)
	return f.fail
}

func (f *terminalsFake) Wait(_ context.Context, id protocol.TerminalID, q protocol.TerminalWait) (protocol.TerminalText, error) {
	f.sent = append(f.sent, string(id)+" until "+string(q.For)+" "+q.Text)
	return f.text(id), f.fail
}

// terminalCall runs `terminal` by an actor. With an answer, the user gives it to every
// question; the questions are returned.
func terminalCall(f *terminalsFake, by protocol.Actor, own protocol.TabID, answer protocol.ApprovalAnswer, rules []protocol.SiteRule, args map[string]any) (protocol.CommandReply, []protocol.Approval) {
	var asked []protocol.Approval
	var broker *policy.Broker
	broker = policy.NewBroker("default", func() {
		for _, p := range broker.Pending() {
			asked = append(asked, p)
			_ = broker.Answer(p.ID, answer)
		}
	})
	p := policy.New(policy.Config{Rules: policy.NewRules(rules, nil), Broker: broker})
	registry := catalogue.New(catalogue.Config{Browser: newTabs(), Policy: p, Terminals: f})
	reply := registry.Execute(context.Background(), command.Call{Actor: by, Scopes: scopesOf(by), Tab: own, Request: request("terminal", args)})
	return reply, asked
}

func scopesOf(by protocol.Actor) []protocol.Scope {
	if !policy.Agent(by) {
		return everything()
	}
	return []protocol.Scope{protocol.ScopeRead, protocol.ScopeAct}
}

func twoTabs() *terminalsFake {
	return &terminalsFake{all: []protocol.TerminalInfo{
		{ID: "aa11", Tab: "t1", Agent: "claude", Name: "Claude Code", State: protocol.TerminalLive, Status: protocol.AgentIdle, Title: "obey-me"},
		{ID: "bb22", Tab: "t1", Agent: "shell", Name: "bash", State: protocol.TerminalLive, Status: protocol.AgentIdle},
		{ID: "cc33", Tab: "t2", Agent: "shell", Name: "zsh", State: protocol.TerminalEnded, Exit: &protocol.Exit{Code: 2}},
	}}
}

// Who is asked about what, whatever the site rules say.
func TestTerminalsAreAsked(t *testing.T) {
	claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "aa11", Agent: "Claude Code", Tab: "t1"}
	allow := []protocol.SiteRule{{Site: "*", Kind: protocol.ActionSensitive, Decision: protocol.SiteAllow}}
	deny := []protocol.SiteRule{{Site: "*", Kind: protocol.ActionSensitive, Decision: protocol.SiteDeny}}
	for name, c := range map[string]struct {
		by     protocol.Actor
		args   map[string]any
		rules  []protocol.SiteRule
		answer protocol.ApprovalAnswer
		asks   int
		code   protocol.Code
	}{
		"list of the own tab":                {claude, nil, nil, protocol.AnswerDeny, 0, ""},
		"list of all":                        {claude, map[string]any{"all": true}, allow, protocol.AnswerOnce, 1, ""},
		"list of all, denied":                {claude, map[string]any{"all": true}, nil, protocol.AnswerDeny, 1, protocol.CodeDenied},
		"read beside":                        {claude, map[string]any{"do": "read", "id": "bb"}, nil, protocol.AnswerOnce, 1, ""},
		"read beside, denied":                {claude, map[string]any{"do": "read", "id": "bb"}, nil, protocol.AnswerDeny, 1, protocol.CodeDenied},
		"read beside, by a rule":             {claude, map[string]any{"do": "read", "id": "bb"}, allow, protocol.AnswerDeny, 0, ""},
		"read elsewhere":                     {claude, map[string]any{"do": "read", "id": "cc"}, allow, protocol.AnswerOnce, 1, ""},
		"wait elsewhere, denied":             {claude, map[string]any{"do": "wait", "id": "cc", "text": "x"}, allow, protocol.AnswerDeny, 1, protocol.CodeDenied},
		"send, though a rule allows":         {claude, map[string]any{"do": "send", "text": "ls"}, allow, protocol.AnswerOnce, 1, ""},
		"send, denied":                       {claude, map[string]any{"do": "send", "text": "ls"}, allow, protocol.AnswerDeny, 1, protocol.CodeDenied},
		"send, and a rule denies":            {claude, map[string]any{"do": "send", "text": "ls"}, deny, protocol.AnswerOnce, 0, protocol.CodeRefused},
		"send to itself":                     {claude, map[string]any{"do": "send", "id": "aa11", "text": "ls"}, allow, protocol.AnswerOnce, 0, protocol.CodeRefused},
		"wait for itself":                    {claude, map[string]any{"do": "wait", "id": "aa11"}, allow, protocol.AnswerOnce, 0, protocol.CodeRefused},
		"the user":                           {user, map[string]any{"do": "send", "id": "cc", "text": "ls"}, nil, protocol.AnswerDeny, 0, ""},
		"an unknown one":                     {claude, map[string]any{"do": "read", "id": "dd"}, allow, protocol.AnswerOnce, 0, protocol.CodeUnknownTerminal},
		"nothing to type":                    {claude, map[string]any{"do": "send"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a key that is none":                 {claude, map[string]any{"do": "send", "keys": "Hyper"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a control character":                {claude, map[string]any{"do": "send", "text": "ls\x03"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a character that turns the text":    {claude, map[string]any{"do": "send", "text": "ls\u202e"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a hidden character":                 {claude, map[string]any{"do": "send", "text": "ls\u200b"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a joiner that joins nothing":        {claude, map[string]any{"do": "send", "text": "ls \u200d"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"letters that no flag has":           {claude, map[string]any{"do": "send", "text": "x\U000e0067"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"Persian":                            {claude, map[string]any{"do": "send", "text": "می\u200cشود"}, allow, protocol.AnswerOnce, 1, ""},
		"Hindi":                              {claude, map[string]any{"do": "send", "text": "क्\u200dष"}, allow, protocol.AnswerOnce, 1, ""},
		"a family":                           {claude, map[string]any{"do": "send", "text": "👨\u200d👩\u200d👧"}, allow, protocol.AnswerOnce, 1, ""},
		"a keycap and accents":               {claude, map[string]any{"do": "send", "text": "1\ufe0f\u20e3 cafe\u0301"}, allow, protocol.AnswerOnce, 1, ""},
		"a flag":                             {claude, map[string]any{"do": "send", "text": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"}, allow, protocol.AnswerOnce, 1, ""},
		"more than a question shows":         {claude, map[string]any{"do": "send", "text": strings.Repeat("x", protocol.MaxTerminalInput+1)}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"a text to wait for that is none":    {claude, map[string]any{"do": "wait", "until": "text"}, allow, protocol.AnswerOnce, 0, protocol.CodeBadArgument},
		"several could be meant, for a user": {user, map[string]any{"do": "read"}, nil, protocol.AnswerOnce, 0, protocol.CodeAmbiguous},
	} {
		f := twoTabs()
		reply, asked := terminalCall(f, c.by, "t1", c.answer, c.rules, c.args)
		if code(reply) != c.code || len(asked) != c.asks || reply.OK != (c.code == "") {
			t.Errorf("%s: asked %d times, %+v", name, len(asked), reply)
		}
		if c.code != "" && len(f.sent) > 0 {
			t.Errorf("%s: %q", name, f.sent)
		}
		for _, q := range asked {
			if c.args["do"] == "send" && (!strings.Contains(q.Args[len(q.Args)-1].Value, "bash in t1 (bb22)") || q.Site != "") {
				t.Errorf("%s: the user is asked %+v", name, q)
			}
		}
	}
}

func TestTerminalSays(t *testing.T) {
	claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "aa11", Agent: "Claude Code", Tab: "t1"}
	f := twoTabs()
	reply, _ := terminalCall(f, claude, "t1", protocol.AnswerOnce, nil, nil)
	before, said, _ := strings.Cut(reply.Text, "<page-")
	if strings.Contains(reply.Text, "cc33") || !strings.Contains(before, "you run here") || strings.Contains(before, "obey-me") || !strings.Contains(said, "obey-me") {
		t.Errorf("list: %s", reply.Text)
	}
	reply, _ = terminalCall(f, claude, "t1", protocol.AnswerOnce, nil, map[string]any{"do": "read"})
	if before, _, _ := strings.Cut(reply.Text, "<page-"); strings.Contains(before, "obey-me") || !strings.Contains(reply.Text, "obey-me\nsecond") {
		t.Errorf("read: %s", reply.Text)
	}
	own, _ := terminalCall(f, user, "t1", protocol.AnswerOnce, nil, map[string]any{"do": "read", "id": "bb"})
	if strings.Contains(own.Text, "<page-") || !strings.Contains(own.Text, "obey-me") {
		t.Errorf("a user reads: %s", own.Text)
	}
	all, _ := terminalCall(f, user, "", protocol.AnswerOnce, nil, nil)
	if !strings.Contains(all.Text, "cc33") || !strings.Contains(all.Text, "ended with code 2") {
		t.Errorf("a user lists: %s", all.Text)
	}
	for _, args := range []map[string]any{
		{"do": "send", "text": "ls", "keys": "enter, ctrl+c"}, {"do": "wait", "text": "done"}, {"do": "wait"}, {"do": "wait", "until": "exit"},
	} {
		if reply, _ := terminalCall(f, claude, "t1", protocol.AnswerOnce, nil, args); !reply.OK {
			t.Errorf("%v: %s", args, reply.Text)
		}
	}
	want := []string{"bb22: ls<Enter><Ctrl+C>", "bb22 until text done", "bb22 until quiet ", "bb22 until exit "}
	if strings.Join(f.sent, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", f.sent)
	}
	if none, _ := terminalCall(&terminalsFake{}, claude, "t1", protocol.AnswerOnce, nil, nil); !none.OK || !strings.Contains(none.Text, "no terminal") {
		t.Errorf("none: %s", none.Text)
	}
	f.fail = protocol.NewError(protocol.CodeNotRunning, "nothing runs in this terminal", "")
	for _, do := range []string{"read", "send", "wait"} {
		if reply, _ := terminalCall(f, claude, "t1", protocol.AnswerOnce, nil, map[string]any{"do": do, "text": "x"}); code(reply) != protocol.CodeNotRunning {
			t.Errorf("%s: %+v", do, reply)
		}
	}
}

// While the user is asked, another terminal may come to have the same name.
func TestTheTerminalThatWasAskedAbout(t *testing.T) {
	f := twoTabs()
	claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "aa11", Tab: "t1"}
	var broker *policy.Broker
	broker = policy.NewBroker("default", func() {
		for _, p := range broker.Pending() {
			f.all[1] = protocol.TerminalInfo{ID: "bb99", Tab: "t1", Name: "root shell"}
			_ = broker.Answer(p.ID, protocol.AnswerOnce)
		}
	})
	registry := catalogue.New(catalogue.Config{Browser: newTabs(), Policy: policy.New(policy.Config{Rules: policy.NewRules(nil, nil), Broker: broker}), Terminals: f})
	reply := registry.Execute(context.Background(), command.Call{Actor: claude, Scopes: scopesOf(claude), Tab: "t1", Request: request("terminal", map[string]any{"do": "send", "id": "bb", "text": "ls"})})
	if code(reply) != protocol.CodeRefused || len(f.sent) > 0 {
		t.Errorf("%+v %q", reply, f.sent)
	}
}
