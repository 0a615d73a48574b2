package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/coder/websocket"

	"pilotfish/app/bench/process"
	"pilotfish/backend/protocol"
	"pilotfish/backend/terminal"
)

// Role is the role of a backend of terminals.
const Role = "terminal"

// Serve serves terminals that run bash scripts, and a bare echo as the
// reference, until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	manager, err := terminal.New(terminal.Config{
		Session: protocol.DefaultSession,
		Launch: func(_ context.Context, _ protocol.TerminalID, _ protocol.TabID, _ protocol.AgentKind, command string) (terminal.Launch, error) {
			return terminal.Launch{
				Path: "/bin/bash", Args: []string{"-c", command}, Dir: os.TempDir(),
				Env:  []string{"PATH=" + os.Getenv("PATH")},
				Kind: protocol.AgentCustom, Name: "bash",
			}, nil
		},
	})
	if err != nil {
		return err
	}
	ctx, cancel := process.UntilEnd(ctx, in)
	defer cancel()
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

func terminalRoutes(manager *terminal.Manager) http.Handler {
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
		_ = manager.Serve(r.Context(), ws, protocol.TerminalID(r.URL.Query().Get("id"))) // the viewer sees how it ends
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

// backend serves terminals in a process of its own.
type backend struct {
	*process.Process
	url string
}

func startBackend(ctx context.Context) (*backend, error) {
	p, url, err := process.Start(ctx, Role)
	if err != nil {
		return nil, err
	}
	return &backend{p, url}, nil
}
