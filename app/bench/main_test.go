package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" { // the backend that a measurement starts
		main()
		return
	}
	os.Exit(m.Run())
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		row  row
		want bool
	}{
		{row{Value: 60, Rule: valueAtMost, Limit: 60}, true},
		{row{Value: 61, Rule: valueAtMost, Limit: 60}, false},
		{row{Value: 9, Rule: valueAtLeast, Limit: 10}, false},
		{row{Value: 3, Rule: ratioAtMost, Limit: 1.5}.beside(2), true},
		{row{Value: 3.1, Rule: ratioAtMost, Limit: 1.5}.beside(2), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}.beside(100), false},
		{row{Value: 69, Rule: ratioAtLeast, Limit: 0.7}, false},
		{row{Value: 6, Rule: moreAtMost, Limit: 5}.beside(1), true},
		{row{Value: 6.5, Rule: moreAtMost, Limit: 5}.beside(1), false},
		{row{Value: 1}, false},
	} {
		if got := c.row.judged().OK; got != c.want {
			t.Errorf("%+v: %v", c.row, got)
		}
	}
}

func TestRunMeasuresAndWrites(t *testing.T) {
	file := filepath.Join(t.TempDir(), "build", "bench.json")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-only", "^terminal.paste$", "-o", file}, &out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Name != "terminal.paste" || !rows[0].OK || rows[0].Value != 10 {
		t.Errorf("rows = %+v", rows)
	}
	if !strings.Contains(out.String(), "terminal.paste") {
		t.Errorf("table = %s", out.String())
	}
	if err := run(t.Context(), []string{"-only", "("}, &out); err == nil {
		t.Error("a broken pattern was taken")
	}
}
