package confine

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// bubblewrap is the program that makes the namespaces.
const bubblewrap = "bwrap"

// rootCapabilities are what a program of root keeps: what installing packages and
// serving on a low port take, and a user namespace of its own, in which the sandboxes of
// agents run (CAP_SETFCAP, see user_namespaces(7)). None of them undoes a mount, reaches
// another process or opens a device.
const rootCapabilities = "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_SETGID CAP_SETUID CAP_SETFCAP CAP_NET_BIND_SERVICE CAP_SYS_CHROOT"

// try starts a program as Wrap would.
func try(ctx context.Context, helper string) error {
	path, err := proc.Look(bubblewrap)
	if err != nil {
		return protocol.NewError(protocol.CodeNotConfined, "bubblewrap is not installed", "install the package bubblewrap: sudo apt install bubblewrap")
	}
	if proc.Replaceable(path) {
		return protocol.NewError(protocol.CodeNotConfined, "an agent could replace "+path+", which confines the next one", "install the package bubblewrap of the system: sudo apt install bubblewrap")
	}
	hidden, err := os.MkdirTemp("", "pilotfish-confine-*")
	if err != nil {
		return protocol.NewError(protocol.CodeNotConfined, "a temporary folder cannot be made: "+err.Error(), "make room on the disk")
	}
	defer func() { _ = os.RemoveAll(hidden) }() // it is in the temporary folder
	if err := os.WriteFile(filepath.Join(hidden, "secret"), nil, 0o600); err != nil {
		return protocol.NewError(protocol.CodeNotConfined, "a temporary file cannot be written: "+err.Error(), "make room on the disk")
	}
	// In its namespace the shell is the second process, and the folder is empty.
	p := Wrap(Program{Path: "/bin/sh", Args: []string{"-c", `[ ! -e "$0/secret" ] && [ $$ -le 3 ]`, hidden}, Env: os.Environ(), Dir: "/"}, Folders{Hidden: []string{hidden}, Helper: helper})
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Env = p.Env
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return protocol.NewError(protocol.CodeNotConfined, "bubblewrap did not answer in "+probeLimit.String(), "start Pilotfish again when the machine is less busy")
	}
	said := string(bytes.TrimSpace(out))
	if said == "" {
		said = err.Error()
	}
	return protocol.NewError(protocol.CodeNotConfined, "bubblewrap does not work here: "+said,
		"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a container they need its whole /proc, too (docs/server.md)")
}

// Wrap returns the program that starts p so that it sees no more than folders allow.
// It takes p's place in every way: terminal, job control, standard streams, exit
// code (see Exit). A Probe has to have said that
// it works.
//
// No new session is made: the terminal stays the controlling one, so that job
// control, Ctrl-C and resizes reach the program.
func Wrap(p Program, folders Folders) Program {
	args := []string{"--dev-bind", "/", "/"}
	// A folder that something is mounted on cannot be renamed: nobody puts another folder in
	// the place of a hidden one, where the next program would find it open.
	programs := programsOf(folders.Helper)
	for _, dir := range parents(append(slices.Clone(folders.Hidden), programs...)) {
		args = append(args, "--dev-bind", dir, dir)
	}
	// What the app starts next stays what it is.
	for _, path := range programs {
		args = append(args, "--ro-bind", path, path)
	}
	// Its devices are its own: no terminal but the one that it has open.
	args = append(args, "--dev", "/dev")
	for _, device := range sharedDevices() {
		args = append(args, "--dev-bind-try", device, device)
	}
	// Shared memory is its own: the browser's has pages in it, and pictures of its window. A
	// control group ends or freezes the app, and root could change the kernel by /sys.
	args = append(args, "--perms", "1777", "--tmpfs", "/dev/shm", "--ro-bind-try", "/sys", "/sys",
		"--unshare-ipc", "--unshare-pid", "--proc", "/proc", "--cap-drop", "ALL")
	if os.Geteuid() == 0 {
		for name := range strings.FieldsSeq(rootCapabilities) {
			args = append(args, "--cap-add", name)
		}
		// Root could change the kernel's settings without any capability.
		args = append(args, "--ro-bind", "/proc/sys", "/proc/sys")
	}
	for _, dir := range append(desktopFolders(p), folders.Hidden...) {
		if isFolder(dir) {
			args = append(args, "--perms", "0700", "--tmpfs", dir)
		}
	}
	for _, path := range desktopFiles(p.Env) {
		if _, err := os.Stat(path); err == nil {
			args = append(args, "--ro-bind", "/dev/null", path)
		}
	}
	for _, dir := range folders.Writable {
		args = append(args, "--bind-try", dir, dir)
	}
	for _, dir := range folders.ReadOnly {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, path := range keyAgents(p) {
		args = append(args, "--bind-try", path, path)
	}
	args = append(args, "--chdir", p.Dir, "--")
	if folders.Helper != "" {
		args = append(args, folders.Helper, "seal")
	}
	args = append(args, p.Path)
	return Program{Path: programPath(), Args: append(args, p.Args...), Env: environment(p.Env), Dir: "/"}
}

// Exit returns how a confined program ended, by how bubblewrap ended.
func Exit(e protocol.Exit) protocol.Exit {
	if name := unix.SignalName(unix.Signal(e.Code - signalExit)); e.Code > signalExit && name != "" {
		e.Code, e.Signal = -1, name
	}
	return e
}

// signalExit is what bubblewrap adds to the number of the signal that ended its
// program, as shells do.
const signalExit = 128

// programPath is where bubblewrap is: one that no agent can have put there.
func programPath() string {
	if path, err := proc.Look(bubblewrap); err == nil && !proc.Replaceable(path) {
		return path
	}
	return "/usr/bin/" + bubblewrap
}

// parents returns the folders around some folders, outer ones first, without the root.
func parents(dirs []string) []string {
	var all []string
	for _, dir := range dirs {
		for up := filepath.Dir(dir); up != "/" && up != "." && !slices.Contains(all, up); up = filepath.Dir(up) {
			if isFolder(up) {
				all = append(all, up)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) })
	return all
}

// sharedDevices are devices of the machine that lead to no terminal and no desktop.
func sharedDevices() []string {
	return []string{"/dev/dri", "/dev/kvm", "/dev/fuse", "/dev/net"}
}

// programsOf are the app's programs beside its helper that this user can replace.
func programsOf(helper string) []string {
	dir := filepath.Dir(helper)
	if helper == "" || unix.Access(dir, unix.W_OK) != nil {
		return nil
	}
	var found []string
	for _, name := range []string{"Pilotfish", "pilotfish", "pilotfish-service", "pilotfish-tray", "pilotfish-window"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			found = append(found, filepath.Join(dir, name))
		}
	}
	return found
}

// desktopFiles lead to the desktop from outside of desktopFolders: the keys of the X
// server, the socket of the message bus, and those of the system's service manager.
func desktopFiles(env []string) []string {
	files := []string{variable(env, "XAUTHORITY"), filepath.Join(variable(env, "HOME"), ".Xauthority"), "/run/systemd/private", "/run/systemd/io.systemd.Manager"}
	for address := range strings.SplitSeq(variable(env, "DBUS_SESSION_BUS_ADDRESS"), ";") {
		for part := range strings.SplitSeq(strings.TrimPrefix(address, "unix:"), ",") {
			if path, ok := strings.CutPrefix(part, "path="); ok {
				if named, err := url.PathUnescape(path); err == nil {
					files = append(files, named)
				}
			}
		}
	}
	return slices.DeleteFunc(append(files, otherBuses()...), func(path string) bool { return !filepath.IsAbs(path) })
}

// otherBuses are the sockets of message buses that listen now, whatever the environment
// names: those of another desktop of the user, or of a program that has started its own.
// dbus-daemon names them so.
func otherBuses() []string {
	data, _ := os.ReadFile("/proc/net/unix") // where there is none, nothing is listed
	var found []string
	for line := range strings.Lines(string(data)) {
		const listening = "00010000"
		fields := strings.Fields(line)
		if len(fields) < 8 || fields[3] != listening {
			continue
		}
		_, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "+fields[7])
		path = fields[7] + path // it may contain spaces
		if strings.HasPrefix(filepath.Base(path), "dbus-") && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	return found
}

// desktopFolders have the sockets of the message buses, the displays and the user's
// service manager. X and the bus are also reached by what leads there, see
// desktopVariables.
func desktopFolders(p Program) []string {
	return append(runtimeFolders(p), "/run/dbus", "/tmp/.X11-unix", "/tmp/.ICE-unix", filepath.Join(variable(p.Env, "HOME"), ".cache/at-spi"))
}

// runtimeFolders are the folders of the user's sockets: that of the system, and the one
// that the environment names, unless the program's own files are there.
func runtimeFolders(p Program) []string {
	dirs := []string{fmt.Sprintf("/run/user/%d", os.Getuid())}
	named := filepath.Clean(variable(p.Env, "XDG_RUNTIME_DIR"))
	info, err := os.Stat(named)
	within := func(dir string) bool { return dir == named || strings.HasPrefix(dir, named+"/") }
	if err == nil && info.IsDir() && info.Mode().Perm() == 0o700 && filepath.IsAbs(named) && !slices.Contains(dirs, named) && !within(p.Dir) && !within(variable(p.Env, "HOME")) {
		dirs = append(dirs, named)
	}
	return dirs
}

// keyAgents are the sockets of what holds the user's keys, where they lie in a folder of
// runtimeFolders: ssh-agent, and gpg-agent in either of its roles.
func keyAgents(p Program) []string {
	var paths []string
	socket := variable(p.Env, "SSH_AUTH_SOCK")
	for _, runtime := range runtimeFolders(p) {
		paths = append(paths, filepath.Join(runtime, "gnupg"))
		if strings.HasPrefix(socket, runtime+"/") {
			paths = append(paths, socket)
		}
	}
	return paths
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
