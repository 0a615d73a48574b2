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

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
	"pilotfish/backend/supervise"
)

// errTrayEnded means that the tray program ended although nobody asked it to.
var errTrayEnded = errors.New("the tray program ended")

// trayChild keeps the tray program running, sends it the state and carries out
// the user's clicks.
type trayChild struct {
	program string
	dir     string
	backend backend
	// operations is what the menu may ask for.
	operations op.Table
	state      func() protocol.WindowState
	show       func(protocol.WindowShow)
	quit       func()
	log        *slog.Logger
}

func newTrayChild(p *program, quit func()) *trayChild {
	return &trayChild{
		program: p.trayProgram, dir: p.trayDir, backend: p.backend, operations: p.operations, state: p.state, show: p.window.show,
		quit: quit, log: p.log.With("part", "tray"),
	}
}

// run keeps the tray program running until ctx ends. When that fails, the
// window shows it, and the app continues without a tray.
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

// once runs one tray program until it ends.
func (t *trayChild) once(ctx context.Context) error {
	if err := t.emptyDir(); err != nil {
		return err
	}
	child := exec.CommandContext(ctx, t.program)
	// The library leaves the icon's file behind when it is killed. So it gets
	// its own folder, which the next start empties. NO_AT_BRIDGE switches the
	// accessibility bus off: a menu over D-Bus has no widgets, and the bus
	// costs memory.
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
	// The program ends in order when its input is closed. It is killed only if
	// it does not.
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

// write writes the state now, and after every change that the tray would show.
func (t *trayChild) write(ctx context.Context, in io.Writer) {
	changes := t.backend.Changes()
	defer changes.Close()
	lines := json.NewEncoder(in)
	var last protocol.TrayState
	for {
		if now := trayState(t.state()); !reflect.DeepEqual(now, last) {
			if err := lines.Encode(now); err != nil {
				return // the program ended; its reader reports that
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

// read carries out the tray's actions until its output ends. Slow actions run
// in the group.
func (t *trayChild) read(ctx context.Context, group *sync.WaitGroup, out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var action protocol.TrayAction
		if err := json.Unmarshal(lines.Bytes(), &action); err != nil {
			// GTK and the tray library sometimes print to standard output.
			t.log.Debug("tray program said", "line", lines.Text())
			continue
		}
		t.do(ctx, group, action)
	}
}

// do carries out an action.
func (t *trayChild) do(ctx context.Context, group *sync.WaitGroup, a protocol.TrayAction) {
	switch a.Action {
	case protocol.TrayReady:
		t.backend.SetTray(protocol.TrayShown)
	case protocol.TrayAbsent:
		t.backend.SetTray(protocol.TrayNoHost)
	case protocol.TrayStart:
		t.later(ctx, group, a, "StartSession", protocol.DefaultSession, nil)
	case protocol.TrayStop:
		// The menu has one item for it, so it stops all running sessions.
		for _, s := range t.state().Sessions {
			if s.State != protocol.SessionStopped {
				t.later(ctx, group, a, "StopSession", s.Name, nil)
			}
		}
	case protocol.TrayTabOp:
		t.later(ctx, group, a, "ShowTab", a.Session, a.Tab)
	case protocol.TrayAnswer:
		if !t.mayAnswer(a) {
			t.log.Warn("tray answer refused", "answer", a.Answer) // no message to the user: a menu has no place for it
			return
		}
		t.later(ctx, group, a, "AnswerApproval", a.Session, protocol.ApprovalAnswerRequest{ID: a.Approval, Answer: a.Answer})
	case protocol.TrayReview:
		t.later(ctx, group, a, "ShowApproval", a.Session, a.Approval)
	case protocol.TrayOpen:
		// While an approval waits, open the page of approvals.
		var show protocol.WindowShow
		for _, s := range t.state().Sessions {
			if len(s.Approvals) > 0 {
				show.Page = protocol.WindowApprovals
			}
		}
		t.show(show)
	case protocol.TrayLogs:
		t.show(protocol.WindowShow{Page: protocol.WindowLogs})
	case protocol.TrayQuit:
		t.quit()
	default:
		t.log.Warn("tray action unknown", "action", a.Action)
	}
}

// mayAnswer reports whether the menu may give an answer: it may allow only an
// approval that it shows completely, and only once.
func (t *trayChild) mayAnswer(a protocol.TrayAction) bool {
	if a.Answer == protocol.AnswerDeny {
		return true
	}
	return a.Answer == protocol.AnswerOnce && slices.ContainsFunc(trayState(t.state()).Approvals, func(one protocol.TrayApproval) bool {
		return one.ID == a.Approval && one.Whole
	})
}

// later carries out an operation, which may take long. The session's state shows its
// error; when a tab is gone meanwhile, the error is only in the log.
func (t *trayChild) later(ctx context.Context, group *sync.WaitGroup, a protocol.TrayAction, name string, session protocol.SessionName, in any) {
	group.Go(func() {
		text, err := json.Marshal(in)
		if err == nil {
			_, err = t.operations.Call(ctx, name, op.ByUser(session, "tray"), text)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		t.log.Warn("tray action failed", "action", a.Action, "session", session, "tab", a.Tab, "error", err)
		if a.Action == protocol.TrayReview { // the session was deleted meanwhile
			t.show(protocol.WindowShow{Page: protocol.WindowApprovals})
		}
	})
}

// emptyDir creates the folder of the icon's file, and removes what a killed
// tray left in it.
func (t *trayChild) emptyDir() error {
	if err := os.RemoveAll(t.dir); err != nil {
		return fmt.Errorf("emptying the tray's folder: %w", err)
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return fmt.Errorf("making the tray's folder: %w", err)
	}
	return nil
}

// lineLog logs what our programs and GTK write to standard error.
type lineLog struct{ log *slog.Logger }

func (l *lineLog) Write(text []byte) (int, error) {
	l.log.Debug("program said", "line", string(bytes.TrimSpace(text)))
	return len(text), nil
}
