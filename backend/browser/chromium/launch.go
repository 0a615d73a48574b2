package chromium

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"

	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/journal"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Options says how a browser is started.
type Options struct {
	// ProfileDir is the user data folder; it is created with mode 0700.
	ProfileDir string
	// TemporaryDir is a folder that agents do not see: the browser has its temporary files in
	// a folder of its own there, with the socket by which it takes orders and the reports of
	// crashes. Empty for the system's.
	TemporaryDir string
	// ExtensionDir is the built extension; empty runs without it.
	ExtensionDir string
	// StartURL returns the first page's URL when no tab is restored; nil means an
	// empty page.
	StartURL func() string
	// Restore are the tabs to open.
	Restore []tabs.RestoreTab
	// Crashed says that the previous run crashed: Chromium restores the tabs
	// itself.
	Crashed bool
	// NoSandbox runs Chromium without its sandbox. It is meant for root in a
	// container.
	NoSandbox bool
	// NoKeyring keeps passwords and cookies in the profile instead of asking the
	// system's keyring for a key.
	NoKeyring bool
	// Headless runs without a window.
	Headless bool
	Guard    *proc.Guard
	// Switches and Env are added to ours, and Extensions are loaded beside ours. They
	// were checked by backend/identity.
	Switches, Env, Extensions []string
}

// Process is the running browser with our ends of its pipe.
type Process struct {
	*proc.Process
	Pipe *chromedp.PipeConn

	said      *tail
	temporary string // empty for none of its own
}

// Tidy removes the temporary files of a browser that has ended.
func (p *Process) Tidy() error {
	if p.temporary == "" {
		return nil
	}
	return os.RemoveAll(p.temporary)
}

// Said returns the last lines that the browser wrote to its standard error.
func (p *Process) Said() string { return p.said.String() }

// Preflight checks for conditions that would make Chromium exit at once, and
// returns an error with a hint before anything is started.
func Preflight(o *Options) error {
	if os.Geteuid() == 0 && !o.NoSandbox {
		return SandboxError()
	}
	if !o.Headless && runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return protocol.NewError(protocol.CodeNoDisplay, "there is no display to open a window on",
			"start Pilotfish from a desktop, or run `pilotfish serve --headless`")
	}
	if err := os.MkdirAll(o.ProfileDir, 0o700); err != nil {
		return notWritable(o.ProfileDir, err)
	}
	return CheckProfile(o.ProfileDir)
}

func notWritable(dir string, err error) error {
	return journal.NotWritable(dir, err, ", or choose another folder in Settings")
}

// CheckProfile refuses a folder that the current user does not own, and one that
// a running browser uses: a second Chromium would only open a window in the first
// one and exit. The lock of a dead browser is ignored, because Chromium replaces
// it.
func CheckProfile(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return notWritable(dir, err)
	}
	if !info.IsDir() {
		return protocol.NewError(protocol.CodeNotWritable, dir+" is not a folder", "choose another profile folder in Settings")
	}
	return free(info, dir)
}

// Launch starts the browser of a path with its pipe as its descriptors 3 and 4.
func Launch(ctx context.Context, o *Options, path string, log *slog.Logger) (*Process, error) {
	commands, commandsIn, err := pipe(true)
	if err != nil {
		return nil, err
	}
	defer commandsIn.Close()
	events, eventsOut, err := pipe(false)
	if err != nil {
		_ = commands.Close()
		return nil, err
	}
	defer eventsOut.Close()
	stderr := &tail{}
	env, temporary := append(environment(os.Environ()), o.Env...), ""
	if o.TemporaryDir != "" {
		if temporary, err = os.MkdirTemp(o.TemporaryDir, ""); err != nil {
			_ = commands.Close()
			_ = events.Close()
			return nil, notWritable(o.TemporaryDir, err)
		}
		// By default the reports of crashes, with the memory of pages, are kept in the folder
		// of the user's own Chromium.
		env = append(env, "TMPDIR="+temporary, "BREAKPAD_DUMP_LOCATION="+filepath.Join(temporary, "crashes"))
	}
	p, err := proc.Start(ctx, proc.Config{
		Path:       path,
		Args:       append(pipeFlags(commandsIn, eventsOut), args(o)...),
		Env:        env,
		Dir:        o.ProfileDir,
		ExtraFiles: []*os.File{commandsIn, eventsOut},
		Stderr:     stderr,
		Guard:      o.Guard,
		Logger:     log,
	})
	if err != nil {
		_ = commands.Close()
		_ = events.Close()
		_ = os.RemoveAll(temporary) // it is empty
		return nil, protocol.NewError(protocol.CodeBrowserStart, "the browser could not be started: "+err.Error(), "check its path in Settings")
	}
	return &Process{Process: p, Pipe: chromedp.NewPipeConn(events, commands), said: stderr, temporary: temporary}, nil
}

// environment returns the environment variables that the browser inherits: all
// except our own, which carry tokens when Pilotfish itself was started from one
// of its terminals.
func environment(all []string) []string {
	var env []string
	for _, v := range all {
		if !strings.HasPrefix(v, "PILOTFISH_") {
			env = append(env, v)
		}
	}
	return env
}

// tail keeps the last lines of the browser's stderr.
type tail struct {
	mu    sync.Mutex
	lines []string
	part  []byte
}

// The lines that tail keeps, and the longest line, in bytes.
const (
	tailLines = 12
	tailWidth = 400
)

// Write keeps output; it never fails, so that the browser never blocks.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range p {
		switch {
		case b == '\n':
			t.lines = append(t.lines, string(t.part))
			t.part = t.part[:0]
			if len(t.lines) > tailLines {
				t.lines = t.lines[len(t.lines)-tailLines:]
			}
		case len(t.part) < tailWidth:
			t.part = append(t.part, b)
		}
	}
	return len(p), nil
}

// String returns the kept lines. It leaves out Chromium's usual messages about a
// missing D-Bus, which explain nothing.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var kept []string
	for _, l := range append(t.lines, string(t.part)) {
		if l != "" && !strings.Contains(l, "dbus") {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
