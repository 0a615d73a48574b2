package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

const (
	// autostartTimeout is how long a session that a command starts by itself may
	// take until it listens.
	autostartTimeout = 30 * time.Second
	// autostartIdle is how long such a session lives without a command.
	autostartIdle = 30 * time.Minute
)

// EnvNoAutostart turns off that a command starts a session by itself.
const EnvNoAutostart = "PILOTFISH_NO_AUTOSTART"

// EnvReady tells a session that somebody waits at ReadyFD for its word.
const EnvReady = "PILOTFISH_READY"

// ReadyFD is where a session that was started by itself says that it listens:
// the first file behind the three standard ones.
const ReadyFD = 3

// ReadyWord is what a session says when it listens.
const ReadyWord = "ready"

// FindOrStart finds the app, or starts a headless session when there is
// none, or only one that is ending, for whose end the new one waits. Inside an
// agent there is one, or its token is worth nothing.
func FindOrStart(ctx context.Context, getenv func(string) string) (*Client, error) {
	c, err := Find(getenv)
	e := protocol.AsError(err)
	if err == nil || e.Code != protocol.CodeNotRunning || getenv(EnvNoAutostart) == "1" || getenv(protocol.EnvToken) != "" {
		return c, err
	}
	if err := autostart(ctx, getenv); err != nil {
		if c, again := Find(getenv); again == nil {
			return c, nil // somebody else was faster: the app was opened meanwhile
		}
		return nil, err
	}
	return Find(getenv)
}

// autostart starts `pilotfish serve --headless`, which lives on, and returns
// when it listens. Of several commands that find nothing running, one starts it
// and the others wait for the same lock.
func autostart(ctx context.Context, getenv func(string) string) error {
	dirs, _, err := config.Usable(getenv) // the session says what is wrong with them
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, autostartTimeout)
	defer cancel()
	lock, err := lockStart(ctx, filepath.Join(dirs.State, "autostart.lock"))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // closing a file that nothing was written to
	if _, err := endpoint(getenv); err == nil {
		return nil // another command was faster
	}
	return startDetached(ctx, dirs, idleTime(getenv))
}

// lockStart waits for the lock of those who start a session. It ends with the
// process at the latest.
func lockStart(ctx context.Context, path string) (*instance.Lock, error) {
	lock, err := instance.AcquireNext(ctx, path)
	if errors.Is(err, instance.ErrRunning) {
		return nil, protocol.NewError(protocol.CodeTimeout, "another command starts a session and does not come to an end", "try again; `pilotfish doctor` says whether the browser can start")
	}
	return lock, err
}

// startDetached starts the session in a session of its own, so that the end of
// this shell does not take it along, and waits for its word.
func startDetached(ctx context.Context, dirs config.Dirs, idle string) error {
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	logPath := filepath.Join(dirs.LogDir(), "autostart.log")
	output, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer output.Close()
	word, said, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making a pipe: %w", err)
	}
	defer word.Close()
	// It outlives this command: no context ends it.
	cmd := exec.Command(own, "serve", "--headless", "--json", "--idle", idle) //nolint:noctx // see above
	cmd.Dir = dirs.State
	cmd.Env = append(WithoutAgent(os.Environ()), EnvReady+"=1")
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = []*os.File{said}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	said.Close()
	if err != nil {
		return fmt.Errorf("starting a session: %w", err)
	}
	if err := cmd.Process.Release(); err != nil {
		return fmt.Errorf("starting a session: %w", err)
	}
	if limit, ok := ctx.Deadline(); ok {
		if err := word.SetReadDeadline(limit); err != nil {
			return fmt.Errorf("waiting for the session: %w", err)
		}
	}
	return heard(word, logPath)
}

// heard reads the word of the session: that it is ready, or why it is not.
func heard(word io.Reader, logPath string) error {
	line, err := bufio.NewReader(word).ReadString('\n')
	line = strings.TrimSpace(line)
	if line == ReadyWord {
		return nil
	}
	var failed protocol.Error
	if json.Unmarshal([]byte(line), &failed) == nil && failed.Code != "" {
		return &failed
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return protocol.NewError(protocol.CodeTimeout, "the session did not start in time", "its log is "+logPath)
	}
	return protocol.NewError(protocol.CodeNotRunning, "a session could not be started", "its log is "+logPath+"; `pilotfish doctor` says what is wrong")
}

// EnvIdle is how long a session that a command started lives without a command;
// for tests and for machines where it should be another time.
const EnvIdle = "PILOTFISH_AUTOSTART_IDLE"

func idleTime(getenv func(string) string) string {
	if d, err := time.ParseDuration(getenv(EnvIdle)); err == nil && d > 0 {
		return d.String()
	}
	return autostartIdle.String()
}

// WithoutAgent takes out of an environment what belongs to one agent: the
// session is everybody's.
func WithoutAgent(env []string) []string {
	var kept []string
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		switch name {
		case protocol.EnvURL, protocol.EnvToken, protocol.EnvSession, protocol.EnvTab, protocol.EnvState, protocol.EnvMark:
			continue
		}
		kept = append(kept, pair)
	}
	return kept
}
