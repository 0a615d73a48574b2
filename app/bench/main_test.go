package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A bench that fails and a limit that is missed twice are errors; the other rows
// are measured and written all the same.
func TestRunMeasuresAndWrites(t *testing.T) {
	runs := map[string]int{}
	measures := func(rows ...row) bench {
		b := bench{run: func(context.Context, options) ([]row, error) {
			runs[rows[0].Name]++
			return slices.Clone(rows), nil
		}}
		for _, r := range rows {
			b.rows = append(b.rows, r.Name)
		}
		return b
	}
	all := []bench{
		{rows: []string{"b.broken"}, run: func(context.Context, options) ([]row, error) { return nil, errors.New("it hangs") }},
		measures(row{Name: "a.good", Value: 10, Rule: noLimit}, row{Name: "a.other", Rule: noLimit}),
		measures(row{Name: "b.slow", Value: 3, Rule: valueAtMost, Limit: 2}),
		{rows: []string{"c.disturbed"}, run: func(context.Context, options) ([]row, error) {
			runs["c.disturbed"]++
			return []row{{Name: "c.disturbed", Value: 3 / float64(runs["c.disturbed"]), Rule: valueAtMost, Limit: 2}}, nil
		}},
	}
	file := filepath.Join(t.TempDir(), "build", "bench.json")
	run := func(only string) (string, []row, error) {
		var out bytes.Buffer
		failed := run(t.Context(), []string{"-only", only, "-o", file}, &out, all)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rows []row
		if err := json.Unmarshal(text, &rows); err != nil {
			t.Fatal(err)
		}
		return out.String(), rows, failed
	}
	table, rows, err := run("^a.good$")
	if err != nil || len(rows) != 1 || rows[0].Name != "a.good" || !rows[0].OK || rows[0].Value != 10 {
		t.Errorf("%v, rows = %+v", err, rows)
	}
	if !strings.Contains(table, "a.good") || !strings.Contains(table, "no limit") {
		t.Errorf("table = %s", table)
	}
	table, rows, err = run("^b")
	if err == nil || !strings.Contains(err.Error(), "it hangs") || !strings.Contains(err.Error(), "b.slow does not hold its limit") {
		t.Errorf("error = %v", err)
	}
	if len(rows) != 1 || rows[0].OK || !strings.Contains(table, "MISSED") {
		t.Errorf("rows = %+v, table = %s", rows, table)
	}
	if _, rows, err := run("^c"); err != nil || len(rows) != 1 || rows[0].Value != 1.5 {
		t.Errorf("%v, rows = %+v", err, rows)
	}
	if runs["a.good"] != 1 || runs["b.slow"] != 2 || runs["c.disturbed"] != 2 {
		t.Errorf("runs = %v", runs)
	}
	for _, none := range []string{"nothing", "("} {
		if _, _, err := run(none); err == nil {
			t.Errorf("%q was taken", none)
		}
	}
}
