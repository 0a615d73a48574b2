package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/bench/process"
	"pilotfish/app/bench/report"
)

func TestMain(m *testing.M) {
	if os.Getenv(process.RoleEnv) != "" { // the backend that a measurement starts
		main()
		return
	}
	os.Exit(m.Run())
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
	var rows []report.Row
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
