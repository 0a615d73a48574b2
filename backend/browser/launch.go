package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/chromedp/chromedp"

	"pilotfish/backend/journal"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// process is the running browser with our ends of its pipe.
type process struct {
	*proc.Process
	pipe *chromedp.PipeConn
	err  *tail
}

// preflight finds out what would make Chromium end at once, and says it in
// words before anything is started.
func preflight(c *Config) error {
	if os.Geteuid() == 0 && !c.NoSandbox {
		return sandboxError()
	}
	if !c.Headless && runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return protocol.NewError(protocol.CodeNoDisplay, "there is no display to open a window on",
			"start Pilotfish from a desktop, or run `pilotfish serve --headless`")
	}
	if err := os.MkdirAll(c.ProfileDir, 0o700); err != nil {
		return notWritable(c.ProfileDir, err)
	}
	return checkProfile(c.ProfileDir)
}

func notWritable(dir string, err error) error {
	return journal.NotWritable(dir, err, ", or choose another folder in Settings")
}

// checkProfile refuses a folder that is not ours alone, and one that a living
// browser holds: a second Chromium on it would only open a window in the first
// and end. The lock of a dead one is left to Chromium, which replaces it.
func checkProfile(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return notWritable(dir, err)
	}
	if !info.IsDir() {
		return protocol.NewError(protocol.CodeNotWritable, dir+" is not a folder", "choose another profile folder in Settings")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return protocol.NewError(protocol.CodeNotWritable, dir+" belongs to another user", "choose another profile folder in Settings")
	}
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return nil //nolint:nilerr // no lock: nobody has the profile
	}
	// The link's target is "host-pid"; host names have dashes, too.
	i := strings.LastIndexByte(target, '-')
	if i < 0 {
		return nil
	}
	pid, err := strconv.Atoi(target[i+1:])
	if err != nil || pid <= 0 {
		return nil //nolint:nilerr // not Chromium's form: Chromium replaces it
	}
	host, err := os.Hostname()
	if err != nil || host != target[:i] || !livesAsBrowser(pid) {
		return nil //nolint:nilerr // of another machine, or of a dead process
	}
	return protocol.NewError(protocol.CodeProfileInUse, fmt.Sprintf("another browser (process %d) uses the profile %s", pid, dir),
		"close that browser, or choose another profile folder in Settings")
}

// livesAsBrowser says whether a pid is a living browser. A pid that was given
// to another program since does not hold the profile; where /proc cannot tell,
// living counts.
func livesAsBrowser(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	cmdline, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	return strings.Contains(string(cmdline), "--user-data-dir") || strings.Contains(strings.ToLower(string(cmdline)), "chrom")
}

// launch starts the browser with the two pipes as its descriptors 3 and 4.
func launch(ctx context.Context, c *Config, path string, log *slog.Logger) (*process, error) {
	commandR, commandW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the browser's pipe: %w", err)
	}
	defer commandR.Close()
	eventR, eventW, err := os.Pipe()
	if err != nil {
		_ = commandW.Close()
		return nil, fmt.Errorf("making the browser's pipe: %w", err)
	}
	defer eventW.Close()
	stderr := &tail{}
	p, err := proc.Start(ctx, proc.Config{
		Path:       path,
		Args:       args(c),
		Env:        environment(os.Environ()),
		Dir:        c.ProfileDir,
		ExtraFiles: []*os.File{commandR, eventW},
		Stderr:     stderr,
		Guard:      c.Guard,
		Logger:     log,
	})
	if err != nil {
		_ = commandW.Close()
		_ = eventR.Close()
		return nil, protocol.NewError(protocol.CodeBrowserStart, "the browser could not be started: "+err.Error(), "check its path in Settings")
	}
	return &process{Process: p, pipe: chromedp.NewPipeConn(eventR, commandW), err: stderr}, nil
}

// environment is what the browser inherits: everything but our own variables,
// which carry tokens when Pilotfish was itself started from one of its
// terminals.
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

// Write takes output in; it never fails, so that the browser never blocks.
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

// String returns the kept lines. What Chromium always says about a missing
// D-Bus is left out: it explains nothing.
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
