package desktop

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"

	"pilotfish/backend/desktop/testbus"
)

// startTimeout is how long the desktop may take to report that it is ready. It only
// detects hangs.
const startTimeout = 2 * time.Minute

// stopTimeout is how long a part may take to end before it is killed.
const stopTimeout = 2 * time.Second

// Config says which desktop to start.
type Config struct {
	// Dir is an empty folder for configuration and logs.
	Dir string
	// Width and Height of the screen in pixels; 1280 × 800 when zero.
	Width, Height int
	// NoPanel starts without a panel, so that there is no host for tray icons
	// until StartPanel.
	NoPanel bool
	// LightPanel gives the panel a light background; it is dark otherwise.
	LightPanel bool
	// Runtime is the user's runtime folder. When it is set, the session bus listens in it,
	// as it does on most machines; else both are elsewhere.
	Runtime string
}

// Desktop is a running desktop.
type Desktop struct {
	cfg     Config
	display string
	address string
	bus     *dbus.Conn

	mu    sync.Mutex
	parts []*part // in the order in which they were started
	panel *part
}

// part is one process of the desktop.
type part struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts a desktop and returns when it is ready: the window manager manages
// windows and, unless NoPanel is set, a host for tray icons is registered. The
// caller must call Close.
func Start(ctx context.Context, cfg Config) (*Desktop, error) {
	if cfg.Width == 0 {
		cfg.Width, cfg.Height = 1280, 800
	}
	d := &Desktop{cfg: cfg}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := d.start(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Desktop) start(ctx context.Context) error {
	if err := d.writePanelConfig(); err != nil {
		return err
	}
	number, err := d.run(ctx, "Xvfb", "-displayfd", "3", "-nolisten", "tcp",
		"-screen", "0", fmt.Sprintf("%dx%dx24", d.cfg.Width, d.cfg.Height))
	if err != nil {
		return err
	}
	d.display = ":" + number
	// The panel reads its settings from xfconf.
	config, err := testbus.WriteConfig(d.cfg.Dir, "org.xfce.Xfconf")
	if err != nil {
		return err
	}
	bus := []string{"--config-file=" + config, "--nofork", "--nopidfile", "--print-address=3"}
	if d.cfg.Runtime != "" {
		bus = append(bus, "--address=unix:tmpdir="+d.cfg.Runtime)
	}
	d.address, err = d.run(ctx, "dbus-daemon", bus...)
	if err != nil {
		return err
	}
	d.bus, err = dbus.Connect(d.address)
	if err != nil {
		return fmt.Errorf("connecting to the session bus: %w", err)
	}
	if _, err := d.spawn("xfwm4", nil, "--compositor=off"); err != nil {
		return err
	}
	if err := d.waitRootProperty(ctx, "_NET_SUPPORTING_WM_CHECK"); err != nil {
		return err
	}
	if d.cfg.NoPanel {
		return nil
	}
	return d.StartPanel(ctx)
}

// Env returns the environment for a program on this desktop: the test's own, with
// display, session bus and configuration replaced.
func (d *Desktop) Env() []string {
	ours := []string{
		"XDG_CONFIG_HOME=" + d.configDir(),
		"XDG_CACHE_HOME=" + filepath.Join(d.cfg.Dir, "cache"),
		"XDG_DATA_HOME=" + filepath.Join(d.cfg.Dir, "data"),
		"XDG_RUNTIME_DIR=" + cmp.Or(d.cfg.Runtime, filepath.Join(d.cfg.Dir, "run")),
		"XDG_SESSION_TYPE=x11",
		"XDG_CURRENT_DESKTOP=XFCE",
		"GSETTINGS_BACKEND=memory", // no dconf daemon that outlives the test
		"GIO_USE_VFS=local",        // no gvfs daemons
		"NO_AT_BRIDGE=1",           // no accessibility bus
		"GDK_BACKEND=x11",
		"LC_ALL=C.UTF-8",
	}
	if d.display != "" {
		ours = append(ours, "DISPLAY="+d.display)
	}
	if d.address != "" {
		ours = append(ours, "DBUS_SESSION_BUS_ADDRESS="+d.address)
	}
	replaced := map[string]bool{"DISPLAY": true, "WAYLAND_DISPLAY": true, "DBUS_SESSION_BUS_ADDRESS": true}
	for _, e := range ours {
		name, _, _ := strings.Cut(e, "=")
		replaced[name] = true
	}
	env := ours
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); !replaced[name] {
			env = append(env, e)
		}
	}
	return env
}

// Close ends every process of the desktop, the newest first.
func (d *Desktop) Close() error {
	d.mu.Lock()
	parts := d.parts
	d.parts, d.panel = nil, nil
	d.mu.Unlock()
	var errs []error
	if d.bus != nil {
		errs = append(errs, d.bus.Close())
		d.bus = nil
	}
	for i := len(parts) - 1; i >= 0; i-- {
		errs = append(errs, parts[i].stop())
	}
	return errors.Join(errs...)
}

// run starts a part that writes one line to its file descriptor 3 when it is
// ready, and returns that line.
func (d *Desktop) run(ctx context.Context, name string, args ...string) (string, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return "", fmt.Errorf("making a pipe for %s: %w", name, err)
	}
	defer func() { _ = read.Close() }()
	_, err = d.spawn(name, write, args...)
	_ = write.Close() // the part has its own copy
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = read.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it ended")
		}
		return "", fmt.Errorf("waiting for %s: %w\n%s", name, err, d.log(name))
	}
	return strings.TrimSpace(line), nil
}

// spawn starts a part in its own process group, with its output in a log file in
// the folder.
func (d *Desktop) spawn(name string, third *os.File, args ...string) (*part, error) {
	log, err := os.OpenFile(d.logPath(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	defer func() { _ = log.Close() }()
	// The part outlives the context of its start; Close ends it.
	cmd := exec.Command(name, args...) //nolint:noctx // see above
	cmd.Env = d.Env()
	cmd.Stdout, cmd.Stderr = log, log
	if third != nil {
		cmd.ExtraFiles = []*os.File{third}
	}
	// When the test binary is killed, the kernel kills its desktop too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	p := &part{name: name, cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	d.mu.Lock()
	d.parts = append(d.parts, p)
	d.mu.Unlock()
	return p, nil
}

// stop ends a part and its children.
func (p *part) stop() error {
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	deadline := time.NewTimer(stopTimeout)
	defer deadline.Stop()
	select {
	case <-p.done:
	case <-deadline.C:
		_ = syscall.Kill(group, syscall.SIGKILL)
		<-p.done
	}
	// Kill children of the part that ignored its end.
	if err := syscall.Kill(group, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("ending the group of %s: %w", p.name, err)
	}
	return nil
}

func (d *Desktop) logPath(name string) string { return filepath.Join(d.cfg.Dir, name+".log") }

// log returns the end of a part's output, for error messages.
func (d *Desktop) log(name string) string {
	const most = 4 << 10
	text, err := os.ReadFile(d.logPath(name))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
