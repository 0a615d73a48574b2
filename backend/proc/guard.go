//go:build unix

package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"pilotfish/backend/protocol"
)

// Guard is a small process that outlives this program for as long as it takes to end
// what this program started. An app has one. A nil Guard does nothing.
type Guard struct {
	config GuardConfig
	log    *slog.Logger
	boot   string
	done   chan struct{}
	cancel context.CancelFunc

	mu   sync.Mutex
	live map[string]record
	pipe *os.File // the pipe to the guard; nil while there is no guard
	pid  int
}

// guardMessage is one line that is sent to the guard.
type guardMessage struct {
	Add    *record `json:"add,omitempty"`
	Remove string  `json:"remove,omitempty"`
}

// StartGuard starts the guard and keeps one running until ctx ends or Close is
// called. The guard then ends the processes that are still running, and ends itself.
func StartGuard(ctx context.Context, c GuardConfig) (*Guard, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &Guard{
		config: c,
		log:    c.Logger.With("component", "proc"),
		boot:   bootID(),
		done:   make(chan struct{}),
		cancel: cancel,
		live:   make(map[string]record),
	}
	cmd, err := g.start(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	go g.keep(ctx, cmd)
	return g, nil
}

// start starts one guard process and sends it the running trees.
func (g *Guard) start(ctx context.Context) (*exec.Cmd, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the guard: %w", err)
	}
	defer r.Close()
	ready, said, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the guard: %w", err), w.Close())
	}
	defer ready.Close()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), g.config.Exe, g.config.Args...)
	cmd.Stdin, cmd.Stdout = r, said
	cmd.Dir = "/" // the guard must not keep a folder busy
	cmd.Env = []string{"GOGC=10", "GOMAXPROCS=1", "GODEBUG=containermaxprocs=0,updatemaxprocs=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	closeOnExec()
	err = cmd.Start()
	_ = said.Close()
	if err == nil {
		err = awaitReady(ready)
	}
	if err != nil {
		_ = w.Close()
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		return nil, fmt.Errorf("starting the guard: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pipe, g.pid = w, cmd.Process.Pid
	for _, r := range g.live {
		g.send(guardMessage{Add: &r})
	}
	return cmd, nil
}

// guardReady is what a guard writes once no signal of a terminal or a logout can end
// it.
const guardReady = "ready\n"

// awaitReady waits until the guard ignores such signals. Otherwise, if an app were
// killed right after its start, together with its session, no guard would remain.
func awaitReady(ready *os.File) error {
	if err := ready.SetReadDeadline(time.Now().Add(protocol.GuardStartTimeout)); err != nil {
		return err
	}
	said, err := io.ReadAll(ready)
	if err != nil {
		return err
	}
	if string(said) != guardReady {
		return errors.New("the program is no guard")
	}
	return nil
}

// keep waits for the guard and replaces it if it was killed.
func (g *Guard) keep(ctx context.Context, cmd *exec.Cmd) {
	defer close(g.done)
	backoff := protocol.RestartBackoffMin
	for {
		born := time.Now()
		unhook := context.AfterFunc(ctx, g.hangUp)
		err := cmd.Wait()
		unhook()
		g.hangUp()
		if ctx.Err() != nil {
			return
		}
		g.log.Warn("the guard ended and is started again", "error", err)
		if time.Since(born) > protocol.RestartWindow {
			backoff = protocol.RestartBackoffMin
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(backoff):
			}
			backoff = min(2*backoff, protocol.RestartBackoffMax)
			if cmd, err = g.start(ctx); err == nil {
				break
			}
			g.log.Error("the guard could not be started", "error", err)
		}
	}
}

func (g *Guard) hangUp() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe != nil {
		_ = g.pipe.Close()
		g.pipe = nil
	}
}

// Close makes the guard end the processes that are still running, and waits for it.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.cancel()
	<-g.done
}

// PID returns the guard's process id.
func (g *Guard) PID() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pid
}

func (g *Guard) add(r record) {
	if g == nil {
		return
	}
	r.Boot = g.boot
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[r.Mark] = r
	g.send(guardMessage{Add: &r})
	if g.config.Dir == "" {
		return
	}
	if err := writeRecord(g.config.Dir, r); err != nil {
		// The guard still knows the process; it would be left over only if both
		// crashed.
		g.log.Warn("a process record could not be written", "error", err)
	}
}

func (g *Guard) remove(mark string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, mark)
	g.send(guardMessage{Remove: mark})
	if g.config.Dir == "" {
		return
	}
	if err := os.Remove(recordPath(g.config.Dir, mark)); err != nil && !errors.Is(err, os.ErrNotExist) {
		g.log.Warn("a process record could not be removed", "error", err)
	}
}

// send writes one line. keep replaces a guard that does not accept it, and sends the
// next one everything. The caller holds mu.
func (g *Guard) send(m guardMessage) {
	if g.pipe == nil {
		return
	}
	line, err := json.Marshal(m)
	if err != nil {
		g.log.Error("a message to the guard could not be encoded", "error", err)
		return
	}
	_ = g.pipe.SetWriteDeadline(time.Now().Add(time.Second)) // a stopped guard must not block us
	if _, err := g.pipe.Write(append(line, '\n')); err != nil {
		g.log.Warn("the guard does not listen", "error", err)
		_ = g.pipe.Close()
		g.pipe = nil
	}
}

func recordPath(dir, mark string) string { return filepath.Join(dir, mark+".json") }

// writeRecord replaces the record atomically. It is not synced, because it must
// survive this program and not the machine.
func writeRecord(dir string, r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a process record: %w", err)
	}
	path := recordPath(dir, r.Mark)
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		return fmt.Errorf("writing a process record: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing a process record: %w", err)
	}
	return nil
}
