package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
)

// Print prints the rows as a table, followed by their notes.
func Print(out io.Writer, rows []Row) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "name\tunit\tvalue\tp99\treference\tratio\tlimit\t\t")
	for _, r := range rows {
		mark := ""
		if !r.OK {
			mark = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Name, r.Unit,
			number(&r.Value), number(r.P99), r.reference(), number(r.Ratio), r.limit(), mark)
	}
	_ = w.Flush() // to the console
	var said []string
	for _, r := range rows {
		for _, note := range r.Notes {
			if !slices.Contains(said, note) {
				said = append(said, note)
				fmt.Fprintf(out, "%s: %s\n", r.Name, note)
			}
		}
	}
}

func (r Row) reference() string {
	if r.Than == "" {
		return number(r.Reference)
	}
	return number(r.Reference) + " " + r.Than
}

func (r Row) limit() string {
	if r.Rule == Informs {
		return string(r.Rule)
	}
	return string(r.Rule) + " " + number(&r.Limit)
}

// number formats a value with three significant digits.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	if a := math.Abs(*v); a >= 1000 {
		return strconv.FormatFloat(*v, 'f', 0, 64)
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}

// Write writes the rows as JSON.
func Write(file string, rows []Row) error {
	b, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the rows: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return fmt.Errorf("writing the rows: %w", err)
	}
	if err := os.WriteFile(file, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the rows: %w", err)
	}
	return nil
}
