package attempts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// moreWays are about other interfaces of the kernel, what a terminal answers, and how a
// server could be misled about who asks.
func moreWays() []way {
	return []way{
		{0, "write the memory of another process by a file", func(context.Context, World) (string, error) {
			return anyOf(others("Pilotfish\n", "chrom"), func(pid string) error { return writable("/proc/" + pid + "/mem") })
		}},
		{0, "read the memory of another process", func(context.Context, World) (string, error) {
			return anyOf(others("Pilotfish\n", "chrom"), func(pid string) error {
				one, at := make([]byte, 1), mapped(pid)
				_, err := unix.ProcessVMReadv(atoi(pid), []unix.Iovec{{Base: &one[0], Len: 1}}, []unix.RemoteIovec{{Base: at, Len: 1}}, 0)
				return err
			})
		}},
		{0, "take an open file or socket of another process", func(context.Context, World) (string, error) {
			return anyOf(others("Pilotfish\n", "chrom"), func(pid string) error {
				process, err := unix.PidfdOpen(atoi(pid), 0)
				if err != nil {
					return err
				}
				defer func() { _ = unix.Close(process) }() // nothing was sent to it
				fd, err := unix.PidfdGetfd(process, 0, 0)
				if err == nil {
					_ = unix.Close(fd) // nothing was read
				}
				return err
			})
		}},
		{0, "a key in the kernel's keyring of the user", func(_ context.Context, w World) (string, error) {
			id, err := unix.KeyctlSearch(unix.KEY_SPEC_USER_KEYRING, "user", w.Abstract, 0)
			if err == nil {
				_, err = unix.KeyctlBuffer(unix.KEYCTL_READ, id, make([]byte, 10), 10)
			}
			return w.Abstract, err
		}},
		{55, "an abstract socket of another program by a ring of calls", func(_ context.Context, w World) (string, error) {
			return w.Abstract, ringConnect("@" + w.Abstract)
		}},
		{57, "put text into the input of its terminal by a program of 32 bits", func(ctx context.Context, _ World) (string, error) { return "a space", typeAhead32(ctx) }},
		{57, "put text into the input of its terminal by another table of calls", func(context.Context, World) (string, error) {
			if runtime.GOARCH != "amd64" {
				return "", errRefused
			}
			space := byte(' ')
			_, _, errno := unix.Syscall(0x40000000+514, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&space))) //nolint:gosec // the call reads one byte
			if errno != 0 {
				return "", errno
			}
			return "a space", nil
		}},
		{24, "read the clipboard by its terminal", asksTerminal("\x1b]52;c;?\x07", "]52;")},
		{24, "have its terminal type a title", asksTerminal("\x1b]0;echo planted\x07\x1b[21t", "planted")},
		{24, "have its terminal type what it was set to", asksTerminal("\x1bP$q\"planted\r\x1b\\", "planted")},
		{0, "measure other processes by the kernel", func(context.Context, World) (string, error) {
			fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_CLOCK, Size: unix.PERF_ATTR_SIZE_VER0}, -1, 0, -1, 0)
			if err == nil {
				_ = unix.Close(fd) // nothing was read
			}
			return "all of them", err
		}},
		{0, "run code in the kernel's filters", func(context.Context, World) (string, error) {
			attr := [16]uint32{2, 4, 8, 1}                                                                     // an array of one element
			fd, _, errno := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)) //nolint:gosec // the call reads attr
			if errno != 0 {
				return "", errno
			}
			_ = unix.Close(int(fd)) // it was just made
			return "the kernel makes a map", nil
		}},
		{0, "packets of any kind", func(context.Context, World) (string, error) {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW)
			if err == nil {
				_ = unix.Close(fd) // nothing was sent
			}
			return "raw packets", err
		}},
		{0, "change the machine's name", func(context.Context, World) (string, error) {
			name, err := os.Hostname()
			if err == nil {
				err = unix.Sethostname([]byte(name))
			}
			return name, err
		}},
		{0, "the control groups of the machine, mounted anew", inNamespace(`mkdir -p "$TMP/pf-c" && mount -t cgroup2 c "$TMP/pf-c" && test -w "$TMP/pf-c/cgroup.procs"; r=$?; umount "$TMP/pf-c"; rmdir "$TMP/pf-c"; exit $r`)},
		{0, "the processes of the machine, mounted anew", inNamespace(`mkdir -p "$TMP/pf-p" && mount -t proc p "$TMP/pf-p" && grep -lx -e Pilotfish "$TMP"/pf-p/[0-9]*/comm; r=$?; umount "$TMP/pf-p"; rmdir "$TMP/pf-p"; exit $r`)},
		{0, "a socket in the app's folders", func(_ context.Context, w World) (string, error) {
			return anyOf(append(sockets(w.State+"/"), sockets(w.Config+"/")...), func(path string) error {
				_, err := os.Stat(path) // a connection could take the place of another one
				return err
			})
		}},
		{56, "a session bus that the environment does not name", func(_ context.Context, w World) (string, error) { return w.Bus, dial(w.Bus) }},
		{0, "the server by other names of this machine", func(context.Context, World) (string, error) {
			port := serverPort()
			return anyOf([]string{"tcp:[::1]:" + port, "tcp:127.0.0.2:" + port, "tcp:" + firstAddress() + ":" + port}, dial)
		}},
	}
}

// misleading are requests about which two readers could disagree, and those that only a
// page or the panel sends.
func misleading() []way {
	token := "Authorization: Bearer " + os.Getenv("PILOTFISH_TOKEN")
	const (
		asJSON   = "Content-Type: application/json"
		upgrade  = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
		protocol = "Sec-WebSocket-Protocol: pilotfish, "
	)
	return []way{
		{0, "the server under two Hosts", requested("GET", "/tabs", "", token, "Host: evil.test", "Host: 127.0.0.1:"+serverPort())},
		{0, "the server with a Host that was forwarded", requested("GET", "/tabs", "", token, "Host: evil.test", "X-Forwarded-Host: 127.0.0.1:"+serverPort())},
		{0, "a second request inside of the first", requested("POST", "/command", "0\r\n\r\nPOST /app HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", asJSON, "Transfer-Encoding: chunked")},
		{0, "the app's route in other spellings", spelled("/app/", "//app", "/./app", "/x/../app", "/%61pp", "/APP", "/app;x", "/app%00")},
		{0, "the app's route by another method", requested("GET", "/app", "", token, "X-HTTP-Method-Override: POST")},
		{0, "a socket of the panel without Origin", requested("GET", "/panel", "", upgrade)},
		{0, "a socket of a terminal with an agent's token", requested("GET", "/ws", "", upgrade, protocol+os.Getenv("PILOTFISH_TOKEN"))},
		{0, "a socket under another Host and its Origin", requested("GET", "/panel", "", upgrade, "Host: evil.test", "Origin: http://evil.test", protocol+os.Getenv("PILOTFISH_TOKEN"))},
		{0, "a command in the name of the user", requested("POST", "/command", `{"command":"rules","args":{"do":"allow"},"actor":{"kind":"user"},"scopes":["admin"]}`, token, asJSON, "X-Pilotfish-Actor: user")},
	}
}

func serverPort() string {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(os.Getenv("PILOTFISH_URL"), "http://"))
	return port
}

// spelled requests a route of the app in several spellings, with an agent's token.
func spelled(paths ...string) func(context.Context, World) (string, error) {
	return func(ctx context.Context, w World) (string, error) {
		return anyOf(paths, func(path string) error {
			_, err := requested("POST", path, `{"action":"status"}`, "Authorization: Bearer "+os.Getenv("PILOTFISH_TOKEN"), "Content-Type: application/json")(ctx, w)
			return err
		})
	}
}

// firstAddress is an address of this machine other than loopback; empty for none.
func firstAddress() string {
	all, _ := net.InterfaceAddrs() // without any there is none
	for _, one := range all {
		if at, ok := one.(*net.IPNet); ok && !at.IP.IsLoopback() && at.IP.To4() != nil {
			return at.IP.String()
		}
	}
	return ""
}

// mapped is an address in a process that can be read; 0 where none is known.
func mapped(pid string) uintptr {
	var at uintptr
	data, _ := os.ReadFile("/proc/" + pid + "/maps") // then it is not known
	_, _ = fmt.Sscanf(string(data), "%x-", &at)      // the same
	return at
}

// asksTerminal writes a sequence to the controlling terminal. It succeeds when the
// terminal types an answer with some text.
func asksTerminal(sequence, answer string) func(context.Context, World) (string, error) {
	return func(context.Context, World) (string, error) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			tty = os.Stdin
		} else {
			defer tty.Close()
		}
		fd := int(tty.Fd())
		was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return "", err
		}
		raw := *was
		raw.Lflag &^= unix.ICANON | unix.ECHO
		raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 0, 10
		if err := unix.IoctlSetTermios(fd, unix.TCSETS, &raw); err != nil {
			return "", err
		}
		defer func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, was) }() // it is a terminal
		// Each terminal answers the last of the sequences, so that an answer to the first
		// has come before.
		if _, err := unix.Write(fd, []byte(sequence+"\x1b[c")); err != nil {
			return "", err
		}
		var got []byte
		for end := time.Now().Add(dialLimit); time.Now().Before(end); {
			part := make([]byte, 200)
			n, err := unix.Read(fd, part)
			if err != nil {
				return "", err
			}
			if got = append(got, part[:n]...); n == 0 || got[len(got)-1] == 'c' {
				break
			}
		}
		if !strings.Contains(string(got), answer) {
			return "", fmt.Errorf("it says %q", got)
		}
		return string(got), nil
	}
}

// ringConnect connects to a unix socket by io_uring, whose calls a filter of calls does
// not see.
func ringConnect(socket string) error {
	const opConnect, entries = 16, 1
	var params [120]byte
	ring, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, entries, uintptr(unsafe.Pointer(&params)), 0) //nolint:gosec // the call writes params
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(int(ring)) }() // nothing else was asked
	number := func(at int) int { return int(binary.LittleEndian.Uint32(params[at:])) }
	// Where things are: struct io_uring_params, with the offsets of both queues.
	queue, err := unix.Mmap(int(ring), 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	orders, err := unix.Mmap(int(ring), 0x10000000, 64*entries, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was said
	address := make([]byte, 2, 120)
	binary.LittleEndian.PutUint16(address, unix.AF_UNIX)
	address = append(append(address, 0), socket[1:]...)
	orders[0] = opConnect
	binary.LittleEndian.PutUint32(orders[4:], uint32(fd))
	binary.LittleEndian.PutUint64(orders[8:], uint64(len(address)))
	binary.LittleEndian.PutUint64(orders[16:], uint64(uintptr(unsafe.Pointer(&address[0])))) //nolint:gosec // the kernel reads it
	tail, array := number(44), number(64)                                                    // sq_off.tail and sq_off.array
	binary.LittleEndian.PutUint32(queue[array:], 0)
	binary.LittleEndian.PutUint32(queue[tail:], 1)
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, ring, 1, 1, 1, 0, 0); errno != 0 {
		return errno
	}
	runtime.KeepAlive(address)
	answers := number(100) // cq_off.cqes
	if result := int32(binary.LittleEndian.Uint32(queue[answers+8:])); result < 0 {
		return unix.Errno(-result)
	}
	return nil
}

// typeAhead32 puts a space into the input of the terminal, by a program of 32 bits, whose
// calls have other numbers.
func typeAhead32(ctx context.Context) error {
	if runtime.GOARCH != "amd64" {
		return errRefused
	}
	const base, header = 0x08048000, 52 + 32
	code := []byte{
		0xb8, 54, 0, 0, 0, 0x31, 0xdb, 0xb9, 0x12, 0x54, 0, 0, // eax = ioctl, ebx = 0, ecx = TIOCSTI
		0xba, 0, 0, 0, 0, 0xcd, 0x80, 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80, ' ', // edx = the space; exit with the answer
	}
	binary.LittleEndian.PutUint32(code[13:], base+header+uint32(len(code))-1)
	file := []byte{0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, half := range []uint16{2, 3} {
		file = binary.LittleEndian.AppendUint16(file, half)
	}
	for _, word := range []uint32{1, base + header, 52, 0, 0} {
		file = binary.LittleEndian.AppendUint32(file, word)
	}
	for _, half := range []uint16{52, 32, 1, 0, 0, 0} {
		file = binary.LittleEndian.AppendUint16(file, half)
	}
	size := uint32(header + len(code))
	for _, word := range []uint32{1, 0, base, base, size, size, 5, 0x1000} {
		file = binary.LittleEndian.AppendUint32(file, word)
	}
	path := filepath.Join(os.TempDir(), "pf-32")
	if err := os.WriteFile(path, append(file, code...), 0o700); err != nil { //nolint:gosec // it is run
		return err
	}
	defer func() { _ = os.Remove(path) }() // it was just made
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdin = os.Stdin
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		return unix.Errno(256 - exit.ExitCode())
	}
	return err
}
