package session

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// withActivity returns a manager whose sessions do not run: the activity and the
// access to files do not depend on a run.
func withActivity(t *testing.T) *Manager {
	t.Helper()
	home := t.TempDir()
	dirs := config.Dirs{Config: filepath.Join(home, "config"), State: filepath.Join(home, "state")}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	settings, err := config.Open(dirs.SettingsFile())
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{Dirs: dirs, Settings: settings, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.eachSession(func(s *Session) { s.recorder.Close() }) })
	return m
}

func agentGrant(id string) auth.Grant {
	return auth.Grant{
		Kind: auth.KindAgent, Session: protocol.DefaultSession, Tab: "t1",
		Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: id, Name: "claude in t1"}, Scopes: auth.Scopes{protocol.ScopeRead},
	}
}

func cliGrant() auth.Grant {
	return auth.Grant{Kind: auth.KindCLI, Actor: protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}}
}

func TestEveryCommandIsRecordedAndEachSeesItsOwn(t *testing.T) {
	m := withActivity(t)
	for _, grant := range []auth.Grant{agentGrant("a"), agentGrant("b"), cliGrant()} {
		reply := gateway{m}.Command(t.Context(), grant, protocol.CommandRequest{Command: "goto", Args: map[string]json.RawMessage{
			"url": json.RawMessage(`"http://a.test/?token=hunter2"`), "passwrod": json.RawMessage(`"hunter2"`),
		}}, nil)
		if reply.OK || reply.Error.Code != protocol.CodeNotRunning {
			t.Fatalf("%+v", reply)
		}
	}
	s, err := m.Session(protocol.DefaultSession)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		grant auth.Grant
		want  []uint64
	}{{agentGrant("a"), []uint64{1}}, {agentGrant("b"), []uint64{2}}, {cliGrant(), []uint64{1, 2, 3}}, {auth.Grant{Kind: auth.KindPanel, Session: protocol.DefaultSession}, []uint64{1, 2, 3}}} {
		page, err := s.recorder.History(c.grant, 0, 10)
		if err != nil || len(page.Entries) != len(c.want) {
			t.Fatalf("%s: %+v, %v", c.grant.Kind, page, err)
		}
		for i, e := range page.Entries {
			if e.Index != c.want[i] || e.Command != "goto" || e.Code != protocol.CodeNotRunning || e.Session != protocol.DefaultSession {
				t.Errorf("%s: %+v", c.grant.Kind, e)
			}
			// An argument that the registry does not know may be a secret in the wrong
			// place.
			if e.Args["url"] != "http://a.test/?token=•••" || e.Args["passwrod"] != "•••" {
				t.Errorf("%+v", e.Args)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	items, err := s.recorder.Follow(ctx, agentGrant("b"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range items {
		if err != nil || item.Entry.Index != 2 {
			t.Fatalf("%+v, %v", item, err)
		}
		break
	}
}

func TestWaitIdleWaitsForTheLastCommand(t *testing.T) {
	m := withActivity(t)
	end := m.use.Begin()
	idle := make(chan error, 1)
	go func() { idle <- m.WaitIdle(t.Context(), time.Millisecond) }()
	m.use.Begin()() // another command begins and ends
	select {
	case err := <-idle:
		t.Fatalf("idle while a command runs: %v", err)
	default:
	}
	end()
	if err := <-idle; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.WaitIdle(ctx, time.Hour); err == nil {
		t.Error("WaitIdle does not end with its context")
	}
}
