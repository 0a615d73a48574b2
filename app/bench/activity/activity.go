// Package activity measures the panel's room Activity in a real Chromium, with a
// stand-in for the backend (extension/test/bench-activity.ts).
package activity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"pilotfish/app/bench/report"
)

// Benches measure the room.
func Benches() []report.Bench {
	return []report.Bench{{Rows: []string{"activity.paint", "activity.load"}, Run: bench}}
}

// bench compares the main thread's time for 1,000 entries per second with that of a
// list that is not virtual, and a frame while 100,000 entries are scrolled with one
// while 1,000 are.
func bench(ctx context.Context, _ report.Options) ([]report.Row, error) {
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", "import { runnerImport } from 'vite'; import { resolve } from 'node:path'; await runnerImport('./test/bench-activity.ts', { configFile: false, resolve: { alias: { $ui: resolve('../frontend/ui') } } })")
	cmd.Dir = "extension"
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("measuring the room Activity: %w\n%s", err, told.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var got struct{ Paint, List, Load, Few float64 }
	if err := json.Unmarshal(lines[len(lines)-1], &got); err != nil {
		return nil, fmt.Errorf("reading what was measured of the room Activity: %w", err)
	}
	if got.List <= 0 || got.Few <= 0 {
		return nil, errors.New("the references of the room Activity took no time")
	}
	return []report.Row{
		report.Row{Name: "activity.paint", Unit: "ms/s", Value: got.Paint, Limit: 4, Rule: report.RatioAtMost, Than: "a bare list"}.Beside(got.List),
		report.Row{Name: "activity.load", Unit: "ms", Value: got.Load, Limit: 2, Rule: report.RatioAtMost, Than: "1,000 entries"}.Beside(got.Few),
	}, nil
}
