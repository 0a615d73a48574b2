package peer

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"pilotfish/backend/proc"
)

// Started returns the values of an environment variable in the process that opened a
// connection from client to server, and in its ancestors, nearest first. It looks at
// what each was started with, which a process that clears a variable for its children
// does not change. It stops at this process. It returns ErrUnknown when the process
// cannot be found.
//
// A child that got the connection, and that ends while it is looked at, does not speak
// for the process that opened it: then it looks again.
func Started(client, server netip.AddrPort, variable string) ([]string, error) {
	for range looks - 1 {
		if values, err := started(client, server, variable); !errors.Is(err, errEnded) {
			return values, err
		}
	}
	values, err := started(client, server, variable)
	if errors.Is(err, errEnded) {
		err = ErrUnknown
	}
	return values, err
}

// looks is how often a connection is looked for whose process ends meanwhile.
const looks = 5

// errEnded is returned when the process that was found, or an ancestor, ended meanwhile.
var errEnded = errors.New("the process has ended")

func started(client, server netip.AddrPort, variable string) ([]string, error) {
	inode, err := socketInode(client, server)
	if err != nil {
		return nil, err
	}
	first, err := owner(inode)
	if err != nil {
		return nil, err
	}
	pid := first
	var values []string
	for self := os.Getpid(); pid > 1 && pid != self; {
		// What we may not read belongs to another user, and so was not started by us.
		env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		for pair := range bytes.SplitSeq(env, []byte{0}) {
			if value, ok := bytes.CutPrefix(pair, []byte(variable+"=")); ok {
				values = append(values, string(value))
			}
		}
		// An ended process has no environment. One that still has the connection had
		// not ended when its environment was read.
		if pid == first && !holds(pid, "socket:["+inode+"]") {
			return nil, errEnded
		}
		if pid, err = proc.Parent(pid); err != nil {
			return nil, errEnded // and its line with it
		}
	}
	return values, nil
}

// socketInode asks the kernel for the inode of a TCP connection's socket, see
// sock_diag(7). /proc/net/tcp has it too, but takes milliseconds: it walks a table
// whose size depends on the machine's memory.
func socketInode(client, server netip.AddrPort) (string, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return "", fmt.Errorf("asking for a connection: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Sendto(fd, question(client, server), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return "", fmt.Errorf("asking for a connection: %w", err)
	}
	reply := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return "", fmt.Errorf("asking for a connection: %w", err)
	}
	// The inode is the last field of struct inet_diag_msg.
	const inodeAt = unix.SizeofNlMsghdr + 68
	if n < inodeAt+4 || binary.NativeEndian.Uint16(reply[4:]) != unix.SOCK_DIAG_BY_FAMILY {
		return "", ErrUnknown // there is no such connection
	}
	inode := binary.NativeEndian.Uint32(reply[inodeAt:])
	if inode == 0 {
		return "", ErrUnknown // no process has it any more
	}
	return strconv.FormatUint(uint64(inode), 10), nil
}

// question is a netlink message with a struct inet_diag_req_v2 about one connection,
// as the client has it.
func question(client, server netip.AddrPort) []byte {
	const size = unix.SizeofNlMsghdr + 56
	m := binary.NativeEndian.AppendUint32(nil, size)
	m = binary.NativeEndian.AppendUint16(m, unix.SOCK_DIAG_BY_FAMILY)
	m = binary.NativeEndian.AppendUint16(m, unix.NLM_F_REQUEST)
	m = append(m, make([]byte, 8)...)                                // sequence, port
	m = append(m, unix.AF_INET, unix.IPPROTO_TCP, 0, 0)              // family, protocol, extensions, padding
	m = binary.NativeEndian.AppendUint32(m, ^uint32(0))              // every state
	m = binary.BigEndian.AppendUint16(m, client.Port())              // struct inet_diag_sockid
	m = binary.BigEndian.AppendUint16(m, server.Port())              //
	m = append(m, padded(client.Addr())...)                          //
	m = append(m, padded(server.Addr())...)                          //
	m = binary.NativeEndian.AppendUint32(m, 0)                       // any interface
	return append(m, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) // any cookie
}

// padded returns an IPv4 address in the 16 bytes of struct inet_diag_sockid.
func padded(a netip.Addr) []byte {
	raw := a.Unmap().As4()
	return append(raw[:], make([]byte, 12)...)
}

// owner returns a process that has a socket open. It looks at the newest processes
// first: a command has just been started.
func owner(inode string) (int, error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 0, fmt.Errorf("listing processes: %w", err)
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.SortFunc(pids, func(a, b int) int { return cmp.Compare(b, a) })
	want := "socket:[" + inode + "]"
	for _, pid := range pids {
		if holds(pid, want) {
			return pid, nil
		}
	}
	return 0, ErrUnknown
}

// holds reports whether a process has a descriptor of what link names.
func holds(pid int, link string) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	fds, err := os.Open(dir)
	if err != nil {
		return false // it has ended, or belongs to another user
	}
	defer fds.Close()
	names, _ := fds.Readdirnames(-1) // what was read counts
	for _, name := range names {
		if target, err := os.Readlink(dir + "/" + name); err == nil && target == link {
			return true
		}
	}
	return false
}
