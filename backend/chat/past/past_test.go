package past_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pilotfish/backend/agent/history"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/past"
	"pilotfish/backend/protocol"
)

const id = "0205f437-f816-4704-b6f3-9cf7b060888c"

// lister is an agent that lists sessions.
type lister struct {
	driver.Agent
	list     []protocol.PastSession
	err      error
	startErr error
	dir      string // where it was started
	closed   int
}

func (l *lister) Start(_ context.Context, launch driver.Launch) (driver.Agent, error) {
	l.dir = launch.Dir
	return l, l.startErr
}

func (l *lister) Past(context.Context) ([]protocol.PastSession, error) { return l.list, l.err }

func (l *lister) Close(context.Context) error { l.closed++; return nil }

// mute is an agent that lists none.
type mute struct{ driver.Agent }

func (m mute) Start(context.Context, driver.Launch) (driver.Agent, error) { return m, nil }
func (m mute) Close(context.Context) error                                { return nil }
func (mute) Past(context.Context) ([]protocol.PastSession, error)         { return nil, nil }

// agents have a driver; nil for none.
type agents struct {
	chat.Agents
	driver driver.Driver
}

func (a agents) Starter(_ context.Context, kind protocol.AgentKind, _ string) (driver.Starter, error) {
	if a.driver == nil {
		return driver.Starter{}, protocol.NewError(protocol.CodeAgentMissing, "it is not installed", "")
	}
	return driver.Starter{Driver: a.driver, Launch: driver.Launch{Kind: kind, Name: "Goose", Path: "/bin/goose", Dir: "/theirs"}}, nil
}

// made returns the sessions of a home folder with one session of claude, and of agents with
// a driver.
func made(t *testing.T, d driver.Driver) *past.Sessions {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude", "projects", "-src")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	said := `{"type":"user","cwd":"/src","message":{"content":"why?"}}
{"type":"assistant","message":{"content":[{"type":"text","text":"because"}]}}
`
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	return past.New(past.Config{
		Files: history.New(home, func(string) string { return "" }), Dir: "/ours",
		Agents: agents{driver: d},
		Found: func() protocol.AgentsFile {
			return protocol.AgentsFile{Agents: []protocol.AgentInfo{{Kind: protocol.AgentClaude, Chat: "acp"}}}
		},
	})
}

func TestList(t *testing.T) {
	l := &lister{list: []protocol.PastSession{
		{Agent: "goose", AgentName: "Goose", ID: "g1", Title: "Bake\n\u202ea cake ", Folder: "/kitchen", Chat: true},
		{Agent: "goose", AgentName: "Goose", ID: "g1", Title: "the same again", Folder: "/kitchen"},
		{Agent: "goose", AgentName: "Goose", ID: "g2", Title: "nowhere", Folder: "kitchen"},
		{Agent: "goose", AgentName: "Goose", ID: "g3", Title: "\n", Folder: "/kitchen"},
	}}
	heads := []protocol.Conversation{{ID: "c1", Agent: "goose", AgentSession: "g1"}, {ID: "c2", Agent: "goose", AgentSession: id}}
	reply := made(t, l).List(t.Context(), protocol.PastSessionsRequest{Agent: "goose"}, heads)
	if reply.Problem != nil || len(reply.Sessions) != 2 || l.dir != "/ours" || l.closed != 1 {
		t.Fatalf("%+v, in %q, closed %d times", reply, l.dir, l.closed)
	}
	reply.Sessions[0].Updated = reply.Sessions[1].Updated
	want := []protocol.PastSession{
		{Agent: protocol.AgentClaude, AgentName: "Claude Code", ID: id, Title: "why?", Folder: "/src", Terminal: true, Chat: true},
		{Agent: "goose", AgentName: "Goose", ID: "g1", Title: "Bake a cake", Folder: "/kitchen", Conversation: "c1", Chat: true},
	}
	if !slices.Equal(reply.Sessions, want) {
		t.Errorf("got %+v", reply.Sessions)
	}
	// Without an agent, nobody is started.
	l.dir = ""
	if reply := made(t, l).List(t.Context(), protocol.PastSessionsRequest{}, nil); len(reply.Sessions) != 1 || l.dir != "" {
		t.Errorf("%+v, started in %q", reply, l.dir)
	}
}

// What files tell is listed even if the agent cannot be asked, with the reason.
func TestAgentsThatCannotBeAsked(t *testing.T) {
	for name, test := range map[string]struct {
		driver  driver.Driver
		problem bool
	}{
		"missing":       {nil, true},
		"does not run":  {&lister{startErr: errors.New("no such file")}, true},
		"fails":         {&lister{err: errors.New("broken")}, true},
		"needs sign-in": {&lister{err: &driver.NeedsSignIn{Why: "sign in"}}, true},
		"lists none":    {mute{}, false},
	} {
		reply := made(t, test.driver).List(t.Context(), protocol.PastSessionsRequest{Agent: "goose"}, nil)
		if len(reply.Sessions) != 1 || (reply.Problem != nil) != test.problem {
			t.Errorf("%s: %+v", name, reply)
		}
	}
}

func TestFind(t *testing.T) {
	s := made(t, nil)
	got, err := s.Find(protocol.AgentClaude, protocol.ChatStartRequest{Resume: id, Folder: "/elsewhere"})
	if err != nil || got.Folder != "/src" || got.Session != id || got.Title != "why?" || len(got.Turns) != 1 ||
		got.Turns[0].Prompt != "why?" || len(got.Turns[0].Rest) != 1 || got.Turns[0].Rest[0].Text.Text != "because" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = s.Find("goose", protocol.ChatStartRequest{Resume: "g1", Folder: "/kitchen/", Title: "a\nb"})
	if err != nil || got.Session != "g1" || got.Folder != "/kitchen" || got.Title != "a b" || got.Turns != nil {
		t.Errorf("only the agent knows it: %+v, %v", got, err)
	}
	for _, req := range []protocol.ChatStartRequest{{Resume: "g1"}, {Resume: "g1", Folder: "kitchen"}} {
		if _, err := s.Find("goose", req); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if got, err := s.Find("goose", protocol.ChatStartRequest{}); err != nil || got.Session != "" {
		t.Errorf("nothing is continued: %+v, %v", got, err)
	}
}
