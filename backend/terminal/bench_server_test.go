package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/protocol"
)

// serveTerminals serves terminals that run bash scripts, and a bare echo as the
// reference, until in reaches its end.
func serveTerminals(ctx context.Context, in io.Reader, out io.Writer) error {
	manager, err := New(Config{
		Session: protocol.DefaultSession,
		Launch: func(_ context.Context, r Request) (Launch, error) {
			return Launch{
				Path: "/bin/bash", Args: []string{"-c", r.Command}, Dir: os.TempDir(),
				Env:  []string{"PATH=" + os.Getenv("PATH")},
				Kind: protocol.AgentCustom, Name: "bash",
			}, nil
		},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // the server ends when the benchmark ends
		cancel()
	}()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: terminalRoutes(manager), ReadHeaderTimeout: protocol.ReadHeaderTimeout}
	go func() { _ = server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	err = manager.Run(ctx)
	return errors.Join(err, server.Close())
}

func terminalRoutes(manager *Manager) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pty-session", func(w http.ResponseWriter, r *http.Request) {
		var req protocol.PtySessionRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		info, err := manager.Start(r.Context(), req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(info)
	})
	mux.HandleFunc("POST /pty-close", func(w http.ResponseWriter, r *http.Request) {
		var req protocol.PtyCloseRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := manager.Close(r.Context(), req.Terminal); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
		}
	})
	accept := &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled}
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, accept)
		if err != nil {
			return
		}
		_ = manager.Serve(r.Context(), ws, protocol.TerminalID(r.URL.Query().Get("id"))) // the viewer gets the code
	})
	mux.HandleFunc("GET /echo", func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, accept)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		for {
			typ, b, err := ws.Read(r.Context())
			if err != nil || ws.Write(r.Context(), typ, b) != nil {
				return
			}
		}
	})
	return mux
}

// backend is the measured process. It is a separate process, as in the app, so that
// a viewer's work does not count as its own.
type backend struct {
	cmd *exec.Cmd
	in  io.Closer
	url string
}

// startBackend starts this program as a server of terminals.
func startBackend(ctx context.Context) (*backend, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), roleEnv+"=serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the backend: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the backend: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the backend: %w", err)
	}
	b := &backend{cmd: cmd, in: in}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the backend: it said %q: %w", line, err), b.stop())
	}
	b.url = strings.TrimSpace(line)
	return b, nil
}

// stop ends the process and everything that it started.
func (b *backend) stop() error {
	if err := b.in.Close(); err != nil {
		return err
	}
	timer := time.AfterFunc(2*protocol.StopHangupWait+protocol.StopTerminateWait, func() { _ = b.cmd.Process.Kill() })
	defer timer.Stop()
	return b.cmd.Wait()
}
