package e2e

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// inNamespace is set for the run of the test inside of its network namespace.
// Its value is how long the session stays open besides, for a long run by hand:
// Chromium has tasks that begin minutes after its start.
const inNamespace = "PILOTFISH_TEST_NOTHING_SENT"

// TestNothingIsSent is the promise of the README: no telemetry, and nothing is
// sent except to what the user configured. The whole app with a real session
// runs in a network namespace whose only way out is a device that this test
// reads: each packet on it is one that our programs or Chromium wanted to send.
func TestNothingIsSent(t *testing.T) {
	t.Parallel()
	stay, inside := os.LookupEnv(inNamespace)
	if !inside {
		runInNamespace(t)
		return
	}
	out := newWayOut(t)
	// The way out works: without this, the test would count nothing at all.
	probe, err := (&net.Dialer{}).DialContext(t.Context(), "udp", "192.0.2.7:9")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = probe.Write([]byte("probe")) // counted is what arrives
	_ = probe.Close()
	out.until(t, "192.0.2.7:9")
	out.forget()

	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// What makes browsers ask their makers: a password, a card, a language, a spelling.
		_, _ = fmt.Fprint(w, `<!doctype html><html lang="de"><title>Anmeldung</title><h1>Willkommen zurück</h1>
<form action="/in" method="post"><input name="user" autocomplete="username"><input name="password" type="password" autocomplete="current-password">
<input name="card" autocomplete="cc-number"><textarea name="text" spellcheck="true">Helo wrld</textarea><button>Sign in</button></form>`)
	}))
	defer site.Close()
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.cli("open", site.URL)
	p.cli("fill", "input[name=user]", "ada")
	p.cli("fill", "input[name=password]", "correct horse")
	p.cli("click", "button")
	p.cli("tabs")
	p.cli("snapshot")
	p.typeLine(panel, "pilotfish doctor >/dev/null; echo check''ed")
	p.untilScreen(panel, "checked")
	if wait, err := time.ParseDuration(stay); err == nil {
		time.Sleep(wait) // only in a run by hand
	}
	p.quit()
	if sent := out.seen(); len(sent) > 0 {
		t.Errorf("%d packets were sent:\n%s", len(sent), strings.Join(slices.Compact(sent), "\n"))
	}
}

// runInNamespace runs this test in a network namespace of its own.
func runInNamespace(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestNothingIsSent$", "-test.v", "-test.timeout=20m")
	cmd.Env = append(os.Environ(), inNamespace+"="+os.Getenv("PILOTFISH_TEST_STAY"), protocol.EnvSandbox+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	said, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) {
		t.Skipf("this kernel gives no network namespace (%v)", err)
	}
	if bytes.Contains(said, []byte(noWayOut)) {
		t.Skipf("this kernel has no device to count packets with:\n%s", said)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// noWayOut begins the output of a run without a device.
const noWayOut = "no device /dev/net/tun"

// wayOut is the only way out of the namespace. It records where the packets on it
// are for.
type wayOut struct {
	mu      sync.Mutex
	packets []string
	arrived chan struct{} // has one element when packets is new
}

// newWayOut makes a device that takes all packets which are not for this machine,
// and a resolver where the machine's own would be one on the loopback.
func newWayOut(t *testing.T) *wayOut {
	t.Helper()
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip(noWayOut, err)
	}
	var request struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "out")
	request.flags = unix.IFF_TUN | unix.IFF_NO_PI
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TUNSETIFF, uintptr(unsafe.Pointer(&request))); errno != 0 { //nolint:gosec // the kernel takes the address of a request
		t.Skip(noWayOut, errno)
	}
	tun := os.NewFile(uintptr(fd), "tun") // not before: a device without a name cannot be waited for
	device, err := net.InterfaceByName("out")
	if err != nil {
		t.Fatal(err)
	}
	index := binary.NativeEndian.AppendUint32(nil, uint32(device.Index))
	for _, up := range []uint32{1, uint32(device.Index)} { // 1 is the loopback
		link := slices.Concat([]byte{unix.AF_UNSPEC, 0, 0, 0}, binary.NativeEndian.AppendUint32(nil, up), binary.NativeEndian.AppendUint32(nil, unix.IFF_UP), binary.NativeEndian.AppendUint32(nil, unix.IFF_UP))
		configure(t, unix.RTM_NEWLINK, 0, link)
	}
	address := slices.Concat([]byte{unix.AF_INET, 24, 0, 0}, index, attribute(unix.IFA_LOCAL, []byte{198, 51, 100, 1}))
	configure(t, unix.RTM_NEWADDR, unix.NLM_F_CREATE, address)
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		route := slices.Concat([]byte{family, 0, 0, 0, unix.RT_TABLE_MAIN, unix.RTPROT_STATIC, unix.RT_SCOPE_UNIVERSE, unix.RTN_UNICAST, 0, 0, 0, 0}, attribute(unix.RTA_OIF, index))
		configure(t, unix.RTM_NEWROUTE, unix.NLM_F_CREATE, route)
	}

	w := &wayOut{arrived: make(chan struct{}, 1)}
	var readers sync.WaitGroup
	readers.Go(func() {
		packet := make([]byte, 64<<10)
		for {
			n, err := tun.Read(packet)
			if err != nil {
				return // closed
			}
			w.record(describe(packet[:n]))
		}
	})
	t.Cleanup(func() { _ = tun.Close(); readers.Wait() })
	w.resolve(t)
	return w
}

// resolve listens where this machine's resolver would be asked on the loopback.
func (w *wayOut) resolve(t *testing.T) {
	t.Helper()
	text, _ := os.ReadFile("/etc/resolv.conf") // without it, the loopback is asked
	servers := []string{"127.0.0.1"}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "nameserver" && strings.HasPrefix(fields[1], "127.") {
			servers = append(servers, fields[1])
		}
	}
	slices.Sort(servers)
	for _, server := range slices.Compact(servers) {
		listener, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", net.JoinHostPort(server, "53"))
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		readers.Go(func() {
			question := make([]byte, 1500)
			for {
				n, _, err := listener.ReadFrom(question)
				if err != nil {
					return // closed
				}
				w.record("the resolver: " + asked(question[:n]))
			}
		})
		t.Cleanup(func() { _ = listener.Close(); readers.Wait() })
	}
}

func (w *wayOut) record(packet string) {
	if packet == "" {
		return
	}
	w.mu.Lock()
	w.packets = append(w.packets, packet)
	w.mu.Unlock()
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

func (w *wayOut) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.packets)
}

func (w *wayOut) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.packets = nil
}

// until waits for a packet.
func (w *wayOut) until(t *testing.T, to string) {
	t.Helper()
	for !slices.Contains(w.seen(), to) {
		select {
		case <-w.arrived:
		case <-time.After(patience):
			t.Fatalf("no packet to %s arrived, only %v", to, w.seen())
		}
	}
}

// describe says where a packet is for; empty for what the kernel sends itself.
func describe(packet []byte) string {
	if len(packet) < 20 {
		return ""
	}
	var to netip.Addr
	var kind byte
	var rest []byte
	switch packet[0] >> 4 {
	case 4:
		to, _ = netip.AddrFromSlice(packet[16:20])
		kind, rest = packet[9], packet[min(int(packet[0]&15)*4, len(packet)):]
	case 6:
		if len(packet) < 40 {
			return ""
		}
		to, _ = netip.AddrFromSlice(packet[24:40])
		kind, rest = packet[6], packet[40:]
	}
	if (kind != unix.IPPROTO_TCP && kind != unix.IPPROTO_UDP) || len(rest) < 8 {
		return "" // router solicitations and the like
	}
	port := binary.BigEndian.Uint16(rest[2:])
	where := netip.AddrPortFrom(to, port).String()
	if kind == unix.IPPROTO_UDP && port == 53 {
		where += ": " + asked(rest[8:])
	}
	return where
}

// asked is the name in a question to a resolver.
func asked(question []byte) string {
	var name []string
	for at := 12; at < len(question) && question[at] > 0; at += 1 + int(question[at]) {
		if at+1+int(question[at]) > len(question) {
			break
		}
		name = append(name, string(question[at+1:at+1+int(question[at])]))
	}
	return strings.Join(name, ".")
}

// attribute is one value of a message to the kernel.
func attribute(kind uint16, value []byte) []byte {
	head := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	return append(binary.NativeEndian.AppendUint16(head, kind), value...)
}

// configure changes the network of this namespace.
func configure(t *testing.T, kind, flags uint16, body []byte) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(socket) }()
	message := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	message = binary.NativeEndian.AppendUint16(message, kind)
	message = binary.NativeEndian.AppendUint16(message, unix.NLM_F_REQUEST|unix.NLM_F_ACK|flags)
	message = append(append(message, make([]byte, 8)...), body...)
	if err := unix.Sendto(socket, message, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, 4096)
	n, err := unix.Read(socket, reply)
	if err != nil || n < unix.SizeofNlMsghdr+4 {
		t.Fatalf("configuring the namespace: %d, %v", n, err)
	}
	if code := int32(binary.NativeEndian.Uint32(reply[unix.SizeofNlMsghdr:])); code != 0 && kind != unix.RTM_NEWROUTE {
		t.Fatalf("configuring the namespace: %v", unix.Errno(-code))
	}
}
