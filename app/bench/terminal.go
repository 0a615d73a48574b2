package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// terminalBenches measure terminals beside a bare pseudo terminal and a bare
// WebSocket.
func terminalBenches() []bench {
	return []bench{
		goBench("Echo", row{Name: "terminal.echo", Unit: "ms", Than: "PTY and WebSocket", Rule: ratioAtMost, Limit: 1.5}),
		goBench("Throughput", row{Name: "terminal.throughput", Unit: "MB/s", Than: "PTY", Rule: ratioAtLeast, Limit: 0.7}),
	}
}

// goBench runs a Go benchmark of backend/terminal, whose metrics are the figures of
// the row.
func goBench(name string, r row) bench {
	return bench{rows: []string{r.Name}, run: func(ctx context.Context, o options) ([]row, error) {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark"+name+"$", "-benchtime", "1x",
			"-short="+strconv.FormatBool(o.quick), "pilotfish/backend/terminal")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w\n%s", name, err, out)
		}
		r, err := filled(r, metrics(string(out)))
		return []row{r}, err
	}}
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

// filled returns the row with its figures.
func filled(r row, figures map[string]float64) (row, error) {
	value, ok := figures[r.Name]
	reference, ok2 := figures[r.Name+"/reference"]
	if !ok || !ok2 {
		return r, fmt.Errorf("no benchmark measured %s", r.Name)
	}
	r.Value = value
	if p99, ok := figures[r.Name+"/p99"]; ok {
		r.P99 = &p99
	}
	return r.beside(r.Than, reference), nil
}
