package main

import "testing"

func TestRowIsFilledFromMetrics(t *testing.T) {
	figures := metrics("goos: linux\nBenchmarkEcho-2 \t 1\t 5 ns/op\t 0.5 x\t 0.75 x/p99\t 0.25 x/reference\nPASS\n")
	r, err := filled(row{Name: "x"}, figures)
	if err != nil || r.Value != 0.5 || *r.P99 != 0.75 || *r.Ratio != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := filled(row{Name: "y"}, figures); err == nil {
		t.Error("a row without a figure was taken")
	}
}
