package session

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/backend/approval"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
	"pilotfish/backend/trust"
)

// planted is a folder with a hook in it, and an agent that runs hooks as the real
// ones do.
type planted struct {
	s            *Session
	changed      chan struct{} // gets a value when what is asked changes
	project, own string
	// ran exists once the hook has run. started is what agents write: each its folder,
	// when it has run the hooks there.
	ran       string
	started   *bufio.Reader
	terminals *terminal.Manager
}

// agentWithHooks runs the command of a hook in its folder and then waits.
const agentWithHooks = `#!/bin/sh
[ ! -f .claude/settings.json ] || sh -c "$(sed -n 's/.*"command": "\(.*\)".*/\1/p' .claude/settings.json)"
pwd >%s
exec cat
`

func plant(t *testing.T) *planted {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dirs := config.Dirs{Config: filepath.Join(dir, "config"), State: filepath.Join(dir, "state")}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	kept, err := config.Open(dirs.SettingsFile())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	m, err := New(Config{Dirs: dirs, Settings: kept, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	p := &planted{
		s: m.sessions[protocol.DefaultSession], changed: make(chan struct{}, 1), project: filepath.Join(dir, "project"), own: dirs.Of(protocol.DefaultSession).Work,
		ran: filepath.Join(dir, "ran"),
	}
	pipe := filepath.Join(dir, "started")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Open for both, so that it does not end with an agent that has written.
	started, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = started.Close() })
	if err := started.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	p.started = bufio.NewReader(started)
	program := filepath.Join(dir, "agent")
	if err := os.WriteFile(program, fmt.Appendf(nil, agentWithHooks, pipe), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.project, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.hook(t, "touch "+p.ran)
	settings := kept.Get()
	settings.WorkDir, settings.ConfineAgents, settings.AgentCommand = p.project, false, program
	if _, err := kept.Save(settings); err != nil {
		t.Fatal(err)
	}
	events := hub.New[any](1)
	events.Observe(func(event any) {
		switch e := event.(type) {
		case protocol.TerminalGoneEvent:
			p.s.launcher().Ended(e.Terminal)
		case approval.Changed:
			select {
			case p.changed <- struct{}{}:
			default:
			}
		}
	})
	p.s.approvals = approval.New(approval.Config{Session: p.s.name, Logger: log, Events: events})
	p.terminals, err = terminal.New(terminal.Config{
		Launch: p.s.launcher().Launch, Logger: log, Events: events,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.s.mu.Lock()
	p.s.run = new(run)
	p.s.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = p.terminals.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		p.s.mu.Lock()
		p.s.run = nil
		p.s.mu.Unlock()
	})
	return p
}

func (p *planted) hook(t *testing.T, command string) {
	t.Helper()
	text := fmt.Sprintf(`{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": %q}]}]}}`, command)
	if err := os.WriteFile(filepath.Join(p.project, ".claude", "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *planted) start(t *testing.T, kind protocol.AgentKind) protocol.TerminalInfo {
	t.Helper()
	info, err := p.terminals.Start(t.Context(), protocol.PtySessionRequest{Tab: "t1", Agent: kind, Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// until waits until as many questions are asked, and returns them.
func (p *planted) until(t *testing.T, n int) []protocol.Approval {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		list := p.s.approvals.Pending()
		if len(list) == n {
			return list
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			t.Fatalf("asked is %+v", list)
		}
	}
}

// question waits for the question about the folder.
func (p *planted) question(t *testing.T) protocol.Approval {
	t.Helper()
	return p.until(t, 1)[0]
}

func (p *planted) answer(t *testing.T, answer protocol.ApprovalAnswer) {
	t.Helper()
	if err := p.s.approvals.Answer(p.question(t).ID, answer, "panel"); err != nil {
		t.Fatal(err)
	}
}

// folder returns the folder of the agent that has started.
func (p *planted) folder(t *testing.T) string {
	t.Helper()
	dir, err := p.started.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(dir)
}

func (p *planted) hasRun() bool {
	_, err := os.Stat(p.ran)
	return err == nil
}

// THREATS 31: a hook in a folder that the user chose runs after the user trusts the
// folder, and not before. Then nobody is asked again until the hook changes.
func TestHooksOfAFolderRunWhenItIsTrusted(t *testing.T) {
	p := plant(t)
	info := p.start(t, protocol.AgentCustom)
	asked := p.question(t)
	if info.State != protocol.TerminalStarting || info.PID != 0 || p.hasRun() {
		t.Fatalf("before the answer: %+v, the hook has run: %t", info, p.hasRun())
	}
	hooks := filepath.Join(p.project, ".claude", "settings.json")
	if i := slices.IndexFunc(asked.Args, func(a protocol.ApprovalArg) bool { return a.Value == hooks }); i < 0 || asked.Actor.ID != string(info.ID) {
		t.Errorf("asked %+v", asked)
	}
	p.answer(t, protocol.AnswerAlways)
	if dir := p.folder(t); dir != p.project || !p.hasRun() {
		t.Errorf("the agent is in %s, the hook has run: %t", dir, p.hasRun())
	}
	p.start(t, protocol.AgentCustom)
	if dir := p.folder(t); dir != p.project || len(p.s.approvals.Pending()) != 0 {
		t.Errorf("the next agent is in %s, asked %+v", dir, p.s.approvals.Pending())
	}
	p.hook(t, "touch "+p.ran+" again")
	if info := p.start(t, protocol.AgentCustom); info.State != protocol.TerminalStarting {
		t.Errorf("with another hook: %+v", info)
	}
	p.answer(t, protocol.AnswerDeny)
	if dir := p.folder(t); dir != p.own {
		t.Errorf("denied, the agent is in %s", dir)
	}
}

// Where the user denies it, agents start in Pilotfish's own folder until the app
// ends, and nobody is asked again for each of them.
func TestHooksOfAFolderThatIsDenied(t *testing.T) {
	p := plant(t)
	p.start(t, protocol.AgentCustom)
	p.start(t, protocol.AgentCustom)
	if p.question(t); len(p.s.approvals.Pending()) != 1 {
		t.Errorf("asked %+v", p.s.approvals.Pending())
	}
	p.answer(t, protocol.AnswerDeny)
	for range 2 {
		if dir := p.folder(t); dir != p.own {
			t.Errorf("the agent is in %s", dir)
		}
	}
	launch, err := conversations{p.s}.Folder(t.Context(), protocol.Actor{}, "t1", driver.Launch{Kind: protocol.AgentCustom, Path: "agent", Dir: p.project, Env: []string{"PWD=" + p.project}})
	if err != nil || launch.Dir != p.own || !slices.Equal(launch.Env, []string{"PWD=" + p.own}) {
		t.Errorf("in Chat the agent starts with %+v, %v", launch, err)
	}
	if p.hasRun() {
		t.Error("the hook has run")
	}
}

// "Once" counts for one start. In Chat the same is asked, and an agent does not start
// while nobody answers.
func TestHooksOfAFolderOnce(t *testing.T) {
	p := plant(t)
	p.start(t, protocol.AgentCustom)
	p.answer(t, protocol.AnswerOnce)
	if dir := p.folder(t); dir != p.project {
		t.Errorf("the agent is in %s", dir)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := conversations{p.s}.Folder(ctx, protocol.Actor{}, "t1", driver.Launch{Kind: "codex", Name: "Codex", Path: "codex", Dir: p.project})
		ended <- err
	}()
	if asked := p.question(t); asked.Actor.Agent != "Codex" {
		t.Errorf("asked %+v", asked)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("an agent starts without an answer")
	}
}

// Without a window nobody can answer: the agent ends at once, with the command that trusts
// the folder, in a terminal and in Chat.
func TestHooksOfAFolderWithoutAWindow(t *testing.T) {
	p := plant(t)
	p.s.m.cfg.Headless = true
	launched, err := p.s.launcher().Launch(t.Context(), terminal.Request{Terminal: "p9", Tab: "t1", Agent: protocol.AgentCustom})
	if err != nil {
		t.Fatal(err)
	}
	_, terminalErr := launched.Wait(t.Context())
	_, chatErr := conversations{p.s}.Folder(t.Context(), protocol.Actor{}, "t1", driver.Launch{Kind: "codex", Name: "Codex", Path: "codex", Dir: p.project})
	for place, err := range map[string]error{"a terminal": terminalErr, "Chat": chatErr} {
		if e := protocol.AsError(err); e == nil || e.Code != protocol.CodeRefused || len(e.Next) != 1 || e.Next[0].Line() != "trust "+p.project+" --agents" {
			t.Errorf("in %s: %+v", place, e)
		}
	}
	if p.hasRun() || len(p.s.approvals.Pending()) != 0 {
		t.Errorf("the hook has run: %t, asked %+v", p.hasRun(), p.s.approvals.Pending())
	}
	f, err := trust.In(p.project)
	if err != nil {
		t.Fatal(err)
	}
	if err := trust.NewStore(p.s.m.cfg.Dirs.TrustFile(), slog.New(slog.DiscardHandler)).Trust(f); err != nil { // as the command does
		t.Fatal(err)
	}
	p.start(t, protocol.AgentCustom)
	if dir := p.folder(t); dir != p.project || !p.hasRun() {
		t.Errorf("trusted, the agent is in %s, the hook has run: %t", dir, p.hasRun())
	}
}

// A shell reads no such settings, and a folder without any needs no trust. A terminal
// that is closed takes its question along.
func TestFoldersThatNobodyIsAskedAbout(t *testing.T) {
	p := plant(t)
	t.Setenv("SHELL", "/bin/sh")
	if info := p.start(t, protocol.AgentShell); info.State != protocol.TerminalLive {
		t.Errorf("a shell: %+v", info)
	}
	info := p.start(t, protocol.AgentCustom)
	p.question(t)
	if err := p.terminals.Close(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	p.until(t, 0)
	if err := os.RemoveAll(filepath.Join(p.project, ".claude")); err != nil {
		t.Fatal(err)
	}
	if info := p.start(t, protocol.AgentCustom); info.State != protocol.TerminalLive {
		t.Errorf("without settings: %+v", info)
	}
	if dir := p.folder(t); dir != p.project {
		t.Errorf("the agent is in %s", dir)
	}
}
