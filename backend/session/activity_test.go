package session

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// recording is a manager whose sessions do not run: what is recorded and given
// out does not depend on it.
func recording(t *testing.T) (*Manager, config.SessionDirs) {
	t.Helper()
	home := t.TempDir()
	dirs := config.Dirs{Config: filepath.Join(home, "config"), State: filepath.Join(home, "state")}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{Dirs: dirs, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.eachSession(func(s *Session) { s.closeActivity() }) })
	own, err := dirs.Session(protocol.DefaultSession)
	if err != nil {
		t.Fatal(err)
	}
	return m, own
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
	m, _ := recording(t)
	for _, grant := range []auth.Grant{agentGrant("a"), agentGrant("b"), cliGrant()} {
		reply := m.Command(t.Context(), grant, protocol.CommandRequest{Command: "goto", Args: map[string]json.RawMessage{
			"url": json.RawMessage(`"http://a.test/?token=hunter2"`), "passwrod": json.RawMessage(`"hunter2"`),
		}}, nil)
		if reply.OK || reply.Error.Code != protocol.CodeNotRunning {
			t.Fatalf("%+v", reply)
		}
	}
	for _, c := range []struct {
		grant auth.Grant
		want  []uint64
	}{{agentGrant("a"), []uint64{1}}, {agentGrant("b"), []uint64{2}}, {cliGrant(), []uint64{1, 2, 3}}, {auth.Grant{Kind: auth.KindPanel, Session: protocol.DefaultSession}, []uint64{1, 2, 3}}} {
		page, err := m.Activity(t.Context(), c.grant, 0, 10)
		if err != nil || len(page.Entries) != len(c.want) {
			t.Fatalf("%s: %+v, %v", c.grant.Kind, page, err)
		}
		for i, e := range page.Entries {
			if e.Index != c.want[i] || e.Command != "goto" || e.Code != protocol.CodeNotRunning || e.Session != protocol.DefaultSession {
				t.Errorf("%s: %+v", c.grant.Kind, e)
			}
			// What the registry does not know may be a secret in the wrong place.
			if e.Args["url"] != "http://a.test/?token=•••" || e.Args["passwrod"] != "•••" {
				t.Errorf("%+v", e.Args)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	items, err := m.FollowActivity(ctx, agentGrant("b"), 0)
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

func TestFilesAreTheSessionsAndAnAgentsItsOwn(t *testing.T) {
	m, dirs := recording(t)
	write := func(path string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mine := write(filepath.Join(dirs.Screenshots, "mine.png"))
	other := write(filepath.Join(dirs.Downloads, "other.pdf"))
	secret := write(filepath.Join(dirs.Root, "session.json"))
	link := filepath.Join(dirs.Screenshots, "link.png")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	s, err := m.Session(protocol.DefaultSession)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(protocol.Screenshot{Path: mine})
	if err != nil {
		t.Fatal(err)
	}
	s.keepFiles(agentGrant("a").Actor, "screenshot", protocol.CommandReply{OK: true, Data: data})
	// What a page says in a reply's data must not open anything.
	stolen, err := json.Marshal(map[string]any{"path": secret, "paths": []string{link}})
	if err != nil {
		t.Fatal(err)
	}
	s.keepFiles(agentGrant("a").Actor, "screenshot", protocol.CommandReply{OK: true, Data: stolen})
	planted, err := json.Marshal(map[string]any{"path": other})
	if err != nil {
		t.Fatal(err)
	}
	s.keepFiles(agentGrant("a").Actor, "text", protocol.CommandReply{OK: true, Data: planted})

	for _, c := range []struct {
		grant auth.Grant
		path  string
		open  bool
	}{
		{cliGrant(), mine, true},
		{cliGrant(), other, true},
		{cliGrant(), "screenshots/mine.png", true},
		{agentGrant("a"), mine, true},
		{agentGrant("a"), "screenshots/../screenshots/mine.png", true},
		{agentGrant("b"), mine, false},
		{agentGrant("a"), other, false},
		{agentGrant("a"), secret, false},
		{agentGrant("a"), link, false},
		{cliGrant(), link, false},
		{cliGrant(), secret, false},
		{cliGrant(), "screenshots/../session.json", false},
		{cliGrant(), filepath.Join(dirs.Screenshots, "..", "session.json"), false},
		{cliGrant(), "/etc/passwd", false},
		{cliGrant(), "../../../pilotfish.json", false},
		{cliGrant(), dirs.Screenshots, false},
		{cliGrant(), "screenshots/none.png", false},
		{cliGrant(), "", false},
	} {
		f, err := m.File(t.Context(), c.grant, c.path)
		if c.open != (err == nil) {
			t.Errorf("%s, %q: %v, want open %v", c.grant.Actor.ID, c.path, err, c.open)
		}
		if err != nil {
			if protocol.AsError(err).Code != protocol.CodeRefused {
				t.Errorf("%q: %v", c.path, err)
			}
			continue
		}
		if text, err := io.ReadAll(f); err != nil || string(text) != filepath.Base(c.path) {
			t.Errorf("%q has %q, %v", c.path, text, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWaitIdleWaitsForTheLastCommand(t *testing.T) {
	m, _ := recording(t)
	end := m.use.begin()
	idle := make(chan error, 1)
	go func() { idle <- m.WaitIdle(t.Context(), time.Millisecond) }()
	m.use.begin()() // another one comes and goes
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

// Secrets are in no activity, also where a chain's lines have them.
func TestSecretArgumentsAreNotRecorded(t *testing.T) {
	m := newHouse(t).m
	for _, one := range []struct {
		command, arg string
		secret       bool
	}{
		{"state", "passphrase", true},
		{"state", "name", false},
		{"chain", "commands", true},
		{"cookies", "value", true},
		{"fill", "value", true},
		{"fill", "target", false},
		{"nothing", "known", true},
	} {
		if got := m.secretArgument(one.command, one.arg); got != one.secret {
			t.Errorf("%s %s: secret is %v", one.command, one.arg, got)
		}
	}
}
