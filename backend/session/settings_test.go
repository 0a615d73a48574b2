package session

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
)

// In approvals and in the activity, the actor is the agent that "auto" stands
// for: here, where claude is not installed, the user's shell.
func TestAutoActsAsWhatItIs(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("SHELL", "/bin/sh")
	h := newFixture(t)
	launched, err := h.s.launcher().Launch(t.Context(), terminal.Request{Terminal: "p9", Tab: "t1", Agent: protocol.AgentAuto})
	if err != nil || launched.Kind != protocol.AgentShell {
		t.Fatalf("%+v, %v", launched, err)
	}
	at := slices.IndexFunc(launched.Env, func(pair string) bool { return strings.HasPrefix(pair, protocol.EnvToken+"=") })
	if at < 0 {
		t.Fatalf("no token in %q", launched.Env)
	}
	grant, err := h.m.auth.Check(strings.TrimPrefix(launched.Env[at], protocol.EnvToken+"="), auth.CapabilityCommand)
	if err != nil || grant.Actor.Name != "your terminal in t1" || grant.Actor.Agent != "" {
		t.Errorf("%+v, %v", grant.Actor, err)
	}
}

// A new grace time also applies to terminals that already have no viewer.
func TestSavedGraceIsAskedForAtOnce(t *testing.T) {
	h := newFixture(t)
	asked := make(chan struct{}, 8)
	terminals, err := terminal.New(terminal.Config{
		Session: protocol.DefaultSession, Logger: slog.New(slog.DiscardHandler),
		Launch: func(context.Context, terminal.Request) (terminal.Launch, error) {
			return terminal.Launch{Path: "/bin/sh", Args: []string{"-c", "cat"}, Dir: t.TempDir()}, nil
		},
		Grace: func() time.Duration { asked <- struct{}{}; return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	h.s.mu.Lock()
	h.s.run = &run{terminals: terminals, attention: newAttention(h.s)}
	h.s.mu.Unlock()
	settings := h.m.Settings()
	settings.TerminalGraceMinutes = 5
	if _, err := h.m.SaveSettings(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	select {
	case <-asked:
	default:
		t.Error("nobody asked for the new grace time")
	}
	h.s.mu.Lock()
	h.s.run = nil
	h.s.mu.Unlock()
}

// A mistake in the settings file is shown until the file is mended, while the watcher of
// the run looks at it; the last valid settings stay in force.
func TestAnEditOfTheSettingsFile(t *testing.T) {
	h := newFixture(t)
	path := h.m.cfg.Settings.Path()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- watchFile(ctx, path, h.m.cfg.Settings.Reload) }()
	changes := h.m.Changes()
	defer changes.Close()
	edit := func(text string, want func(protocol.WindowState) bool) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		deadline, done := context.WithTimeout(ctx, 3*time.Minute)
		defer done()
		for !want(h.m.Window()) {
			select {
			case <-changes.C():
			case <-deadline.Done():
				t.Fatalf("%q was not noticed: %+v", text, h.m.Window().SettingsProblem)
			}
		}
	}
	edit("theme = 'dark'\n", func(w protocol.WindowState) bool { return w.Theme == protocol.ThemeDark && w.SettingsProblem == nil })
	edit("theme = 'dark'\nfont_size = 99\n", func(w protocol.WindowState) bool {
		return w.SettingsProblem != nil && w.SettingsProblem.Line == 2 && w.Theme == protocol.ThemeDark
	})
	edit("theme = 'light'\nfont_size = 9\n", func(w protocol.WindowState) bool { return w.SettingsProblem == nil && w.Theme == protocol.ThemeLight })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A repeated notice is stored once: the window distinguishes notices by their
// text.
func TestTheSameNoticeIsKeptOnce(t *testing.T) {
	r := &run{}
	for _, message := range []string{"reloaded", "reloaded", "missing", "reloaded"} {
		r.note(protocol.Error{Code: protocol.CodeInternal, Message: message})
	}
	if len(r.notices) != 2 {
		t.Errorf("%d notices, want 2", len(r.notices))
	}
}
