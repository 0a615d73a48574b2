package peer_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/peer"
)

// listen listens on a port of loopback until the test ends.
func listen(tb testing.TB) net.Listener {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	return listener
}

// connect runs a shell that connects to listener with the variable as env has it, and
// returns what the peer of the connection was started with.
func connect(t *testing.T, listener net.Listener, script string, env ...string) ([]string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	_, port, _ := strings.Cut(listener.Addr().String(), ":")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "PORT=" + port}, env...)
	out, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = out.Close()
		_ = cmd.Wait()
	}()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return peer.Started(netip.MustParseAddrPort(conn.RemoteAddr().String()), netip.MustParseAddrPort(conn.LocalAddr().String()), "MARK")
}

// A process is found by its connection, with what it and its ancestors were started
// with, also where one of them took the variable away.
func TestStarted(t *testing.T) {
	listener := listen(t)
	const opens = `exec 3<>/dev/tcp/127.0.0.1/$PORT; read -r _`
	for name, test := range map[string]struct {
		script string
		env    []string
		want   []string
	}{
		"its own":            {opens, []string{"MARK=a"}, []string{"a"}},
		"none":               {opens, nil, nil},
		"its parent's":       {`env -u MARK bash -c '` + opens + `'; true`, []string{"MARK=a"}, []string{"a"}},
		"both":               {`MARK=b bash -c '` + opens + `'; true`, []string{"MARK=a"}, []string{"b", "a"}},
		"of a cleared child": {`env -i PORT=$PORT bash -c '` + opens + `'; true`, []string{"MARK=a"}, []string{"a"}},
		"unset by itself":    {`unset MARK; ` + opens, []string{"MARK=a"}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := connect(t, listener, test.script, test.env...)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("started with %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

// Children that have the connection, too, come and end while it is looked at. None of
// them takes away who opened it, and none is missed for what it was started with.
func TestStartedAmongBriefChildren(t *testing.T) {
	listener := listen(t)
	_, port, _ := strings.Cut(listener.Addr().String(), ":")
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/$PORT; while read -r -t 0.0001 _; [ $? -gt 128 ]; do /bin/true; done`)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + port, "MARK=a"}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 100 {
		got, err := peer.Started(netip.MustParseAddrPort(conn.RemoteAddr().String()), netip.MustParseAddrPort(conn.LocalAddr().String()), "MARK")
		// The shell alone, or a child and the shell.
		if err != nil || !slices.Equal(got, []string{"a"}) && !slices.Equal(got, []string{"a", "a"}) {
			t.Fatalf("started with %q, %v", got, err)
		}
	}
}

// A connection whose process has ended belongs to nobody that could be found.
func TestStartedOfEndedProcess(t *testing.T) {
	listener := listen(t)
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := peer.Started(netip.MustParseAddrPort(conn.RemoteAddr().String()), netip.MustParseAddrPort(conn.LocalAddr().String()), "MARK")
	if !errors.Is(err, peer.ErrUnknown) {
		t.Errorf("started with %q, %v", got, err)
	}
}

// BenchmarkStarted is what attributing one request costs.
func BenchmarkStarted(b *testing.B) {
	listener := listen(b)
	cmd := exec.CommandContext(b.Context(), "bash", "-c", "exec 3<>/dev/tcp/"+strings.Replace(listener.Addr().String(), ":", "/", 1)+"; sleep 60")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	conn, err := listener.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	client, server := netip.MustParseAddrPort(conn.RemoteAddr().String()), netip.MustParseAddrPort(conn.LocalAddr().String())
	for b.Loop() {
		if _, err := peer.Started(client, server, "MARK"); err != nil {
			b.Fatal(err)
		}
	}
}
