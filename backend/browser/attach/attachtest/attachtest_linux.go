package attachtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Chrome is a browser that was started without Pilotfish.
type Chrome struct {
	// Dir is the folder of its profiles.
	Dir string

	tb  testing.TB
	env []string
	cmd *exec.Cmd
}

// New makes the folder of a browser, in which remote debugging is switched on or not. env
// has the display; nil for that of the test.
func New(tb testing.TB, on bool, env []string) *Chrome {
	tb.Helper()
	c := &Chrome{Dir: tb.TempDir(), tb: tb, env: append(os.Environ(), env...)}
	c.env = append(c.env, "HOME="+c.Dir, "XDG_CONFIG_HOME="+filepath.Join(c.Dir, "config"))
	c.write("Local State", map[string]any{"devtools": map[string]any{"remote_debugging": map[string]any{"user-enabled": on}}})
	tb.Cleanup(c.Kill)
	return c
}

func (c *Chrome) write(name string, v any) {
	c.tb.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(filepath.Join(c.Dir, name), data, 0o600)
	}
	if err != nil {
		c.tb.Fatal(err)
	}
}

// Start starts the browser with pages and waits until it shows a window.
func (c *Chrome) Start(pages ...string) {
	c.tb.Helper()
	c.cmd = exec.CommandContext(context.Background(), "chromium", append(c.args(), pages...)...)
	c.cmd.Env = c.env
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		c.tb.Fatal(err)
	}
	c.windows()
}

func (c *Chrome) args() []string {
	args := []string{"--user-data-dir=" + c.Dir, "--no-first-run", "--no-default-browser-check", "--hide-crash-restore-bubble", "--password-store=basic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--window-size=1200,900", "--window-position=0,0"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox", "--test-type")
	}
	return args
}

// Downloads is the folder into which the browser's user saves.
func (c *Chrome) Downloads() string { return filepath.Join(c.Dir, "Downloads") }

// Profile opens pages in another profile of the running browser, in a window of its own,
// which comes to the front.
func (c *Chrome) Profile(name string, pages ...string) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// It passes the pages to the browser that runs, and ends.
	args := append(append(c.args(), "--profile-directory="+name), pages...)
	if out, err := c.run(ctx, "chromium", args...); err != nil {
		c.tb.Fatal(out, err)
	}
}

// Kill ends the browser as a crash does.
func (c *Chrome) Kill() {
	if c.cmd == nil {
		return
	}
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	_ = c.cmd.Wait()
	c.cmd = nil
}

// Running reports whether the browser runs.
func (c *Chrome) Running() bool {
	return c.cmd != nil && c.cmd.Process.Signal(syscall.Signal(0)) == nil
}

// patience is how long a test waits for the browser; only one that fails reaches it.
const patience = 3 * time.Minute

// windows returns the browser's windows once there are any.
func (c *Chrome) windows() []string {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		out, err := c.run(ctx, "xdotool", "search", "--sync", "--onlyvisible", "--pid", fmt.Sprint(c.cmd.Process.Pid), "--class", "chromium")
		if err == nil {
			return strings.Fields(out)
		}
		if ctx.Err() != nil { // else another window was closed while it looked
			c.tb.Fatalf("no window of the browser: %v", err)
		}
	}
}

func (c *Chrome) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = c.env
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w: %s", name, args, err, said.String())
	}
	return string(out), nil
}

// Asks waits until the browser asks its user whether it may be used, and returns the window
// in which it does: it darkens that.
func (c *Chrome) Asks() (window string) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for ctx.Err() == nil {
		for _, window := range c.windows() {
			if c.dark(ctx, window) {
				return window
			}
		}
	}
	c.tb.Fatal("the browser has not asked")
	return ""
}

// dark reports whether a window shows a dialog, which has no window of its own. A window
// behind another one is black, so it is raised: the app's window may come up over it.
func (c *Chrome) dark(ctx context.Context, window string) bool {
	_, _ = c.run(ctx, "xdotool", "windowraise", window) // one that is gone is not dark
	out, err := c.run(ctx, "import", "-window", window, "-crop", "1x1+300+700", "-colorspace", "gray", "-format", "%[fx:mean]", "info:")
	var light float64
	_, bad := fmt.Sscan(out, &light)
	return err == nil && bad == nil && light > 0.1 && light < 0.7
}

// Answer waits until the browser asks, and presses keys, as xdotool names them: Tab and
// Return press Allow, Return alone presses Cancel. The browser ignores Return in the first
// half second of a dialog, which may appear while the user types. Then Return is pressed
// again.
func (c *Chrome) Answer(keys ...string) {
	c.tb.Helper()
	window := c.Asks()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for again := keys; c.dark(ctx, window); again = keys[len(keys)-1:] {
		if _, err := c.run(ctx, "xdotool", append([]string{"windowfocus", "--sync", window, "key", "--delay", "100"}, again...)...); err != nil {
			c.tb.Fatal(err)
		}
	}
}

// Title returns the title of the browser's first window.
func (c *Chrome) Title() string {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := c.run(ctx, "xdotool", "getwindowname", c.windows()[0])
	if err != nil {
		c.tb.Fatal(err)
	}
	return strings.TrimSpace(out)
}
