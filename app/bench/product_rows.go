package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// productBenches measure the whole product.
func productBenches() []bench {
	return []bench{
		{rows: []string{"start.prompt", "start.live", "start.panel", "start.program"}, run: benchStart},
		{rows: []string{"terminal.reattach", "terminal.live"}, run: benchReattach},
		{rows: []string{"memory.app", "memory.tray"}, run: benchMemory},
	}
}

// benchMemory measures what the app and its tray keep resident beside a blank
// Wails window: idle, one session, window open. Chromium and the agents are not
// the app's.
func benchMemory(ctx context.Context, _ options) ([]row, error) {
	s, err := newStage(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.memory(ctx)
	return rows, errors.Join(err, s.close())
}

func (s *stage) memory(ctx context.Context) (rows []row, err error) {
	blankProgram := filepath.Join(s.dir, "blank")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "desktop,production,webkit2_41", "-ldflags", "-s -w", "-o", blankProgram, "./app/bench/blankwindow")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building a blank window: %w\n%s", err, out)
	}
	blank := exec.CommandContext(ctx, blankProgram)
	blank.Env = s.desk.Env()
	if err := blank.Start(); err != nil {
		return nil, fmt.Errorf("starting a blank window: %w", err)
	}
	defer func() {
		_ = blank.Process.Kill()
		_ = blank.Wait() // killed
	}()
	p, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if _, err := p.painted(ctx, "ready>"); err != nil {
		return nil, err
	}
	if _, err := s.desk.WaitWindow(ctx, "^Pilotfish$"); err != nil {
		return nil, err
	}
	item, err := s.desk.WaitItem(ctx, 0)
	if err != nil {
		return nil, err
	}
	// Idle is a state that nothing announces: both have the same time to settle.
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	app, err := residentTree(p.app.Process.Pid, "pilotfish-windo") // as the kernel cuts it
	if err != nil {
		return nil, err
	}
	reference, err := residentTree(blank.Process.Pid)
	if err != nil {
		return nil, err
	}
	tray, err := residentOf(item.PID(ctx))
	if err != nil {
		return nil, err
	}
	return []row{
		row{Name: "memory.app", Unit: "MB", Value: app, Limit: 1.3, Rule: ratioAtMost}.beside(reference),
		{Name: "memory.tray", Unit: "MB", Value: tray, Limit: 40, Rule: valueAtMost},
	}, nil
}

// residentTree is what a process keeps resident, with its web processes and its
// children of the names, in MB.
func residentTree(pid int, names ...string) (float64, error) {
	total, err := residentOf(pid)
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // ended meanwhile
		}
		// pid (name) state ppid …; the name is cut to 15 characters.
		name := string(stat[strings.IndexByte(string(stat), '(')+1 : strings.LastIndexByte(string(stat), ')')])
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if !strings.HasPrefix(name, "WebKit") && !slices.Contains(names, name) || len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		more, err := residentTree(child)
		if err != nil {
			return 0, err
		}
		total += more
	}
	return total, nil
}
