package panel

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"pilotfish/app/bench/process"
	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
)

// Benches measure the whole product.
func Benches() []report.Bench {
	return []report.Bench{
		{Rows: []string{"start.prompt", "start.live", "start.panel", "start.program"}, Run: benchStart},
		{Rows: []string{"terminal.reattach", "terminal.live"}, Run: benchReattach},
		{Rows: []string{"memory.app", "memory.tray", "memory.idle"}, Run: benchMemory},
	}
}

// benchMemory measures the resident memory of the app and its tray, compared with
// a blank Wails window: idle, one session, window open; then the same with the
// window closed. Chromium and the agents do not count.
func benchMemory(ctx context.Context, _ report.Options) ([]report.Row, error) {
	s, err := product.NewDesktop(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := memoryOn(ctx, s)
	return rows, errors.Join(err, s.Close())
}

func memoryOn(ctx context.Context, s *product.Desktop) (rows []report.Row, err error) {
	blankProgram := filepath.Join(s.Dir, "blank")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "desktop,production,webkit2_41", "-ldflags", "-s -w", "-o", blankProgram, "./app/bench/blankwindow")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building a blank window: %w\n%s", err, out)
	}
	blank := exec.CommandContext(ctx, blankProgram)
	blank.Env = s.Screen.Env()
	if err := blank.Start(); err != nil {
		return nil, fmt.Errorf("starting a blank window: %w", err)
	}
	defer func() {
		_ = blank.Process.Kill()
		_ = blank.Wait() // killed, so an error is expected
	}()
	p, err := s.Start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := p.Painted(ctx, "ready>"); err != nil {
		return nil, err
	}
	window, err := s.Screen.WaitWindow(ctx, "^Pilotfish$")
	if err != nil {
		return nil, err
	}
	item, err := s.Screen.WaitItem(ctx, 0)
	if err != nil {
		return nil, err
	}
	// No event announces the idle state, so both get the same time to settle.
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	app, err := process.ResidentTree(p.Cmd.Process.Pid, "pilotfish-windo") // the kernel cuts the name to 15 characters
	if err != nil {
		return nil, err
	}
	reference, err := process.ResidentTree(blank.Process.Pid)
	if err != nil {
		return nil, err
	}
	tray, err := process.Resident(item.PID(ctx))
	if err != nil {
		return nil, err
	}
	idle, err := closedOn(ctx, s, p, window)
	if err != nil {
		return nil, err
	}
	return []report.Row{
		report.Row{Name: "memory.app", Unit: "MB", Value: app, Limit: 1.3, Rule: report.RatioAtMost}.Beside(reference),
		{Name: "memory.tray", Unit: "MB", Value: tray, Limit: 40, Rule: report.ValueAtMost},
		report.Row{Name: "memory.idle", Unit: "MB", Value: idle, Limit: 90, Rule: report.ValueAtMost}.Beside(reference),
	}, nil
}

// closedOn closes the window and returns the memory of all our processes: the
// app, the guard and the tray. The window's program and its WebKit must be gone.
func closedOn(ctx context.Context, s *product.Desktop, p *product.App, window string) (float64, error) {
	if err := s.Screen.CloseWindow(ctx, window); err != nil {
		return 0, err
	}
	if err := s.Screen.WaitNoWindow(ctx, "^Pilotfish$"); err != nil {
		return 0, err
	}
	// WebKit's processes end a moment after the window.
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return process.ResidentTree(p.Cmd.Process.Pid, "pilotfish", "pilotfish-tray", "pilotfish-windo")
}
