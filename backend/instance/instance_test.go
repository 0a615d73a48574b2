//go:build unix

package instance_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// TestMain also acts as the other instance: it holds the lock and an endpoint until
// its input ends.
func TestMain(m *testing.M) {
	if dir := os.Getenv("INSTANCE_TEST_HOLD"); dir != "" {
		_, err := instance.Acquire(filepath.Join(dir, "lock"))
		if err == nil {
			err = instance.WriteEndpoint(filepath.Join(dir, "pilotfish.json"), protocol.Endpoint{Port: 4242, Token: "secret"})
		}
		if err != nil {
			_, _ = os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("held\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hold(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test itself
	cmd.Env = append(os.Environ(), "INSTANCE_TEST_HOLD="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the other instance said %q, %v", line, err)
	}
	return cmd
}

func TestOneInstance(t *testing.T) {
	dir := t.TempDir()
	other := hold(t, dir)
	if _, err := instance.Acquire(filepath.Join(dir, "lock")); !errors.Is(err, instance.ErrRunning) {
		t.Errorf("Acquire beside a living instance: %v, want ErrRunning", err)
	}
	e, err := instance.ReadEndpoint(filepath.Join(dir, "pilotfish.json"))
	if err != nil || e.Port != 4242 || e.Token != "secret" || e.PID != other.Process.Pid {
		t.Errorf("ReadEndpoint() = %+v, %v", e, err)
	}

	// It is killed: the lock and the file of the dead process do not block the next
	// one.
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // killed
	lock, err := instance.Acquire(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatalf("Acquire after the other was killed: %v", err)
	}
	defer lock.Release()
	if _, err := instance.ReadEndpoint(filepath.Join(dir, "pilotfish.json")); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("ReadEndpoint of a dead instance: %v, want CodeNotRunning", err)
	}
}

func TestNextInstance(t *testing.T) {
	dir := t.TempDir()
	other := hold(t, dir)
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := instance.AcquireNext(gaveUp, filepath.Join(dir, "lock")); !errors.Is(err, instance.ErrRunning) {
		t.Errorf("AcquireNext beside a living instance: %v, want ErrRunning", err)
	}
	type outcome struct {
		lock *instance.Lock
		err  error
	}
	next := make(chan outcome, 1)
	go func() {
		lock, err := instance.AcquireNext(t.Context(), filepath.Join(dir, "lock"))
		next <- outcome{lock, err}
	}()
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // killed
	o := <-next
	if o.err != nil {
		t.Fatal(o.err)
	}
	if err := o.lock.Release(); err != nil {
		t.Error(err)
	}
}

func TestEndingEndpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pilotfish.json")
	if err := instance.WriteEndpoint(path, protocol.Endpoint{Port: 1, Token: "x", Ending: true}); err != nil {
		t.Fatal(err)
	}
	e, err := instance.ReadEndpoint(path)
	if protocol.AsError(err).Code != protocol.CodeNotRunning || !e.Ending {
		t.Errorf("ReadEndpoint of one that is ending: %+v, %v", e, err)
	}
}

func TestLockInTheWay(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.Acquire(filepath.Join(dir, "lock")); protocol.AsError(err).Code != protocol.CodeNotWritable {
		t.Errorf("Acquire through a symlink: %v", err)
	}
}

func TestEndpointIsOursAlone(t *testing.T) {
	write := func(t *testing.T) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "pilotfish.json")
		if err := instance.WriteEndpoint(path, protocol.Endpoint{Port: 1, Token: "x"}); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write(t)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v, want 0600", err, info.Mode())
	}
	if _, err := instance.ReadEndpoint(path); err != nil {
		t.Errorf("ReadEndpoint of our own: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.ReadEndpoint(path); protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("ReadEndpoint of a file that others can read: %v", err)
	}

	path = write(t)
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := instance.ReadEndpoint(link); protocol.AsError(err).Code != protocol.CodeRefused {
		t.Errorf("ReadEndpoint through a symlink: %v", err)
	}

	for name, text := range map[string]string{"empty": "", "cut": `{"version":1,"pid":`, "no port": `{"version":1,"token":"x"}`, "zeros": strings.Repeat("\x00", 300)} {
		path := write(t)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := instance.ReadEndpoint(path); protocol.AsError(err).Code != protocol.CodeNotRunning {
			t.Errorf("%s: ReadEndpoint() = %v, want CodeNotRunning", name, err)
		}
	}

	path = write(t)
	for range 2 {
		if err := instance.RemoveEndpoint(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := instance.ReadEndpoint(path); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("ReadEndpoint of nothing: %v", err)
	}
}
