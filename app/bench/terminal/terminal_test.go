package terminal

import (
	"testing"

	"pilotfish/app/bench/report"
)

func TestRowsAreFilledFromMetrics(t *testing.T) {
	figures := metrics("goos: linux\nBenchmarkEcho-2 \t 1\t 5 ns/op\t 0.5 x\t 0.75 x/p99\t 0.25 x/reference\nPASS\n")
	rows, err := filled([]report.Row{{Name: "x"}}, figures)
	if err != nil || len(rows) != 1 || rows[0].Value != 0.5 || *rows[0].P99 != 0.75 || *rows[0].Ratio != 2 {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := filled([]report.Row{{Name: "y"}}, figures); err == nil {
		t.Error("a row without a figure was taken")
	}
}
