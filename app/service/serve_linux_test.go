package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// TestNohupIsNotHandedOn starts a program as nohup does: its children receive
// SIGHUP, and the program itself keeps running.
func TestNohupIsNotHandedOn(t *testing.T) {
	const inside = "PILOTFISH_TEST_HANGUPS"
	if os.Getenv(inside) != "" {
		defer hangups()()
		// If the child's own shell ignored the signal, it would keep running,
		// too.
		out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "kill -HUP $PPID; kill -HUP $$; echo ignored").CombinedOutput()
		if err == nil || len(out) > 0 {
			t.Errorf("what was started says %q, %v", out, err)
		}
		return
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `trap "" HUP; exec "$0" -test.run='^TestNohupIsNotHandedOn$' -test.v`, own)
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestServiceIsNotDumpable serves until it finds that the context has ended.
func TestServiceIsNotDumpable(t *testing.T) {
	const inside = "PILOTFISH_TEST_DUMPABLE"
	if os.Getenv(inside) != "" {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = serve(ctx, serving{headless: true}) // it may say that it was ended
		if is, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); is != 0 || err != nil {
			t.Errorf("dumpable: %d, %v", is, err)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServiceIsNotDumpable$", "-test.v") //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), inside+"=1", protocol.EnvHome+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestServicePostsWhatNeedsTheUser serves a session that cannot start, with a webhook in
// the environment, which is then gone from there. The log does not have the address.
func TestServicePostsWhatNeedsTheUser(t *testing.T) {
	const inside = "PILOTFISH_TEST_NOTIFY"
	if os.Getenv(inside) != "" {
		if err := run(t.Context(), []string{"serve", "--headless"}, nil, os.Stdout, os.Stderr); err != nil {
			t.Error(err)
		}
		if _, has := os.LookupEnv(protocol.EnvNotify); has {
			t.Error("the address is still in the environment")
		}
		return
	}
	bodies := make(chan []byte, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/s3cret" { // from a program that looks at every port, or had this one
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- body
	}))
	defer receiver.Close()
	home := t.TempDir()
	settings := filepath.Join(home, "config", "settings.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("browser_path = '/nowhere/chromium'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServicePostsWhatNeedsTheUser$", "-test.v") //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), inside+"=1", protocol.EnvHome+"="+home, protocol.EnvNotify+"="+receiver.URL+"/s3cret")
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case body := <-bodies:
		var said map[string]string
		if err := json.Unmarshal(body, &said); err != nil || said["kind"] != "session" || said["text"] != "Pilotfish: Session default could not be started" {
			t.Errorf("%s, %v", body, err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	case err := <-ended:
		t.Errorf("it ended: %v", err)
	}
	if t.Failed() || strings.Contains(log.String(), "s3cret") {
		t.Errorf("it says\n%s", log.String())
	}
}
