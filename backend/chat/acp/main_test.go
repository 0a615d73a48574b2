//go:build unix

package acp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/chat/acp"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// limit ends a test that hangs; no test takes this long.
const limit = 3 * time.Minute

const envScripted = "ACP_TEST_SCRIPTED"

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "scripted")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(folder, "scripted")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./fakes/scripted").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the scripted agent: %v\n%s", err, out)
		os.Exit(1)
	}
	if err := os.Setenv(envScripted, program); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // it is in the system's temporary folder
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// start starts a scripted agent that ends with the test.
func start(t *testing.T, args ...string) driver.Agent {
	t.Helper()
	return startKind(t, "scripted", args...)
}

func startKind(t *testing.T, kind protocol.AgentKind, args ...string) driver.Agent {
	t.Helper()
	a, err := acp.New(acp.Config{Version: "test"}).Start(context.WithoutCancel(t.Context()), driver.Launch{
		Kind: kind, Name: "Scripted", Path: os.Getenv(envScripted), Args: args, Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH"), "COLOUR=green"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return a
}

// within returns a context that ends a test that hangs.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// open opens a new session.
func open(t *testing.T, a driver.Agent) (driver.Session, *sink) {
	t.Helper()
	return openWith(t, a, driver.SessionConfig{})
}

func openWith(t *testing.T, a driver.Agent, cfg driver.SessionConfig) (driver.Session, *sink) {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	s := newSink()
	session, err := a.Open(within(t), cfg, s)
	if err != nil {
		t.Fatal(err)
	}
	return session, s
}

// prompt runs a turn and checks that it ends normally.
func prompt(t *testing.T, s driver.Session, words string) {
	t.Helper()
	end, err := s.Prompt(within(t), driver.Prompt{Text: words})
	if err != nil {
		t.Fatal(err)
	}
	if end.Reason != protocol.EndDone {
		t.Fatalf("the turn ended with %s", end.Reason)
	}
}

// sink records what it receives, and answers questions by its function.
type sink struct {
	mu      sync.Mutex
	log     []string // what was received, in order: a short form of an update, or "ask TITLE"
	updates []driver.Update
	asks    []driver.Ask
	answer  func(ask driver.Ask, ctx context.Context, answer func(string))
	changed chan struct{} // has room for one
}

func newSink() *sink {
	return &sink{changed: make(chan struct{}, 1), answer: func(_ driver.Ask, _ context.Context, answer func(string)) { answer("yes") }}
}

func (s *sink) note(line string) {
	s.log = append(s.log, line)
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *sink) Update(u driver.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates = append(s.updates, u)
	s.note(brief(u))
}

func (s *sink) Ask(ctx context.Context, ask driver.Ask, answer func(string)) {
	s.mu.Lock()
	s.asks = append(s.asks, ask)
	s.note("ask " + *ask.Tool.Title)
	s.mu.Unlock()
	s.answer(ask, ctx, answer)
}

// wait waits for a line of the log.
func (s *sink) wait(t *testing.T, line string) {
	t.Helper()
	ctx := within(t)
	for {
		s.mu.Lock()
		log := strings.Join(s.log, "\n")
		s.mu.Unlock()
		if strings.Contains(log, line) {
			return
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			t.Fatalf("%q did not come; what came is\n%s", line, log)
		}
	}
}

// text returns all text so far.
func (s *sink) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, u := range s.updates {
		if u.Text != nil {
			b.WriteString(u.Text.Text)
		}
	}
	return b.String()
}

// history returns the log without the updates of the session's state.
func (s *sink) history() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, line := range s.log {
		if !strings.HasPrefix(line, "options") {
			out = append(out, line)
		}
	}
	return out
}

// tools returns the merged tool calls: missing fields keep their old value.
func (s *sink) tools() []driver.ToolUpdate {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []driver.ToolUpdate
	for _, u := range s.updates {
		if u.Tool == nil {
			continue
		}
		at := -1
		for i := range out {
			if out[i].Call == u.Tool.Call {
				at = i
			}
		}
		if at < 0 {
			out = append(out, *u.Tool)
			continue
		}
		if u.Tool.Title != nil {
			out[at].Title = u.Tool.Title
		}
		if u.Tool.Status != nil {
			out[at].Status = u.Tool.Status
		}
		if u.Tool.Content != nil {
			out[at].Content, out[at].Images = u.Tool.Content, u.Tool.Images
		}
	}
	return out
}

// brief returns a short form of an update.
func brief(u driver.Update) string {
	switch {
	case u.Text != nil && u.Text.Image != nil:
		return "picture " + u.Text.Image.Mime
	case u.Text != nil:
		return "text " + u.Text.Text
	case u.Thought != nil:
		return "thought " + u.Thought.Text
	case u.User != nil:
		return "user " + u.User.Text
	case u.Tool != nil:
		status := "-"
		if u.Tool.Status != nil {
			status = string(*u.Tool.Status)
		}
		return "tool " + status
	case u.Plan != nil:
		line := "plan"
		for _, item := range u.Plan {
			line += " " + item.Status
		}
		return line
	case u.Commands != nil:
		line := "commands"
		for _, c := range u.Commands {
			line += " /" + c.Name
		}
		return line
	case u.Options != nil:
		line := "options"
		for _, o := range u.Options {
			line += " " + o.ID + "=" + o.Value
		}
		return line
	case u.Usage != nil:
		return fmt.Sprintf("usage %d/%d %.2f %s", u.Usage.Context, u.Usage.ContextSize, u.Usage.Cost, u.Usage.Currency)
	case u.Title != nil:
		return "title " + *u.Title
	case u.Notice != nil:
		return "notice " + *u.Notice
	}
	return "nothing"
}
