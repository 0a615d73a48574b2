package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"pilotfish/app/cli/client"
	"pilotfish/backend/agent"
	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/config"
	"pilotfish/backend/confine"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

func (i Installation) checkBrowser(ctx context.Context) Finding {
	settings, _, _ := i.settings() // another check reports what is wrong with them
	found, err := chromium.Find(settings.BrowserPath)
	if err != nil {
		e := protocol.AsError(err)
		return fail(e.Hint, "%s", e.Message)
	}
	version, err := chromium.Version(ctx, found.Path)
	if err != nil {
		return fail("start it yourself to see why, or choose another browser in Settings", "%s (%s) does not report its version: %v", found.Name, found.Path, err)
	}
	return ok("%s %s (%s)", found.Name, version, found.Path)
}

// checkSettings checks that the folder and the program in the settings exist:
// without them no terminal starts.
func (i Installation) checkSettings(ctx context.Context) Finding {
	settings, problem, err := i.settings()
	if err != nil {
		return fail("check the file's permissions", "%v", err)
	}
	if problem != nil && !problem.Unknown {
		reported := problem.Error()
		return fail(reported.Hint, "%s; the last valid settings are in force", reported.Message)
	}
	launched, err := agent.New(agent.Config{}).Launch(ctx, agent.LaunchConfig{
		Kind: settings.Agent, Command: settings.AgentCommand, Args: settings.AgentArgs,
		WorkDir: settings.WorkDir, DefaultDir: os.TempDir(), // not used: no process is started
	})
	if err != nil {
		e := protocol.AsError(err)
		return fail(e.Hint, "no terminal can start: %s", e.Message)
	}
	if dir := settings.ProfileDir; dir != "" {
		if err := writable(existing(dir)); err != nil {
			return fail("choose another profile folder in Settings", "the profile folder %s cannot be written: %v", dir, err)
		}
	}
	switch missing := launched.Missing; {
	case missing != nil && missing.Install != "":
		return warn("install it: "+missing.Install, "the agent of Settings, %s, is not installed", missing.Name)
	case missing != nil:
		return warn("correct the agent's command in Settings", "the agent of Settings: %s", missing.Problem)
	case problem != nil:
		reported := problem.Error()
		return warn(reported.Hint, "%s", reported.Message)
	}
	return ok("terminals start %s", launched.Name)
}

func (i Installation) checkSandbox(ctx context.Context) Finding {
	if runtime.GOOS != "linux" {
		return ok("provided by the system")
	}
	if os.Geteuid() == 0 {
		if i.Getenv(protocol.EnvSandbox) == "1" {
			return warn("run Pilotfish as an ordinary user unless this is a disposable container",
				"off: running as root with %s=1", protocol.EnvSandbox)
		}
		return fail("run Pilotfish as an ordinary user, or set "+protocol.EnvSandbox+"=1 in a disposable container", "Chromium does not run as root with its sandbox")
	}
	if err := userNamespace(ctx); err != nil {
		return warn("if the browser does not start, install its distribution's package (it brings a sandbox of its own), or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0",
			"user namespaces are not allowed: %v", err)
	}
	return ok("user namespaces work")
}

func (i Installation) checkDisplay(ctx context.Context) Finding {
	if runtime.GOOS != "linux" {
		return ok("provided by the system")
	}
	const headless = "without a screen use `pilotfish serve --headless`"
	if wayland := i.Getenv("WAYLAND_DISPLAY"); wayland != "" {
		if !filepath.IsAbs(wayland) {
			wayland = filepath.Join(i.Getenv("XDG_RUNTIME_DIR"), wayland)
		}
		return dialDisplay(ctx, wayland, "Wayland "+i.Getenv("WAYLAND_DISPLAY"), headless)
	}
	display := i.Getenv("DISPLAY")
	if display == "" {
		return warn(headless, "there is none (neither DISPLAY nor WAYLAND_DISPLAY is set)")
	}
	number, local := strings.CutPrefix(display, ":")
	if !local {
		return ok("X11 %s, on another machine", display)
	}
	number, _, _ = strings.Cut(number, ".")
	return dialDisplay(ctx, "/tmp/.X11-unix/X"+number, "X11 "+display, headless)
}

// dialDisplay checks that a display server listens on the socket.
func dialDisplay(ctx context.Context, socket, name, hint string) Finding {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return fail(hint, "%s does not answer: %v", name, err)
	}
	conn.Close()
	return ok("%s", name)
}

func (i Installation) checkFolders(context.Context) Finding {
	dirs, err := config.UserDirs(i.Getenv)
	if err != nil {
		e := protocol.AsError(err)
		return fail(e.Hint, "%s", e.Message)
	}
	var good []string
	for _, dir := range []string{dirs.Config, dirs.State} {
		if e := protocol.AsError(config.Foreign(dir)); e != nil {
			return fail(e.Hint, "%s", e.Message)
		}
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			if err := writable(existing(dir)); err != nil {
				return fail("make its parent folder writable for you", "%s cannot be created: %v", dir, err)
			}
			good = append(good, dir+" (not created yet)")
			continue
		}
		if err != nil {
			return fail("see who owns it: ls -ld "+dir, "%s: %v", dir, err)
		}
		if err := writable(dir); err != nil {
			if journal.IsFull(err) {
				return fail("free some space on the disk", "%s cannot be written: the disk is full", dir)
			}
			return fail("chown it to you and chmod 700: "+dir, "%s cannot be written: %v", dir, err)
		}
		if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
			return fail("chmod 700 "+dir, "%s is open to other users (mode %04o)", dir, info.Mode().Perm())
		}
		good = append(good, dir)
	}
	return ok("%s", strings.Join(good, ", "))
}

// existing returns the nearest parent folder that exists.
func existing(dir string) string {
	for {
		parent := filepath.Dir(dir)
		if _, err := os.Stat(dir); err == nil || parent == dir {
			return dir
		}
		dir = parent
	}
}

// writable tries to create a file: the mode alone is not enough (a read-only or
// full disk, an ACL).
func writable(dir string) error {
	file, err := os.CreateTemp(dir, ".pilotfish-doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("x")
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

func (i Installation) checkApp(ctx context.Context) Finding {
	c, err := client.Find(i.Getenv)
	if err != nil {
		e := protocol.AsError(err)
		return warn(e.Hint, "%s", e.Message)
	}
	health, err := c.Health(ctx)
	switch {
	case err != nil:
		return fail("quit Pilotfish and start it again", "%s", protocol.AsError(err).Message)
	case health.Protocol != protocol.Version:
		return fail("update the older of the two, then restart the app", "the app uses protocol %s, this command %s", health.Protocol, protocol.Version)
	case health.Version != i.Version:
		return warn("restart the app after an update", "running, version %s; this command is %s", health.Version, i.Version)
	}
	return ok("running for %s, version %s", (time.Duration(health.UptimeS) * time.Second).String(), health.Version)
}

func (i Installation) checkCommand(context.Context) Finding {
	own, err := i.Executable()
	if err != nil {
		return warn("", "the path of this program is unknown: %v", err)
	}
	hint := "link it into a folder of your PATH: ln -s " + own + " ~/.local/bin/pilotfish (the app's own terminals find it without)"
	found, err := exec.LookPath("pilotfish")
	if err != nil {
		return warn(hint, "`pilotfish` is not on the PATH")
	}
	if same(found, own) {
		return ok("%s", found)
	}
	return warn(hint, "`pilotfish` on the PATH is a different program: %s instead of %s", found, own)
}

func same(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

// checkConfinement says whether agents are kept away from Pilotfish's own files and
// processes.
func (i Installation) checkConfinement(ctx context.Context) Finding {
	settings, _, err := i.settings()
	helper := ""
	if own, err := i.Executable(); err == nil {
		helper = own
	}
	gap := confine.DesktopGap(helper)
	switch problem := confine.Try(ctx, helper); {
	case err == nil && !settings.ConfineAgents:
		return warn("turn on Confine agents in Settings", "agents are not confined: it is turned off in Settings")
	case problem != nil:
		return warn(problem.Hint, "agents are not confined: %s", problem.Message)
	case gap != nil:
		return warn(gap.Hint, "closed without the desktop: %s", gap.Message)
	}
	return ok("closed: agents run confined, and reach neither Pilotfish nor the desktop")
}

func (i Installation) checkAgents(ctx context.Context) Finding {
	file := agent.New(agent.Config{}).Probe(ctx)
	var have, broken []string
	install := ""
	for _, info := range file.Agents {
		if info.Kind == protocol.AgentClaude {
			install = info.Install
		}
		switch {
		case info.Kind == protocol.AgentCustom:
		case info.Problem != "":
			broken = append(broken, info.Name+": "+info.Problem)
		case info.Installed:
			have = append(have, strings.TrimSpace(info.Name+" "+info.Version))
		}
	}
	text := strings.Join(have, ", ")
	switch {
	case len(broken) > 0:
		return warn("install it again, or choose another agent in Settings", "%s; %s", text, strings.Join(broken, "; "))
	case len(have) == 0:
		return warn("install a shell, or set SHELL to the path of one", "neither an agent nor a shell is installed")
	case len(have) < 2: // only the shell
		return warn("the terminal starts a shell; for Claude Code: "+install, "no agent is installed (%s)", text)
	}
	return ok("%s", text)
}

func (i Installation) checkKeyring(ctx context.Context) Finding {
	if runtime.GOOS != "linux" {
		return ok("provided by the system")
	}
	const hint = "install and unlock gnome-keyring or KWallet; without one, keys are kept for the session only"
	conn, err := i.sessionBus(ctx)
	if err != nil {
		return warn(hint, "there is no session bus: %v", err)
	}
	defer func() { _ = conn.Close() }() // nothing was written
	const service = "org.freedesktop.secrets"
	var owned bool
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, service).Store(&owned); err == nil && owned {
		return ok("%s answers", service)
	}
	var names []string
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&names); err == nil {
		for _, name := range names {
			if name == service {
				return ok("%s can be started", service)
			}
		}
	}
	return warn(hint, "no program provides %s", service)
}

// sessionBus connects to an existing session bus. The library would start one and
// leave it running.
func (i Installation) sessionBus(ctx context.Context) (*dbus.Conn, error) {
	address := i.Getenv("DBUS_SESSION_BUS_ADDRESS")
	if address == "" {
		runtimeDir := i.Getenv("XDG_RUNTIME_DIR")
		if runtimeDir == "" {
			return nil, errors.New("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
		}
		address = "unix:path=" + dbus.EscapeBusAddressValue(filepath.Join(runtimeDir, "bus"))
	}
	return dbus.Connect(address, dbus.WithContext(ctx))
}

func (i Installation) checkFonts(ctx context.Context) Finding {
	if runtime.GOOS != "linux" {
		return ok("provided by the system")
	}
	count := func(pattern string) (int, error) {
		out, err := exec.CommandContext(ctx, "fc-list", pattern, "file").Output()
		return strings.Count(string(out), "\n"), err
	}
	latin, err := count(":lang=en")
	if err != nil {
		return warn("install fontconfig and a font, such as fonts-dejavu", "fc-list cannot be asked: %v", err)
	}
	mono, err := count(":spacing=mono")
	if err != nil {
		return warn("", "fc-list cannot be asked: %v", err)
	}
	emoji, err := count(":lang=und-zsye")
	if err != nil {
		return warn("", "fc-list cannot be asked: %v", err)
	}
	switch {
	case latin == 0:
		return fail("install a font, such as fonts-dejavu", "there are none: pages show boxes")
	case mono == 0:
		return warn("install one, such as fonts-dejavu", "there is no font of one width for the terminal")
	case emoji == 0:
		return warn("install one, such as fonts-noto-color-emoji", "%s; none has emoji", plural(latin))
	}
	return ok("%s, with one width and emoji", plural(latin))
}

func plural(n int) string {
	if n == 1 {
		return "1 font"
	}
	return fmt.Sprintf("%d fonts", n)
}

// checkVersion returns what users quote in reports.
func (i Installation) checkVersion(context.Context) Finding {
	return ok("%s (%s, %s)", i.Version, runtime.GOOS+"/"+runtime.GOARCH, runtime.Version())
}

// settings returns the settings in the file, what is wrong in it, and why it cannot be
// read.
func (i Installation) settings() (settings protocol.Settings, problem *protocol.SettingsProblem, err error) {
	dirs, err := config.UserDirs(i.Getenv)
	if err != nil {
		return config.Defaults(), nil, nil //nolint:nilerr // the check of the folders says it
	}
	return config.Read(dirs.SettingsFile())
}
