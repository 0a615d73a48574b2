// Package assembly puts the backend together for the two programs that run it:
// the desktop app and `pilotfish serve`.
package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
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
	"pilotfish/extension"
)

// Options say which backend to put together.
type Options struct {
	Version string
	// Program is the path of the `pilotfish` command line.
	Program string
	// Headless runs sessions without windows.
	Headless bool
	// Console gets the log as text, too; nil for nobody.
	Console io.Writer
}

// Assembly is a backend that can run.
type Assembly struct {
	Manager  *session.Manager
	Log      *logs.Log
	Dirs     config.Dirs
	Settings *config.Store
	lock     *instance.Lock
}

// New prepares the folders, takes the instance lock and puts the backend
// together. It returns instance.ErrRunning when the app runs already; one that is
// ending it waits for. The caller calls Close when the manager has run.
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

// acquire takes the instance lock, from one that is ending as soon as it is gone.
// Such a one takes its endpoint file away before it lets the lock go: where there
// is a lock and no file it has as good as ended, or another has only just begun.
// gone is how long that is waited for.
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
	settings, notice, err := config.Open(a.Dirs.SettingsFile())
	if err != nil {
		return err
	}
	a.Settings = settings
	if notice != nil {
		logger.Warn("something is wrong with the settings", "message", notice.Message, "hint", notice.Hint)
	}
	if unwritable != nil {
		logger.Warn("this run keeps nothing", "message", unwritable.Message, "hint", unwritable.Hint, "dir", a.Dirs.Passing)
		notice = unwritable // the greater of the two
	}
	models, err := llm.New(llm.Config{Path: a.Dirs.ModelsFile(), Keychain: desktop.KeyringRuns, Logger: logger})
	if err != nil {
		return err
	}
	a.Manager, err = session.New(session.Config{
		Version: o.Version, Dirs: a.Dirs, Settings: settings, Program: o.Program, Headless: o.Headless,
		NoSandbox: os.Getenv(protocol.EnvSandbox) == "1", Extension: extension.Install, Welcome: http.HandlerFunc(welcome), Models: models, Notice: notice, Logger: logger,
	})
	return err
}

// welcome serves the welcome page.
func welcome(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", extension.WelcomePolicy())
	_, _ = w.Write(extension.WelcomePage()) // a browser that went away needs no page
}

// level is what PILOTFISH_LOG asks for: debug, info (the default), warn, error.
func level(name string) slog.Level {
	var l slog.Level
	if name == "" || l.UnmarshalText([]byte(name)) != nil {
		return slog.LevelInfo
	}
	return l
}

// Close gives up the endpoint file, the log file and, last, the lock.
func (a *Assembly) Close() {
	if err := instance.RemoveEndpoint(a.Dirs.EndpointFile()); err != nil && a.Log != nil {
		a.Log.Logger().Warn("endpoint file could not be removed", "error", err)
	}
	if a.Log != nil {
		_ = a.Log.Close() // what is lost now nobody could be told
	}
	_ = a.Dirs.End()     // a run that keeps nothing leaves nothing, or a folder in memory
	_ = a.lock.Release() // the process ends, and with it the lock
}

// Sibling is the path of another program of ours: beside the one that runs.
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

// IsRunning says whether err of New means that the app runs already.
func IsRunning(err error) bool { return errors.Is(err, instance.ErrRunning) }
