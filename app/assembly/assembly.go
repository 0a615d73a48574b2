// Package assembly builds the backend for the two programs that run it: the
// desktop app and `pilotfish serve`.
package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/instance"
	"pilotfish/backend/llm"
	"pilotfish/backend/logs"
	"pilotfish/backend/protocol"
	"pilotfish/backend/session"
	"pilotfish/frontend"
)

// Options configure the backend that New builds.
type Options struct {
	Version string
	// Program is the path of the `pilotfish` command line.
	Program string
	// Headless runs sessions without windows.
	Headless bool
	// Isolated is the session in whose browser clients of MCP over HTTP have their own; empty for
	// none.
	Isolated protocol.SessionName
	// Console also receives the log, as text; nil for no console output.
	Console io.Writer
}

// Assembly is a backend that is ready to run.
type Assembly struct {
	Manager  *session.Manager
	Log      *logs.Log
	Dirs     config.Dirs
	Settings *config.Store
	lock     *instance.Lock
}

// New prepares the folders, takes the instance lock and builds the backend. It
// returns instance.ErrRunning when the app is already running. When another
// instance is ending, New waits for it. The caller calls Close after the
// manager's Run has returned.
func New(ctx context.Context, o Options) (*Assembly, error) {
	dirs, notice, err := config.Usable(os.Getenv)
	if err != nil {
		return nil, err
	}
	lock, err := acquire(ctx, dirs, predecessorGone)
	if err != nil {
		return nil, err
	}
	a := &Assembly{Dirs: dirs, lock: lock}
	if err := a.assemble(o, notice); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// acquire takes the instance lock. When the holder is ending, it waits until
// the holder is gone. An ending instance removes its endpoint file before it
// releases the lock. So a lock without an endpoint file means that the holder
// has almost ended, or that another one has only just started. gone is how long
// acquire waits in that case.
func acquire(ctx context.Context, dirs config.Dirs, gone time.Duration) (*instance.Lock, error) {
	lock, err := instance.Acquire(dirs.LockFile())
	if !errors.Is(err, instance.ErrRunning) {
		return lock, err
	}
	endpoint, unread := instance.ReadEndpoint(dirs.EndpointFile())
	limit := gone
	switch {
	case endpoint.Ending:
		limit = predecessorTimeout
	case unread == nil:
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lock, err = instance.AcquireNext(ctx, dirs.LockFile())
	if errors.Is(err, instance.ErrRunning) && endpoint.Ending {
		return nil, protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("Pilotfish is ending, and did not come to its end in %s", limit), fmt.Sprintf("try again, or end process %d", endpoint.PID))
	}
	return lock, err
}

func (a *Assembly) assemble(o Options, unwritable *protocol.Error) error {
	log, err := logs.New(logs.Config{Dir: a.Dirs.LogDir(), Level: level(os.Getenv("PILOTFISH_LOG")), Also: o.Console})
	a.Log = log
	logger := log.Logger()
	if err != nil {
		logger.Warn("log file could not be opened", "error", err)
	}
	settings, err := config.Open(a.Dirs.SettingsFile())
	if err != nil {
		return err
	}
	a.Settings = settings
	if problem, _ := settings.Problem(); problem != nil {
		logger.Warn("something is wrong with the settings", "file", problem.File, "line", problem.Line, "message", problem.Message, "allowed", problem.Allowed)
	}
	if unwritable != nil {
		logger.Warn("this run keeps nothing", "message", unwritable.Message, "hint", unwritable.Hint, "dir", a.Dirs.Passing)
	}
	models, err := llm.New(llm.Config{Path: a.Dirs.ModelsFile(), Keychain: desktop.KeyringRuns, Logger: logger})
	if err != nil {
		return err
	}
	notify, err := notifyURL()
	if err != nil {
		return err
	}
	pages, err := fs.Sub(frontend.Dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path
	}
	a.Manager, err = session.New(session.Config{
		Version: o.Version, Dirs: a.Dirs, Settings: settings, Program: o.Program, Headless: o.Headless, Isolated: o.Isolated,
		NoSandbox: os.Getenv(protocol.EnvSandbox) == "1", Models: models, Notice: unwritable, NotifyURL: notify, Pages: pages, Log: log, Logger: logger,
	})
	return err
}

// notifyURL returns the address of the webhook that the environment has; nil for none.
// Programs that we start do not inherit it.
func notifyURL() (*url.URL, error) {
	text := os.Getenv(protocol.EnvNotify)
	if text == "" {
		return nil, nil
	}
	if err := os.Unsetenv(protocol.EnvNotify); err != nil {
		return nil, fmt.Errorf("reading %s: %w", protocol.EnvNotify, err)
	}
	return config.NotifyURL(text)
}

// level parses PILOTFISH_LOG: debug, info (the default), warn or error.
func level(name string) slog.Level {
	var l slog.Level
	if name == "" || l.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return l
}

// Close removes the endpoint file, closes the log file and releases the lock
// last.
func (a *Assembly) Close() {
	if err := instance.RemoveEndpoint(a.Dirs.EndpointFile()); err != nil && a.Log != nil {
		a.Log.Logger().Warn("endpoint file could not be removed", "error", err)
	}
	if a.Log != nil {
		_ = a.Log.Close() // the log is closed, so there is nowhere to report this
	}
	_ = a.Dirs.End()     // removes the temporary folder of a run that keeps nothing; on an error it stays, in memory
	_ = a.lock.Release() // the process ends now, which releases the lock too
}

// Sibling returns the path of another program of ours, in the folder of the
// running one.
func Sibling(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding our own folder: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(path); err != nil {
		return "", protocol.NewError(protocol.CodeInternal, fmt.Sprintf("the program %s is missing beside %s", name, filepath.Base(self)), "install Pilotfish again, or run `make build`")
	}
	return path, nil
}

// IsRunning reports whether an error of New means that the app is already
// running.
func IsRunning(err error) bool { return errors.Is(err, instance.ErrRunning) }
