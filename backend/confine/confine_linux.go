package confine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

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
func try(ctx context.Context) error {
	path, err := exec.LookPath(bubblewrap)
	if err != nil {
		return protocol.NewError(protocol.CodeNotConfined, "bubblewrap is not installed", "install the package bubblewrap: sudo apt install bubblewrap")
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
	p := Wrap(Program{Path: "/bin/sh", Args: []string{"-c", `[ ! -e "$0/secret" ] && [ $$ -le 3 ]`, hidden}, Env: os.Environ(), Dir: "/"}, Folders{Hidden: []string{hidden}})
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Env = p.Env
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	said := string(bytes.TrimSpace(out))
	if said == "" {
		said = err.Error()
	}
	return protocol.NewError(protocol.CodeNotConfined, "bubblewrap does not work here: "+said,
		"allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0")
}

// Wrap returns the program that starts p so that it sees no more than folders allow.
// It takes p's place in every way: terminal, job control, standard streams, exit
// code (see Exit). A Probe has to have said that
// it works.
//
// No new session is made: the terminal stays the controlling one, so that job
// control, Ctrl-C and resizes reach the program.
func Wrap(p Program, folders Folders) Program {
	args := []string{"--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--cap-drop", "ALL"}
	if os.Geteuid() == 0 {
		for name := range strings.FieldsSeq(rootCapabilities) {
			args = append(args, "--cap-add", name)
		}
		// Root could change the kernel's settings without any capability.
		args = append(args, "--ro-bind", "/proc/sys", "/proc/sys")
	}
	for _, dir := range append(desktopFolders(), folders.Hidden...) {
		if isFolder(dir) {
			args = append(args, "--perms", "0700", "--tmpfs", dir)
		}
	}
	for _, dir := range folders.Writable {
		args = append(args, "--bind-try", dir, dir)
	}
	for _, dir := range folders.ReadOnly {
		args = append(args, "--ro-bind-try", dir, dir)
	}
	for _, path := range keyAgents(p.Env) {
		args = append(args, "--bind-try", path, path)
	}
	args = append(args, "--chdir", p.Dir, "--", p.Path)
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

// programPath is where bubblewrap is. The path of the system comes first: an agent's
// own PATH may name another one.
func programPath() string {
	if path, err := exec.LookPath(bubblewrap); err == nil {
		return path
	}
	return "/usr/bin/" + bubblewrap
}

// desktopFolders have the sockets of the message buses, the displays and the user's
// service manager. X and the bus are also reached by what leads there, see
// desktopVariables.
func desktopFolders() []string {
	return []string{fmt.Sprintf("/run/user/%d", os.Getuid()), "/run/dbus", "/run/systemd/private", "/tmp/.X11-unix", "/tmp/.ICE-unix"}
}

// keyAgents are the sockets of what holds the user's keys, where they lie in a
// folder of desktopFolders: ssh-agent, and gpg-agent in either of its roles.
func keyAgents(env []string) []string {
	runtime := "/run/user/" + strconv.Itoa(os.Getuid())
	paths := []string{filepath.Join(runtime, "gnupg")}
	if socket := variable(env, "SSH_AUTH_SOCK"); strings.HasPrefix(socket, runtime+"/") {
		paths = append(paths, socket)
	}
	return paths
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
