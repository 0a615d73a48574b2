package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"pilotfish/app/bench/product"
)

// memory measures the resident memory of the app and its tray, compared with a
// blank Wails window: idle, one session, window open; then the same with the window
// closed. Chromium and the agents do not count.
func memory(ctx context.Context, _ options) (rows []row, err error) {
	err = product.OnDesktop(ctx, func(s *product.Desktop) error {
		blankProgram := filepath.Join(s.Dir, "blank")
		build := exec.CommandContext(ctx, "go", "build", "-tags", "desktop,production,webkit2_41", "-ldflags", "-s -w", "-o", blankProgram, "./app/bench/blankwindow")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building a blank window: %w\n%s", err, out)
		}
		blank := exec.CommandContext(ctx, blankProgram)
		blank.Env = s.Screen.Env()
		if err := blank.Start(); err != nil {
			return fmt.Errorf("starting a blank window: %w", err)
		}
		defer func() {
			_ = blank.Process.Kill()
			_ = blank.Wait() // killed, so an error is expected
		}()
		return s.Prompted(ctx, func(p *product.App) error {
			rows, err = memoryBeside(ctx, s, p, blank.Process.Pid)
			return err
		})
	})
	return rows, err
}

func memoryBeside(ctx context.Context, s *product.Desktop, p *product.App, blank int) ([]row, error) {
	window, err := s.Screen.WaitWindow(ctx, "^Pilotfish$")
	if err != nil {
		return nil, err
	}
	item, err := s.Screen.WaitItem(ctx, 0)
	if err != nil {
		return nil, err
	}
	// No event announces the idle state, so both get the same time to settle.
	if err := wait(ctx, 5*time.Second); err != nil {
		return nil, err
	}
	app, err1 := product.ResidentTree(p.Cmd.Process.Pid, "pilotfish-windo") // the kernel cuts the name to 15 characters
	reference, err2 := product.ResidentTree(blank)
	tray, err3 := product.Resident(item.PID(ctx))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	// With the window closed, its program and its WebKit must be gone. WebKit's
	// processes end a moment after the window.
	if err := errors.Join(s.Screen.CloseWindow(ctx, window), s.Screen.WaitNoWindow(ctx, "^Pilotfish$"), wait(ctx, time.Second)); err != nil {
		return nil, err
	}
	// All of our processes: the app, the guard and the tray.
	idle, err := product.ResidentTree(p.Cmd.Process.Pid, "pilotfish", "pilotfish-tray", "pilotfish-windo")
	if err != nil {
		return nil, err
	}
	const than = "a blank window"
	return []row{
		row{Name: "memory.app", Unit: "MB", Value: app}.beside(than, reference).atMost(1.3),
		row{Name: "memory.tray", Unit: "MB", Value: tray, Limit: 40, Rule: valueAtMost}.beside(than, reference),
		row{Name: "memory.idle", Unit: "MB", Value: idle, Limit: 90, Rule: valueAtMost}.beside(than, reference),
	}, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
