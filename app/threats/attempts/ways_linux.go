package attempts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errRefused is why a way got nowhere when nothing more is to be said.
var errRefused = errors.New("there is nothing")

func ways() []way {
	return slices.Concat(fileWays(), desktopWays(), processWays(), kernelWays(), moreWays(), serverWays(), misleading())
}

// fileWays are about the app's files.
func fileWays() []way {
	return []way{
		{51, "rename a folder around the state", func(_ context.Context, w World) (string, error) {
			return anyOf(w.around(), renamed)
		}},
		{51, "rename the folder of the state", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{w.State, w.Config}, renamed)
		}},
		{51, "rename the browser's profile", func(_ context.Context, w World) (string, error) { return anyOf(w.Profiles, renamed) }},
		{51, "unmount what covers the state", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `umount -l "$STATE" && ls "$STATE/processes"`)
		}},
		{51, "unmount what covers the state in a user namespace", inNamespace(`umount "$STATE"; umount -l "$STATE"; ls "$STATE/processes"`)},
		{51, "move what covers the state in a user namespace", inNamespace(`mkdir -p "$TMP/pf-moved" && mount --move "$STATE" "$TMP/pf-moved" && ls "$STATE/processes"; r=$?; rmdir "$TMP/pf-moved"; exit $r`)},
		{51, "bind the root without its mounts in a user namespace", inNamespace(`mount --bind / /mnt && ls "/mnt$STATE/processes"`)},
		{51, "see the state through an overlay in a user namespace", inNamespace(`o="$TMP/pf-o"; mkdir -p "$o/u" "$o/w" "$o/m" && mount -t overlay o -o lowerdir="$(dirname "$STATE")",upperdir="$o/u",workdir="$o/w" "$o/m" && ls "$o/m/$(basename "$STATE")/processes"; r=$?; rm -rf "$o"; exit $r`)},
		{51, "read the state", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{"processes", "logs", "pilotfish.json", "lock"}, func(name string) error {
				_, err := os.Stat(filepath.Join(w.State, name))
				return err
			})
		}},
		{51, "see the real folder of the settings or the state", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{w.Config, w.State}, func(dir string) error {
				if identity(dir) != w.Identities[dir] {
					return errors.New("it is another folder")
				}
				return nil
			})
		}},
		{51, "read the browser's profile", func(_ context.Context, w World) (string, error) { return anyOf(w.Profiles, entries) }},
		{51, "read the state through another process", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `for up in root cwd; do ls /proc/[0-9]*/$up"$STATE"/processes && exit 0; done; exit 1`)
		}},
		{51, "read the state through an open descriptor of another process", func(_ context.Context, w World) (string, error) {
			return throughDescriptors(w.State)
		}},
		{51, "open the root by its handle", func(context.Context, World) (string, error) { return byHandle("/") }},
		{51, "read the disk's device", func(context.Context, World) (string, error) { return diskDevice() }},
		{52, "give a page a file that only the app can read, by a link", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `ln -sf "$STATE/pilotfish.json" "$TMP/pf-link.txt"; pilotfish upload 'css=input[type=file]' "$TMP/pf-link.txt"; r=$?; rm -f "$TMP/pf-link.txt"; exit $r`)
		}},
		{0, "let the app write through a link in the agent's folder", func(ctx context.Context, w World) (string, error) {
			if w.Agent == "" {
				return "", errRefused
			}
			return script(ctx, w, `echo before >"$TMP/pf-victim"; ln -sf "$TMP/pf-victim" "$AGENT/active-tab.json" && ln -sf "$TMP/pf-victim" "$AGENT/tabs.json"; pilotfish goto "$PILOTFISH_URL/welcome" >/dev/null; grep -qv before "$TMP/pf-victim"; r=$?; rm -f "$TMP/pf-victim"; exit $r`)
		}},
		{0, "replace the agent's folder by a link", func(_ context.Context, w World) (string, error) {
			if w.Agent == "" {
				return "", errRefused
			}
			return "", renamed(w.Agent)
		}},
		{0, "see the folders of other sessions", func(_ context.Context, w World) (string, error) {
			others, _ := filepath.Glob(filepath.Join(w.State, "sessions", "*", "session.json")) // only a bad pattern fails
			return first(others)
		}},
		{0, "write a file that the app hands out (screenshots, downloads)", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{"screenshots", "downloads", "attachments"}, func(name string) error {
				return created(filepath.Join(filepath.Dir(w.Agent), name, "pf-attempt"))
			})
		}},
		{0, "replace a program of the app", func(_ context.Context, w World) (string, error) { return anyOf(w.Programs, renamed) }},
		{0, "write a program of the app", func(_ context.Context, w World) (string, error) { return anyOf(w.Programs, writable) }},
		{0, "rename the folder of the app's programs", func(_ context.Context, w World) (string, error) {
			var dirs []string
			for _, program := range w.Programs {
				dirs = append(dirs, filepath.Dir(program))
			}
			return anyOf(dirs, renamed)
		}},
		{0, "read what the app keeps in a temporary folder", func(_ context.Context, w World) (string, error) {
			return anyOf(w.Singletons, func(socket string) error {
				_, err := os.Stat(filepath.Dir(socket))
				return err
			})
		}},
	}
}

// desktopWays are about what acts as the user: Chromium's socket, X, the message buses,
// other terminals, the service manager.
func desktopWays() []way {
	return []way{
		{54, "Chromium's singleton socket", func(_ context.Context, w World) (string, error) {
			return anyOf(w.Singletons, dial)
		}},
		{54, "Chromium's singleton socket by the profile", func(_ context.Context, w World) (string, error) {
			var links []string
			for _, profile := range w.Profiles {
				links = append(links, filepath.Join(profile, "SingletonSocket"))
			}
			return anyOf(links, dial)
		}},
		{55, "an abstract socket of another program", func(_ context.Context, w World) (string, error) {
			return w.Abstract, dial("@" + w.Abstract)
		}},
		{55, "X by its abstract socket", func(context.Context, World) (string, error) {
			return anyOf(sockets("@/tmp/.X11-unix/"), speaksX)
		}},
		{55, "X by its socket", func(context.Context, World) (string, error) {
			return anyOf(matches("/tmp/.X11-unix/X*"), speaksX)
		}},
		{55, "X by TCP", func(_ context.Context, w World) (string, error) {
			_, number, _ := strings.Cut(w.Env["DISPLAY"], ":")
			number, _, _ = strings.Cut(number, ".")
			return anyOf([]string{fmt.Sprintf("tcp:127.0.0.1:%d", 6000+atoi(number))}, speaksX)
		}},
		{55, "read the keys of the X server", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{w.Env["XAUTHORITY"], filepath.Join(w.Env["HOME"], ".Xauthority")}, notEmpty)
		}},
		{55, "a Wayland display", func(_ context.Context, w World) (string, error) {
			return anyOf(append(matches(filepath.Join(w.Env["XDG_RUNTIME_DIR"], "wayland-*")), sockets("wayland-")...), dial)
		}},
		{55, "ICE, the desktop's session manager", func(context.Context, World) (string, error) {
			return anyOf(append(matches("/tmp/.ICE-unix/*"), sockets("/tmp/.ICE-unix/")...), dial)
		}},
		{56, "the session bus by its address", func(_ context.Context, w World) (string, error) {
			return anyOf(busSockets(w.Env["DBUS_SESSION_BUS_ADDRESS"]), speaksDBus)
		}},
		{56, "a message bus by an abstract socket", func(context.Context, World) (string, error) {
			return anyOf(onlyAbstract(sockets("")), speaksDBus)
		}},
		{56, "the message bus of the accessibility service", func(_ context.Context, w World) (string, error) {
			return anyOf(slices.Concat(matches(filepath.Join(w.Env["XDG_RUNTIME_DIR"], "at-spi/bus*")), matches(filepath.Join(w.Env["HOME"], ".cache/at-spi/bus*")), sockets("at-spi")), speaksDBus)
		}},
		{56, "the session bus in the runtime folder", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{filepath.Join(w.Env["XDG_RUNTIME_DIR"], "bus"), fmt.Sprintf("/run/user/%d/bus", os.Getuid())}, speaksDBus)
		}},
		{56, "the system's message bus", func(context.Context, World) (string, error) {
			return anyOf([]string{"/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket"}, speaksDBus)
		}},
		{56, "the service manager of the user or the system", func(_ context.Context, w World) (string, error) {
			return anyOf([]string{
				fmt.Sprintf("/run/user/%d/systemd/private", os.Getuid()), filepath.Join(w.Env["XDG_RUNTIME_DIR"], "systemd/private"),
				"/run/systemd/private", "/run/systemd/io.systemd.Manager",
			}, dial)
		}},
		{57, "write to another terminal", func(_ context.Context, w World) (string, error) { return w.Terminal, writable(w.Terminal) }},
		{57, "another terminal by a devpts of its own", inNamespace(`mkdir -p "$TMP/pf-pts" && mount -t devpts devpts "$TMP/pf-pts" && test -e "$TMP/pf-pts/$(basename "$TERMINAL")"; r=$?; umount "$TMP/pf-pts"; rmdir "$TMP/pf-pts"; exit $r`)},
		{57, "put text into the input of the terminal that it shares with its starter", func(context.Context, World) (string, error) { return typeAhead() }},
		{57, "the consoles of the machine and its input devices", func(context.Context, World) (string, error) {
			return anyOf(slices.Concat(matches("/dev/vcs*"), matches("/dev/tty[0-9]*"), matches("/dev/input/*"), []string{"/dev/uinput", "/dev/fb0"}), writable)
		}},
	}
}

// processWays are about other processes.
func processWays() []way {
	return []way{
		{0, "see the app or its browser", func(context.Context, World) (string, error) {
			return first(others("Pilotfish\n", "chrom"))
		}},
		{0, "read the token of another process", func(context.Context, World) (string, error) {
			mine := "PILOTFISH_TOKEN=" + os.Getenv("PILOTFISH_TOKEN")
			for _, pid := range processes() {
				data, _ := os.ReadFile("/proc/" + pid + "/environ") // not ours, or gone
				for pair := range strings.SplitSeq(string(data), "\x00") {
					if strings.HasPrefix(pair, "PILOTFISH_TOKEN=") && pair != mine {
						return pid, nil
					}
				}
			}
			return "", errRefused
		}},
		{0, "trace a process that is not its own", func(context.Context, World) (string, error) {
			return anyOf(others("Pilotfish\n", "chrom"), func(pid string) error {
				err := unix.PtraceSeize(atoi(pid))
				if err == nil {
					_ = unix.PtraceDetach(atoi(pid)) // it ends with us, too
				}
				return err
			})
		}},
		{0, "end a process of the app", func(context.Context, World) (string, error) {
			return anyOf(others("Pilotfish\n", "chrom"), func(pid string) error { return unix.Kill(atoi(pid), 0) })
		}},
		{0, "freeze or end the app by its control group", func(context.Context, World) (string, error) {
			var files []string
			_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, _ os.DirEntry, err error) error { // what cannot be read is not there
				if err == nil && (filepath.Base(path) == "cgroup.procs" || filepath.Base(path) == "cgroup.kill") {
					files = append(files, path)
				}
				return nil
			})
			return anyOf(files, writable)
		}},
		{0, "an open file or socket that it inherited", func(context.Context, World) (string, error) { return inherited() }},
		{0, "the shared memory of the browser as a file", func(_ context.Context, w World) (string, error) { return w.Shared, notEmpty(w.Shared) }},
		{0, "a segment of shared memory of another program (pictures of windows)", func(_ context.Context, w World) (string, error) { return attach(w.Segment) }},
		{0, "message queues of other programs", func(context.Context, World) (string, error) {
			data, err := os.ReadFile("/proc/sysvipc/msg")
			if err == nil && bytes.Count(data, []byte("\n")) < 2 {
				err = errRefused
			}
			return "", err
		}},
		{0, "the debugging port of a browser", debuggingPort},
		{0, "gain rights by a program with setuid", func(context.Context, World) (string, error) {
			status, err := os.ReadFile("/proc/self/status")
			if err == nil && bytes.Contains(status, []byte("NoNewPrivs:\t1")) {
				err = errors.New("no new privileges")
			}
			return "", err
		}},
		{0, "run the command line from memory, without a mark of an agent", fromMemory},
		{0, "the command line without its token", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `env -u PILOTFISH_TOKEN -u PILOTFISH_URL -u PILOTFISH_PROC -u PILOTFISH_CONFINED PILOTFISH_NO_AUTOSTART=1 pilotfish status`)
		}},
		{0, "allow itself a site", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `PILOTFISH_NO_AUTOSTART=1 pilotfish rules allow eval http://attempts.test`)
		}},
		{58, "read a tab of the user", func(ctx context.Context, w World) (string, error) {
			return script(ctx, w, `for t in 1 2 3 4 5 6; do if [ "t$t" != "$PILOTFISH_TAB" ] && PILOTFISH_NO_AUTOSTART=1 pilotfish text --tab t$t; then exit 0; fi; done; exit 1`)
		}},
	}
}

// kernelWays are about the machine.
func kernelWays() []way {
	return []way{
		{0, "change the kernel's settings", func(context.Context, World) (string, error) {
			return anyOf([]string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/dev/tty/legacy_tiocsti", "/proc/sys/fs/suid_dumpable", "/proc/sysrq-trigger"}, writable)
		}},
		{0, "change the kernel's settings in /sys", func(context.Context, World) (string, error) {
			return anyOf([]string{"/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state", "/sys/kernel/profiling", "/sys/module/printk/parameters/time"}, writable)
		}},
		{0, "read the machine's memory", func(context.Context, World) (string, error) {
			return anyOf([]string{"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/proc/kcore"}, func(path string) error {
				f, err := os.Open(path)
				if err == nil {
					_ = f.Close() // nothing was read
				}
				return err
			})
		}},
		{0, "listen to the packets of other programs", func(context.Context, World) (string, error) {
			fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, int(htons(unix.ETH_P_ALL)))
			if err == nil {
				_ = unix.Close(fd) // nothing was read
			}
			return "", err
		}},
		{0, "watch every file of the disk", func(context.Context, World) (string, error) {
			fd, err := unix.FanotifyInit(unix.FAN_CLASS_NOTIF|unix.FAN_REPORT_FID, unix.O_RDONLY)
			if err != nil {
				return "", err
			}
			defer func() { _ = unix.Close(fd) }() // nothing was read
			return "", unix.FanotifyMark(fd, unix.FAN_MARK_ADD|unix.FAN_MARK_FILESYSTEM, unix.FAN_MODIFY, unix.AT_FDCWD, "/")
		}},
		{0, "make a device", func(context.Context, World) (string, error) {
			path := filepath.Join(os.TempDir(), "pf-device")
			err := unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1)))
			if err == nil {
				_ = os.Remove(path) // it was just made
			}
			return "", err
		}},
		{0, "load code into the kernel", func(context.Context, World) (string, error) {
			err := unix.FinitModule(-1, "", 0)
			if errors.Is(err, unix.EBADF) { // the kernel asks for rights before it looks at the file
				return "the kernel takes a module", nil
			}
			return "", err
		}},
		{0, "join the namespace of another process", func(context.Context, World) (string, error) {
			mine, _ := os.Readlink("/proc/self/ns/mnt") // a link of the kernel
			return anyOf(processes(), func(pid string) error {
				at, err := os.Readlink("/proc/" + pid + "/ns/mnt")
				if err == nil && at == mine {
					err = errRefused
				}
				return err
			})
		}},
	}
}

// around are the folders around state and profiles, up to the root.
func (w World) around() []string {
	var all []string
	for _, dir := range append([]string{w.State, w.Config}, w.Profiles...) {
		if strings.HasPrefix(dir, w.State+"/") {
			continue // around it is the state, which is not the real one here
		}
		for up := filepath.Dir(dir); up != "/" && up != "."; up = filepath.Dir(up) {
			if !slices.Contains(all, up) {
				all = append(all, up)
			}
		}
	}
	return all
}

// identity is what a folder is, whatever its path; empty for none.
func identity(dir string) string {
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return ""
	}
	return fmt.Sprint(stat.Dev, " ", stat.Ino)
}

// anyOf tries something with several objects. It succeeds when one of them does.
func anyOf(objects []string, try func(string) error) (string, error) {
	last := errRefused
	for _, object := range objects {
		if object == "" {
			continue
		}
		if last = try(object); last == nil {
			return object, nil
		}
	}
	return "", last
}

func first(found []string) (string, error) {
	if len(found) == 0 {
		return "", errRefused
	}
	return found[0], nil
}

func matches(pattern string) []string {
	found, _ := filepath.Glob(pattern) // only a bad pattern fails
	return found
}

// renamed renames a file or folder, and renames it back.
func renamed(path string) error {
	if err := os.Rename(path, path+".pf-attempt"); err != nil {
		return err
	}
	return os.Rename(path+".pf-attempt", path)
}

// writable opens a file for writing, and writes nothing.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err == nil {
		_ = f.Close() // nothing was written
	}
	return err
}

// created makes a file and removes it.
func created(path string) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Remove(path)
}

func notEmpty(path string) error {
	data, err := os.ReadFile(path)
	if err == nil && len(data) == 0 {
		err = errRefused
	}
	return err
}

func entries(dir string) error {
	_, err := listed(dir)
	return err
}

func listed(dir string) (string, error) {
	found, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", errRefused
	}
	return found[0].Name(), nil
}

// script runs a shell script that knows the world. It succeeds when the script does.
func script(ctx context.Context, w World, text string) (string, error) {
	return run(exec.CommandContext(ctx, "/bin/bash", "-c", text), w)
}

func run(cmd *exec.Cmd, w World) (string, error) {
	cmd.Env = append(os.Environ(), "STATE="+w.State, "CONFIG="+w.Config, "AGENT="+w.Agent, "TERMINAL="+w.Terminal, "TMP="+os.TempDir())
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	said := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "; ")
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return said, nil
}

// inNamespace runs a script as root of a user namespace with mounts of its own.
func inNamespace(text string) func(context.Context, World) (string, error) {
	return func(ctx context.Context, w World) (string, error) {
		cmd := exec.CommandContext(ctx, "/bin/bash", "-c", text)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		return run(cmd, w)
	}
}

// throughDescriptors looks for a file below dir that a visible process has open.
func throughDescriptors(dir string) (string, error) {
	for _, link := range matches("/proc/[0-9]*/fd/*") {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir+"/") && !slices.Contains(strings.Split(at, "/"), "work") {
			return at, nil
		}
	}
	return "", errRefused
}

// byHandle opens the root of a file system by its handle, which no mount hides.
func byHandle(path string) (string, error) {
	handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return "", err
	}
	fd, err := unix.OpenByHandleAt(unix.AT_FDCWD, handle, unix.O_RDONLY)
	if err != nil {
		return "", err
	}
	_ = unix.Close(fd) // nothing was read
	return fmt.Sprint("mount ", mount), nil
}

// diskDevice makes the device of the root's disk, and opens it.
func diskDevice() (string, error) {
	var root unix.Stat_t
	if err := unix.Stat("/", &root); err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), "pf-disk")
	if err := unix.Mknod(path, unix.S_IFBLK|0o600, int(root.Dev)); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(path) }() // it was just made
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	_ = f.Close() // nothing was read
	return path, nil
}

// typeAhead puts a space into the input of the controlling terminal.
func typeAhead() (string, error) {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
	if err != nil {
		fd = 0 // in a namespace of its own /dev/tty may lead nowhere
	} else {
		defer func() { _ = unix.Close(fd) }() // nothing was written
	}
	space := byte(' ')
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI, uintptr(unsafe.Pointer(&space))); errno != 0 { //nolint:gosec // the call reads one byte
		return "", errno
	}
	return "a space", nil
}

// processes are the ids of the visible processes other than this one.
func processes() []string {
	var pids []string
	for _, path := range matches("/proc/[0-9]*") {
		if pid := filepath.Base(path); atoi(pid) != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// others are visible processes whose names have one of some texts.
func others(texts ...string) []string {
	return slices.DeleteFunc(processes(), func(pid string) bool {
		data, _ := os.ReadFile("/proc/" + pid + "/comm") // it may be gone
		return !slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(data, []byte(text)) })
	})
}

func atoi(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}

func htons(n uint16) uint16 { return n<<8 | n>>8 }

// inherited looks for descriptors beside the standard streams that this program did not
// open: the runtime's own are of the kinds that it makes.
func inherited() (string, error) {
	for _, link := range matches("/proc/self/fd/*") {
		at, err := os.Readlink(link)
		if fd := atoi(filepath.Base(link)); err != nil || fd < 3 || strings.HasPrefix(at, "anon_inode:") || strings.HasPrefix(at, "/proc/") || strings.HasPrefix(at, "/sys/fs/cgroup/") || strings.HasPrefix(at, "/dev/") || strings.Contains(at, "attempts") {
			continue
		}
		return at, nil
	}
	return "", errRefused
}

// attach attaches a segment of System V shared memory.
func attach(id int) (string, error) {
	if id < 0 {
		return "", errRefused
	}
	data, err := unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.SysvShmDetach(data) }() // it ends with us, too
	return fmt.Sprintf("%d bytes", len(data)), nil
}

// fromMemory copies the command line into memory and runs it with an empty environment
// and in a session of its own.
func fromMemory(ctx context.Context, w World) (string, error) {
	path, err := exec.LookPath("pilotfish")
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	fd, err := unix.MemfdCreate("attempts", 0)
	if err != nil {
		return "", err
	}
	file := os.NewFile(uintptr(fd), "attempts")
	defer file.Close()
	if _, err := file.Write(program); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), "status")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	cmd.Env = []string{"HOME=" + os.Getenv("HOME"), "PILOTFISH_NO_AUTOSTART=1", "PILOTFISH_HOME=" + w.Env["PILOTFISH_HOME"]}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return "it answers", nil
}
