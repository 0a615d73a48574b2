package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"sync"

	"pilotfish/backend/protocol"
	"pilotfish/backend/supervise"
)

// errTrayEnded is the fault of a tray that ended although nobody asked it to.
var errTrayEnded = errors.New("the tray program ended")

// trayChild keeps the tray program running, tells it what to show and does what
// a person clicks in it.
type trayChild struct {
	program string
	dir     string
	backend backend
	state   func() protocol.WindowState
	show    func(page string)
	quit    func()
	log     *slog.Logger
}

func newTrayChild(p *program, quit func()) *trayChild {
	return &trayChild{
		program: p.trayProgram, dir: p.trayDir, backend: p.backend, state: p.state, show: p.window.show,
		quit: quit, log: p.log.With("part", "tray"),
	}
}

// run keeps the tray running until ctx ends. When it cannot be kept running the
// window says so, and the app goes on without it.
func (t *trayChild) run(ctx context.Context) {
	err := supervise.Run(ctx, supervise.DefaultPolicy(), t.once, func(e supervise.Event) {
		if e.Kind == supervise.Failed {
			t.backend.SetTray(protocol.TrayStarting)
			t.log.Warn("tray program ended and is started again", "error", e.Err, "wait", e.Wait)
		}
	})
	if errors.Is(err, supervise.ErrGaveUp) {
		t.backend.SetTray(protocol.TrayFailed)
		t.log.Error("tray program could not be kept running", "error", err)
	}
}

// once runs one tray program to its end.
func (t *trayChild) once(ctx context.Context) error {
	if err := t.emptyDir(); err != nil {
		return err
	}
	child := exec.CommandContext(ctx, t.program)
	// The library leaves its icon's file behind when it is killed, so it gets a
	// folder that the next start empties. No accessibility bus: a menu over D-Bus
	// has no widgets, and it costs memory.
	child.Env = append(os.Environ(), "TMPDIR="+t.dir, "NO_AT_BRIDGE=1")
	child.Stderr = &lineLog{log: t.log}
	in, err := child.StdinPipe()
	if err != nil {
		return fmt.Errorf("making the tray's pipe: %w", err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return fmt.Errorf("making the tray's pipe: %w", err)
	}
	// It ends with its input, in order; killed is only one that does not.
	child.Cancel = in.Close
	child.WaitDelay = trayQuitTimeout
	if err := child.Start(); err != nil {
		return fmt.Errorf("starting the tray program: %w", err)
	}

	life, end := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() { t.write(life, in) })
	t.read(life, &group, out)
	end()
	err = child.Wait()
	group.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", errTrayEnded, err)
	default:
		return errTrayEnded
	}
}

// write writes the state now and after every change that the tray would show.
func (t *trayChild) write(ctx context.Context, in io.Writer) {
	changes := t.backend.Changes()
	defer changes.Close()
	lines := json.NewEncoder(in)
	var last protocol.TrayState
	for {
		if now := trayState(t.state()); !reflect.DeepEqual(now, last) {
			if err := lines.Encode(now); err != nil {
				return // it ended; its reader notices
			}
			last = now
		}
		select {
		case <-ctx.Done():
			return
		case <-changes.C():
		}
	}
}

// read does what the tray says until its output ends. What takes long runs in
// the group.
func (t *trayChild) read(ctx context.Context, group *sync.WaitGroup, out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var action protocol.TrayAction
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil {
			// GTK and the tray's library print to standard output now and then.
			t.log.Debug("tray program said", "line", lines.Text())
			continue
		}
		t.do(ctx, group, action)
	}
}

// do does what a person clicked.
func (t *trayChild) do(ctx context.Context, group *sync.WaitGroup, a protocol.TrayAction) {
	switch a.Action {
	case protocol.TrayReady:
		t.backend.SetTray(protocol.TrayShown)
	case protocol.TrayAbsent:
		t.backend.SetTray(protocol.TrayNoHost)
	case protocol.TrayStart:
		t.later(ctx, group, a, func() error { return t.backend.Start(ctx, protocol.DefaultSession) })
	case protocol.TrayStop:
		// The menu has one entry, so it means all that runs.
		for _, s := range t.state().Sessions {
			if s.State != protocol.SessionStopped {
				t.later(ctx, group, a, func() error { return t.backend.Stop(ctx, s.Name) })
			}
		}
	case protocol.TrayTabOp:
		t.later(ctx, group, a, func() error { return t.backend.ShowTab(ctx, a.Session, a.Tab) })
	case protocol.TrayAnswer:
		if !t.mayAnswer(a) {
			t.log.Warn("tray answer refused", "answer", a.Answer) // its menu has no room to say for what
			return
		}
		t.later(ctx, group, a, func() error {
			asked, err := t.backend.Approvals(a.Session)
			if err != nil {
				return err
			}
			return asked.Answer(a.Approval, a.Answer, "tray")
		})
	case protocol.TrayReview:
		t.later(ctx, group, a, func() error {
			asked, err := t.backend.Approvals(a.Session)
			if err != nil { // the session was deleted meanwhile
				t.show("approvals")
				return err
			}
			asked.Show(ctx, a.Approval)
			return nil
		})
	case protocol.TrayOpen:
		// Whoever opens it while something waits wants to see that.
		page := ""
		for _, s := range t.state().Sessions {
			if len(s.Approvals) > 0 {
				page = "approvals"
			}
		}
		t.show(page)
	case protocol.TrayLogs:
		t.show("logs")
	case protocol.TrayQuit:
		t.quit()
	default:
		t.log.Warn("tray action unknown", "action", a.Action)
	}
}

// mayAnswer says whether an answer may be given in the menu: it allows only what
// stands there whole, and nothing for longer than once.
func (t *trayChild) mayAnswer(a protocol.TrayAction) bool {
	if a.Answer == protocol.AnswerDeny {
		return true
	}
	return a.Answer == protocol.AnswerOnce && slices.ContainsFunc(trayState(t.state()).Approvals, func(one protocol.TrayApproval) bool {
		return one.ID == a.Approval && one.Whole
	})
}

// later does what may take long. What goes wrong stands in the session's state;
// a tab that is gone meanwhile only in the log.
func (t *trayChild) later(ctx context.Context, group *sync.WaitGroup, a protocol.TrayAction, do func() error) {
	group.Go(func() {
		if err := do(); err != nil && ctx.Err() == nil {
			t.log.Warn("tray action failed", "action", a.Action, "session", a.Session, "tab", a.Tab, "error", err)
		}
	})
}

// emptyDir makes the folder of the icon's file, without what a killed tray left
// in it.
func (t *trayChild) emptyDir() error {
	if err := os.RemoveAll(t.dir); err != nil {
		return fmt.Errorf("emptying the tray's folder: %w", err)
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return fmt.Errorf("making the tray's folder: %w", err)
	}
	return nil
}

// lineLog logs what a program of ours and GTK write to standard error.
type lineLog struct{ log *slog.Logger }

func (l *lineLog) Write(text []byte) (int, error) {
	l.log.Debug("program said", "line", string(bytes.TrimSpace(text)))
	return len(text), nil
}
