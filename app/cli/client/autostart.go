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
	"strconv"
	"strings"
	"time"

	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

const (
	// autostartTimeout is how long a session that a command starts automatically
	// may take until it listens.
	autostartTimeout = 30 * time.Second
	// autostartIdle is how long such a session runs without a command.
	autostartIdle = 30 * time.Minute
)

// EnvNoAutostart switches the automatic start of a session off.
const EnvNoAutostart = "PILOTFISH_NO_AUTOSTART"

// envReady names the file descriptor, or the handle, on which an automatically started
// session reports that it listens.
const envReady = "PILOTFISH_READY"

// ReadyWord is the message of a session that listens.
const ReadyWord = "ready"

// FindOrStart finds the app, or starts a headless session when none is running.
// When the only one is ending, the new session waits for that. Inside an agent it
// starts nothing: without the agent's app, the agent's token is not valid.
func FindOrStart(ctx context.Context, getenv func(string) string) (*Client, error) {
	c, err := Find(getenv)
	e := protocol.AsError(err)
	if err == nil || e.Code != protocol.CodeNotRunning || getenv(EnvNoAutostart) == "1" || getenv(protocol.EnvToken) != "" {
		return c, err
	}
	if err := autostart(ctx, getenv); err != nil {
		if c, again := Find(getenv); again == nil {
			return c, nil // the app was started meanwhile
		}
		return nil, err
	}
	return Find(getenv)
}

// autostart starts `pilotfish serve --headless`, which keeps running, and returns
// when it listens. When several commands find nothing running, one starts it and
// the others wait for the same lock.
func autostart(ctx context.Context, getenv func(string) string) error {
	dirs, _, err := config.Usable(getenv) // the session reports what is wrong with them
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, autostartTimeout)
	defer cancel()
	lock, err := lockStart(ctx, filepath.Join(dirs.State, "autostart.lock"))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // an error does not matter: nothing was written
	if _, err := endpoint(getenv); err == nil {
		return nil // another command was faster
	}
	return startDetached(ctx, dirs, idleTime(getenv))
}

// lockStart takes the lock for starting a session, and waits for it. The lock is
// released when the process ends, at the latest.
func lockStart(ctx context.Context, path string) (*instance.Lock, error) {
	lock, err := instance.AcquireNext(ctx, path)
	if errors.Is(err, instance.ErrRunning) {
		return nil, protocol.NewError(protocol.CodeTimeout, "another command is still starting a session", "try again; `pilotfish doctor` says whether the browser can start")
	}
	return lock, err
}

// startDetached starts the app's session in its own process session (setsid), so
// that it does not end with this shell, and waits until it reports that it is
// ready.
func startDetached(ctx context.Context, dirs config.Dirs, idle string) error {
	service, err := Service()
	if err != nil {
		return err
	}
	logPath := filepath.Join(dirs.LogDir(), "autostart.log")
	output, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|noFollow, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	defer output.Close()
	word, said, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making a pipe: %w", err)
	}
	defer word.Close()
	// The session outlives this command, so no context ends it.
	cmd := exec.Command(service, "serve", "--headless", "--json", "--idle", idle) //nolint:noctx // see above
	cmd.Dir = dirs.State
	cmd.Env = WithoutAgent(os.Environ())
	cmd.Stdout, cmd.Stderr = output, output
	detach(cmd, said)
	err = cmd.Start()
	said.Close()
	if err != nil {
		return Unstartable(service, err)
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

// Ready returns where a session that was started automatically reports that it listens;
// nil for another one. What the session starts inherits neither the variable nor the
// pipe.
func Ready() (*os.File, error) {
	name := os.Getenv(envReady)
	if name == "" {
		return nil, nil
	}
	if err := os.Unsetenv(envReady); err != nil {
		return nil, fmt.Errorf("reading %s: %w", envReady, err)
	}
	number, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeBadArgument, envReady+" is not a descriptor", "unset it")
	}
	keepFromChildren(uintptr(number))
	return os.NewFile(uintptr(number), "ready"), nil
}

// heard reads the session's message: that it is ready, or why it is not.
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

// EnvIdle sets how long an automatically started session runs without a command;
// for tests, and for machines that need another time.
const EnvIdle = "PILOTFISH_AUTOSTART_IDLE"

func idleTime(getenv func(string) string) string {
	if d, err := time.ParseDuration(getenv(EnvIdle)); err == nil && d > 0 {
		return d.String()
	}
	return autostartIdle.String()
}

// WithoutAgent removes from an environment the variables of one agent: the
// session serves every caller.
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
