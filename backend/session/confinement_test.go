package session

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// The first page knows why agents cannot be confined, also when it is asked for
// before that was found out.
func TestTheWelcomePageKnowsThatNothingIsConfined(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the program that confines belongs to the system")
	}
	t.Setenv("PATH", t.TempDir()) // without bubblewrap
	dir := t.TempDir()
	dirs := config.Dirs{Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state")}
	settings, err := config.Open(dirs.SettingsFile())
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{
		Dirs: dirs, Settings: settings, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	page, written := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(written)
		gateway{m}.welcome(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/welcome", nil))
	}()
	m.confine.Run(t.Context(), "")
	<-written
	if problem := m.confine.Problem(); problem == nil || problem.Code != protocol.CodeNotConfined || problem.Hint == "" || !strings.Contains(page.Body.String(), problem.Message) {
		t.Errorf("because of %v the page says %s", problem, page.Body)
	}
}

// No agent starts once the folder of the state is another one: the one in use would be seen.
func TestNoAgentWhereTheStateWasReplaced(t *testing.T) {
	h := newFixture(t)
	h.m.confine.Run(t.Context(), "")
	folders, err := h.s.confinement(t.Context(), protocol.AgentClaude, false)
	if err != nil || runtime.GOOS == "linux" && folders == nil {
		t.Fatalf("before: %v, %v", folders, err)
	}
	state := h.m.cfg.Dirs.State
	if err := os.Rename(state, state+".old"); err != nil {
		t.Fatal(err)
	}
	for _, replace := range []func() error{
		func() error { return nil },
		func() error { return os.Mkdir(state, 0o700) },
		func() error { return os.Remove(state) },
		func() error { return os.Symlink(t.TempDir(), state) },
	} {
		if err := replace(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.s.confinement(t.Context(), protocol.AgentClaude, false); err == nil || protocol.AsError(err).Code != protocol.CodeNotConfined {
			t.Errorf("an agent would start: %v", err)
		}
	}
}
