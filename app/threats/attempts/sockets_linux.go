package attempts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dialLimit bounds one conversation with a socket.
const dialLimit = 2 * time.Second

// sockets are the listening unix sockets that the kernel lists and that contain a text.
// An abstract one begins with @.
func sockets(text string) []string {
	data, _ := os.ReadFile("/proc/net/unix") // where there is none, nothing is listed
	var found []string
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) >= 8 && fields[3] == "00010000" && strings.Contains(fields[7], text) && !slices.Contains(found, fields[7]) {
			found = append(found, fields[7])
		}
	}
	return found
}

func onlyAbstract(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "@") })
}

// connect connects to a unix socket, or with "tcp:" to an address.
func connect(socket string) (net.Conn, error) {
	network := "unix"
	if address, ok := strings.CutPrefix(socket, "tcp:"); ok {
		network, socket = "tcp", address
	} else if path, err := filepath.EvalSymlinks(socket); err == nil && len(socket) > 100 {
		socket = path // a path in a socket's address is short
	}
	conn, err := net.DialTimeout(network, socket, dialLimit) //nolint:noctx // it has a limit of its own
	if err == nil {
		_ = conn.SetDeadline(time.Now().Add(dialLimit)) // a socket has deadlines
	}
	return conn, err
}

func dial(socket string) error {
	conn, err := connect(socket)
	if err == nil {
		_ = conn.Close() // nothing was said
	}
	return err
}

// speaksX opens a connection to an X server without a cookie.
func speaksX(socket string) error {
	conn, err := connect(socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	answer := make([]byte, 1)
	if _, err := conn.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if answer[0] != 1 {
		return fmt.Errorf("%s asks for a cookie", socket)
	}
	return nil
}

// speaksDBus is let in by a message bus.
func speaksDBus(socket string) error {
	conn, err := connect(socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "\x00AUTH EXTERNAL %s\r\n", hex.EncodeToString([]byte(strconv.Itoa(os.Getuid())))); err != nil {
		return err
	}
	answer, err := bufio.NewReader(io.LimitReader(conn, 200)).ReadString('\n')
	if err == nil && !strings.HasPrefix(answer, "OK ") {
		err = fmt.Errorf("%s says %q", socket, answer)
	}
	return err
}

// busSockets are the sockets of an address of D-Bus.
func busSockets(address string) []string {
	var found []string
	for one := range strings.SplitSeq(address, ";") {
		for part := range strings.SplitSeq(strings.TrimPrefix(one, "unix:"), ",") {
			name, value, _ := strings.Cut(part, "=")
			value, err := url.PathUnescape(value)
			switch {
			case err != nil:
			case name == "path":
				found = append(found, value)
			case name == "abstract":
				found = append(found, "@"+value)
			}
		}
	}
	return found
}

// listeners are the TCP ports on which something listens on this machine.
func listeners() []string {
	var ports []string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, _ := os.ReadFile(file) // where there is none, nothing is listed
		for line := range strings.Lines(string(data)) {
			fields := strings.Fields(line)
			if len(fields) < 4 || fields[3] != "0A" {
				continue
			}
			_, port, _ := strings.Cut(fields[1], ":")
			if n, err := strconv.ParseUint(port, 16, 16); err == nil {
				ports = append(ports, strconv.FormatUint(n, 10))
			}
		}
	}
	return ports
}

// debuggingPort looks for a browser that listens for a debugger.
func debuggingPort(ctx context.Context, _ World) (string, error) {
	return anyOf(listeners(), func(port string) error {
		ctx, cancel := context.WithTimeout(ctx, dialLimit)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/json/list", nil)
		if err != nil {
			return err
		}
		reply, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
		// The browser of another program may run, too. Ours shows the panel.
		if err == nil && !bytes.Contains(body, []byte("/panel.html")) {
			err = errRefused
		}
		return err
	})
}

// serverWays are about the app's server.
func serverWays() []way {
	token := "Authorization: Bearer " + os.Getenv("PILOTFISH_TOKEN")
	const (
		asJSON  = "Content-Type: application/json"
		foreign = "Origin: https://evil.test"
		panel   = "Origin: chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	)
	const status = `{"action":"status"}`
	return []way{
		{0, "the server without a token", requested("POST", "/command", `{"command":"url"}`, asJSON)},
		{0, "the server with a made-up token", requested("POST", "/command", `{"command":"url"}`, asJSON, "Authorization: Bearer "+strings.Repeat("A", 43))},
		{0, "the server under another Host", requested("GET", "/tabs", "", token, "Host: evil.test")},
		{0, "the server under another Host, by an absolute address", requested("GET", "http://evil.test/tabs", "", token)},
		{0, "the server from a page", requested("GET", "/tabs", "", token, foreign)},
		{0, "the server as another extension", requested("POST", "/pty-session", `{}`, token, asJSON, panel)},
		{0, "the token in an address", requested("GET", "/tabs?token="+os.Getenv("PILOTFISH_TOKEN"), "")},
		{0, "the app's route with an agent's token", requested("POST", "/app", status, token, asJSON)},
		{0, "terminals with an agent's token", requested("POST", "/pty-session", `{"tab":"t1"}`, token, asJSON)},
		{0, "model profiles with an agent's token", requested("POST", "/llm/profiles", `{}`, token, asJSON)},
		{0, "schedules with an agent's token", requested("POST", "/schedules", `{}`, token, asJSON)},
		{0, "answer a question with an agent's token", requested("POST", "/approval", `{"id":"1","answer":"once"}`, token, asJSON)},
		{0, "a file outside of the session with an agent's token", requested("GET", "/file?path=/etc/passwd", "", token)},
	}
}

// requested sends a request with some headers. It succeeds when the server does what it
// asks.
func requested(method, path, body string, headers ...string) func(context.Context, World) (string, error) {
	return func(context.Context, World) (string, error) {
		at, err := url.Parse(os.Getenv("PILOTFISH_URL"))
		if err != nil || at.Host == "" {
			return "", fmt.Errorf("no server is known")
		}
		conn, err := connect("tcp:" + at.Host)
		if err != nil {
			return "", err
		}
		defer conn.Close()
		sent := slices.Clone(headers)
		if whole, err := url.Parse(path); err == nil && whole.Host != "" {
			sent = append(sent, "Host: "+whole.Host)
		} else if !slices.ContainsFunc(sent, func(h string) bool { return strings.HasPrefix(h, "Host:") }) {
			sent = append(sent, "Host: "+at.Host)
		}
		if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", method, path, strings.Join(sent, "\r\n"), len(body), body); err != nil {
			return "", err
		}
		reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return "", err
		}
		defer reply.Body.Close()
		if reply.StatusCode >= http.StatusBadRequest {
			return "", fmt.Errorf("%s", reply.Status)
		}
		said, err := io.ReadAll(io.LimitReader(reply.Body, 4096))
		if err == nil && bytes.Contains(said, []byte(`"ok":false`)) {
			err = fmt.Errorf("%.80s", said)
		}
		return reply.Status, err
	}
}
