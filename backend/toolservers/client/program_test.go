//go:build unix

package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
	"pilotfish/backend/toolservers"
)

// envFake names the server's program, which TestMain builds.
const envFake = "PILOTFISH_TEST_SERVER"

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "server")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(folder, "server")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./fakes/server").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the fake server: %v\n%s", err, out)
		os.Exit(1)
	}
	if err := os.Setenv(envFake, program); err != nil {
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

// programs returns a client of a real program that behaves as args say.
func programs(t *testing.T, folders *confine.Folders, ended func(), args ...string) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	f := &fixture{user: &user{answer: protocol.AnswerAlways}, store: toolservers.NewStore(filepath.Join(t.TempDir(), "mcp-servers.json"), nil)}
	server := toolservers.Server{Name: "docs", Command: os.Getenv(envFake), Args: args, Env: map[string]string{"KEY": "hunter2hunter2"}}
	if err := errors.Join(f.store.Add(t.Context(), server), f.store.Permit("docs", toolservers.Allow)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f.Client = New(Config{
		Offer: toolservers.NewOffer(f.store, log), User: f.user, Version: "1", Logger: log, Mask: func(text string) string { return text },
		Launch: func(_ context.Context, s toolservers.Server) (Launch, error) {
			env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
			for name, value := range s.Env {
				env = append(env, name+"="+value)
			}
			return Launch{Program: confine.Program{Path: s.Command, Args: s.Args, Env: env, Dir: dir}, Folders: folders, End: ended}, nil
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return f
}

// said is what a tool answered, without the envelope.
func said(reply protocol.TaskToolReply) string {
	_, text, _ := strings.Cut(reply.Kept.Text, ">")
	text, _, _ = strings.Cut(text, "</")
	return strings.TrimSpace(text)
}

// runs reports whether a process runs. Whoever adopts one that was killed may not reap it.
func runs(pid int) bool {
	out, err := exec.CommandContext(context.Background(), "ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// A program starts with its variables, serves the task, is started again when it has
// ended, and ends with the task together with what it started.
func TestProgram(t *testing.T) {
	ended := make(chan struct{}, 8)
	f := programs(t, nil, func() { ended <- struct{}{} })
	if list := f.offered(t); len(list) != 1 || list[0].Error != nil || len(list[0].Tools) != 3 {
		t.Fatalf("%+v", list)
	}
	if reply := f.use(t, "where", ""); !reply.OK || !strings.Contains(reply.Text, "KEY=(masked)") {
		t.Errorf("%+v", reply)
	}
	if reply := f.use(t, "quit", ""); codeOf(reply) != protocol.CodeCrashed {
		t.Errorf("a server that ended in a call: %+v", reply)
	}
	<-ended
	reply := f.use(t, "daemon", "")
	pid, err := strconv.Atoi(said(reply))
	if err != nil {
		t.Fatalf("%+v", reply)
	}
	if !runs(pid) {
		t.Fatal("the server's child does not run")
	}
	f.Over(task)
	<-ended
	if runs(pid) {
		t.Errorf("process %d outlives the task", pid)
	}
}

// A server that cannot start says why, without its secrets; a session's end ends one that
// is starting.
func TestProgramsThatDoNotWork(t *testing.T) {
	f := programs(t, nil, nil, "fails")
	list := f.offered(t)
	if len(list) != 1 || list[0].Error == nil || list[0].Error.Code != protocol.CodeCrashed ||
		!strings.Contains(list[0].Error.Message, "exit code 3") || !strings.Contains(list[0].Error.Detail, "this key is not valid") || strings.Contains(list[0].Error.Detail, "hunter2") {
		t.Errorf("%+v, and said %q", list, list[0].Error.Detail)
	}
	prose := programs(t, nil, nil, "prose")
	if list := prose.offered(t); len(list) != 1 || list[0].Error == nil || list[0].Error.Code != protocol.CodeCrashed {
		t.Errorf("a program that is no server: %+v", list)
	}
	missing := programs(t, nil, nil)
	missing.cfg.Launch = func(context.Context, toolservers.Server) (Launch, error) {
		return Launch{Program: confine.Program{Path: filepath.Join(t.TempDir(), "missing")}}, nil
	}
	if list := missing.offered(t); len(list) != 1 || list[0].Error == nil || list[0].Error.Code != protocol.CodeNotRunning {
		t.Errorf("a program that is missing: %+v", list)
	}
	missing.cfg.Launch = func(context.Context, toolservers.Server) (Launch, error) {
		return Launch{}, protocol.NewError(protocol.CodeNotRunning, "no way", "")
	}
	if list := missing.offered(t); len(list) != 1 || list[0].Error == nil || list[0].Error.Message != "no way" {
		t.Errorf("a program without a launch: %+v", list)
	}
}

// A confined server does not see what is hidden from agents.
func TestConfinedProgram(t *testing.T) {
	if problem := confine.Try(t.Context(), ""); problem != nil {
		t.Skip("nothing can be confined here: " + problem.Message)
	}
	hidden := t.TempDir()
	if err := os.WriteFile(filepath.Join(hidden, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := programs(t, &confine.Folders{Hidden: []string{hidden}}, nil)
	if list := f.offered(t); len(list) != 1 || list[0].Error != nil {
		t.Fatalf("%+v", list)
	}
	reply := f.use(t, "where", "")
	var pid int
	if _, err := fmt.Sscanf(said(reply), "pid %d in", &pid); err != nil || pid > 10 {
		t.Errorf("it sees other processes: %+v", reply)
	}
}
