package attachtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Chrome is a browser that was started without Pilotfish.
type Chrome struct {
	// Dir is the folder of its profiles.
	Dir string
	// Args are further arguments of the browser.
	Args []string

	tb  testing.TB
	env []string
	cmd *exec.Cmd
	etc string // what the browser sees as /etc/chromium; empty for the system's
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
	line := append([]string{"chromium"}, append(c.args(), pages...)...)
	if c.etc != "" { // a namespace of its own; the browser keeps the number of the process
		line = append([]string{"unshare", "--map-root-user", "--mount", "sh", "-c", `mount --bind "$0" /etc/chromium && exec "$@"`, c.etc}, line...)
	}
	c.cmd = exec.CommandContext(context.Background(), line[0], line[1:]...)
	c.cmd.Env = c.env
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		c.tb.Fatal(err)
	}
	c.windows()
}

// Policy sets a policy as an administrator does, before the browser starts. It skips a test where that
// cannot be done without changing the system.
func (c *Chrome) Policy(policy map[string]any) {
	c.tb.Helper()
	c.etc = filepath.Join(c.tb.TempDir(), "etc")
	if err := os.MkdirAll(filepath.Join(c.etc, "policies", "managed"), 0o700); err != nil {
		c.tb.Fatal(err)
	}
	data, err := json.Marshal(policy)
	if err == nil {
		err = os.WriteFile(filepath.Join(c.etc, "policies", "managed", "test.json"), data, 0o600)
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	if out, err := exec.CommandContext(c.tb.Context(), "unshare", "--map-root-user", "--mount", "mount", "--bind", c.etc, "/etc/chromium").CombinedOutput(); err != nil {
		c.tb.Skipf("no policy can be set here: %v: %s", err, out)
	}
}

// Count puts a proxy before the browser's port until the browser starts again. It returns how
// many connections have asked the browser since.
func (c *Chrome) Count() (asked func() int) {
	c.tb.Helper()
	port, path, err := c.port()
	for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); port, path, err = c.port() {
		c.windows() // it is written while the browser starts
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(c.tb.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(func() { _ = l.Close() })
	var n atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() {
				defer func() { _ = conn.Close() }()
				first := make([]byte, 1)
				if _, err := io.ReadFull(conn, first); err != nil {
					return // it only tried the port
				}
				n.Add(1)
				to, err := new(net.Dialer).DialContext(context.Background(), "tcp4", "127.0.0.1:"+port)
				if err != nil {
					return
				}
				go func() { _, _ = io.Copy(conn, to); _ = conn.Close() }()
				_, _ = io.Copy(to, io.MultiReader(bytes.NewReader(first), conn))
				_ = to.Close()
			}()
		}
	}()
	_, own, _ := net.SplitHostPort(l.Addr().String())
	if err := os.WriteFile(filepath.Join(c.Dir, portFile), []byte(own+"\n"+path), 0o600); err != nil {
		c.tb.Fatal(err)
	}
	return func() int { return int(n.Load()) }
}

func (c *Chrome) args() []string {
	args := []string{"--user-data-dir=" + c.Dir, "--no-first-run", "--no-default-browser-check", "--hide-crash-restore-bubble", "--password-store=basic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--window-size=1200,900", "--window-position=0,0"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox", "--test-type")
	}
	return append(args, c.Args...)
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

// Quit ends the browser as its user does: it writes its settings.
func (c *Chrome) Quit() {
	c.tb.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.tb.Fatal(err)
	}
	_ = c.cmd.Wait()
	c.cmd = nil
}

// Settings are those of the browser that has ended, by their names.
func (c *Chrome) Settings() map[string]string {
	c.tb.Helper()
	all := make(map[string]string)
	for _, name := range []string{"Local State", "Default/Preferences", "Default/Secure Preferences"} {
		var v any
		data, err := os.ReadFile(filepath.Join(c.Dir, name))
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil {
			c.tb.Fatal(err)
		}
		flatten(all, name, v)
	}
	return all
}

// flatten adds the values below a value to all.
func flatten(all map[string]string, name string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		data, _ := json.Marshal(v) // it came from JSON
		all[name] = string(data)
		return
	}
	for key, one := range object {
		flatten(all, name+"/"+key, one)
	}
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
			if light, err := c.light(ctx, window); err == nil && light > dark && light < white {
				return window
			}
		}
	}
	c.tb.Fatal("the browser has not asked")
	return ""
}

// light returns how light a window is, from 0 to 1: a browser that asks darkens its white page.
// A window behind another one is black, so it is raised: the app's window may come up over it.
func (c *Chrome) light(ctx context.Context, window string) (light float64, err error) {
	_, _ = c.run(ctx, "xdotool", "windowraise", window) // one that is gone has no picture
	out, err := c.run(ctx, "import", "-window", window, "-crop", "1x1+300+700", "-colorspace", "gray", "-format", "%[fx:mean]", "info:")
	if err == nil {
		_, err = fmt.Sscan(out, &light)
	}
	return light, err
}

// The light of a window that is not drawn is below dark, that of one that asks below white.
const dark, white = 0.1, 0.7

// Button is an answer to the question whether the browser may be used, by its place in the
// window in pixels. It is pressed with the mouse: a key that comes before the dialog has the
// keyboard is lost, and the next one presses another button.
type Button struct{ x, y int }

// Allow lets a program use the browser.
func Allow() Button { return Button{763, 306} }

// Cancel refuses it.
func Cancel() Button { return Button{674, 306} }

// TurnOff opens the browser's page on which remote debugging is switched off.
func TurnOff() Button { return Button{476, 306} }

// Answer waits until the browser asks, and presses a button. The browser ignores what is
// pressed in the first half second of a dialog, which may appear while the user clicks, and
// clicks that follow each other faster. So the button is pressed again after longer.
func (c *Chrome) Answer(b Button) {
	c.tb.Helper()
	window := c.Asks()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for pressed := (time.Time{}); ctx.Err() == nil; {
		// One that is black has not answered: it comes up from behind another window.
		if light, err := c.light(ctx, window); err == nil && light >= white {
			return
		}
		if time.Since(pressed) < 700*time.Millisecond {
			continue
		}
		pressed = time.Now()
		if _, err := c.run(ctx, "xdotool", "mousemove", "--window", window, strconv.Itoa(b.x), strconv.Itoa(b.y), "click", "1"); err != nil {
			c.tb.Fatal(err)
		}
	}
	c.tb.Fatal("the question stays")
}

// Switch waits until the page of remote debugging is in front, with the switch on or off, and
// presses it. It waits until the browser listens accordingly.
func (c *Chrome) Switch(on bool) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	window := c.windows()[0]
	for blue := on; blue == on; {
		out, err := c.run(ctx, "import", "-window", window, "-crop", "1x1+206+151", "-format", "%[fx:p{0,0}.b-p{0,0}.r]", "info:")
		var more float64
		if _, bad := fmt.Sscan(out, &more); err != nil || bad != nil {
			c.tb.Fatal(out, err)
		}
		blue = more > 0.3
	}
	if _, err := c.run(ctx, "xdotool", "mousemove", "--window", window, "--sync", "210", "155", "click", "1"); err != nil {
		c.tb.Fatal(err)
	}
	for listens := !on; listens != on; {
		port, _, err := c.port()
		if err != nil {
			c.tb.Fatal(err)
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp4", "127.0.0.1:"+port)
		if listens = err == nil; listens {
			_ = conn.Close()
		}
		if ctx.Err() != nil {
			c.tb.Fatal("the switch has no effect")
		}
	}
}

// port returns the port that the browser says it listens on, and the path there.
func (c *Chrome) port() (port, path string, err error) {
	data, err := os.ReadFile(filepath.Join(c.Dir, portFile))
	port, path, _ = strings.Cut(string(data), "\n")
	return port, path, err
}

// portFile is the file in which a browser with remote debugging names its port.
const portFile = "DevToolsActivePort"

// Key presses a key, as xdotool names it, in the browser's first window.
func (c *Chrome) Key(key string) {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := c.run(ctx, "xdotool", "windowfocus", "--sync", c.windows()[0], "key", key); err != nil {
		c.tb.Fatal(err)
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
