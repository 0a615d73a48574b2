// Package terminal has the rows of terminals. backend/terminal measures them with
// its own Go benchmarks.
package terminal

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"pilotfish/app/bench/report"
)

// Benches measure terminals.
func Benches() []report.Bench {
	return []report.Bench{
		bench("Echo", report.Row{Name: "terminal.echo", Unit: "ms", Rule: report.RatioAtMost, Limit: 1.5}),
		bench("Throughput", report.Row{Name: "terminal.throughput", Unit: "MB/s", Rule: report.RatioAtLeast, Limit: 0.7}),
		bench(
			"Flood",
			report.Row{Name: "terminal.backlog", Unit: "MB", Rule: report.ValueAtMost, Limit: 1},
			report.Row{Name: "terminal.interrupt", Unit: "ms", Rule: report.ValueAtMost, Limit: 60},
			report.Row{Name: "terminal.memory", Unit: "MB", Rule: report.ValueAtMost, Limit: 25},
		),
		bench("Paste", report.Row{Name: "terminal.paste", Unit: "MB", Rule: report.ValueAtLeast, Limit: 10}),
	}
}

// bench runs a Go benchmark of backend/terminal whose metrics are these rows.
func bench(name string, rows ...report.Row) report.Bench {
	b := report.Bench{Run: func(ctx context.Context, o report.Options) ([]report.Row, error) {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark"+name+"$", "-benchtime", "1x",
			"-short="+strconv.FormatBool(o.Quick), "pilotfish/backend/terminal")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w\n%s", name, err, out)
		}
		return filled(rows, metrics(string(out)))
	}}
	for _, r := range rows {
		b.Rows = append(b.Rows, r.Name)
	}
	return b
}

// metrics returns the figures that Go benchmarks print, by unit.
func metrics(out string) map[string]float64 {
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				found[fields[i+1]] = value
			}
		}
	}
	return found
}

// filled returns the rows with their figures.
func filled(rows []report.Row, figures map[string]float64) ([]report.Row, error) {
	var out []report.Row
	for _, r := range rows {
		value, ok := figures[r.Name]
		if !ok {
			return nil, fmt.Errorf("no benchmark measured %s", r.Name)
		}
		r.Value = value
		if p99, ok := figures[r.Name+"/p99"]; ok {
			r = r.With99(p99)
		}
		if reference, ok := figures[r.Name+"/reference"]; ok {
			r = r.Beside(reference)
		}
		out = append(out, r)
	}
	return out, nil
}
