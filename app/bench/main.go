// Command bench measures Pilotfish beside what it stands on, in the same run
// and interleaved, prints a table and writes build/bench.json. It exits with 1
// when a limit is not held. A time is judged only as a ratio to something that
// was measured in the same run; absolute times are printed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"text/tabwriter"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	act := func() error { return run(ctx, os.Args[1:], os.Stdout) }
	if filepath.Base(os.Args[0]) == tapName {
		act = func() error { return runTapped(ctx, os.Args[1:]) }
	}
	if filepath.Base(os.Args[0]) == stamperName {
		act = func() error { return stamper(os.Stdin, os.Stdout) }
	}
	err := act()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// rule says how a row's limit is meant.
type rule string

const (
	ratioAtMost  rule = "ratio at most"
	ratioAtLeast rule = "ratio at least"
	valueAtMost  rule = "at most"
	valueAtLeast rule = "at least"
	// informs bounds nothing.
	informs rule = "no limit"
)

// row is one measurement. Times are in ms, memory and backlog in MB, throughput
// in MB/s, sizes in characters.
type row struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// P99 is the 99th percentile, or the worst of few runs.
	P99 *float64 `json:"p99,omitempty"`
	// Reference is what stands beside it, Than its name; Ratio is Value to
	// Reference.
	Reference *float64 `json:"reference,omitempty"`
	Than      string   `json:"than,omitempty"`
	Ratio     *float64 `json:"ratio,omitempty"`
	// Peers are the figures of all that was measured in the same run.
	Peers map[string]float64 `json:"peers,omitempty"`
	Limit float64            `json:"limit"`
	Rule  rule               `json:"rule"`
	// Notes say what was left out, and why.
	Notes []string `json:"notes,omitempty"`
	OK    bool     `json:"ok"`
}

// with99 adds the 99th percentile.
func (r row) with99(v float64) row {
	r.P99 = &v
	return r
}

// beside adds the reference.
func (r row) beside(reference float64) row {
	ratio := r.Value / reference
	r.Reference, r.Ratio = &reference, &ratio
	return r
}

// atMost bounds the ratio to the reference. A row whose reference is missing, as
// when no peer runs on this machine, has no limit.
func (r row) atMost(ratio float64) row {
	if r.Ratio != nil {
		r.Rule, r.Limit = ratioAtMost, ratio
	}
	return r
}

// judged says whether the limit is held.
func (r row) judged() row {
	switch r.Rule {
	case valueAtMost:
		r.OK = r.Value <= r.Limit
	case valueAtLeast:
		r.OK = r.Value >= r.Limit
	case ratioAtMost:
		r.OK = r.Ratio != nil && *r.Ratio <= r.Limit
	case ratioAtLeast:
		r.OK = r.Ratio != nil && *r.Ratio >= r.Limit
	case informs:
		r.OK = true
	}
	return r
}

// options are what a measurement is told.
type options struct {
	// quick asks for a rough figure in a tenth of the time.
	quick bool
}

// bench is a measurement of one or more rows.
type bench struct {
	// rows are the names of what run returns, for -only.
	rows []string
	run  func(context.Context, options) ([]row, error)
}

// benches are all measurements, in the order of the table.
func benches() []bench {
	return slices.Concat(terminalBenches(), productBenches(), cliBenches(), schemaBenches(), actBenches(), againBenches(), lookBenches(), pictureBenches(), firstBenches(), pilotBenches(), gateBenches(), chatBenches(), chatFaceBenches(), pageBenches(), taskBenches(), idleBenches(), tabBenches(), reconnectBenches())
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch os.Getenv(roleEnv) {
	case terminalRole:
		return serveTerminals(ctx, os.Stdin, out)
	case chatRole:
		return serveChat(ctx, os.Stdin, out)
	case talkerRole:
		return talker(ctx, os.Stdin, out)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("only", "", "measure the rows that match this `regexp`")
	quick := flags.Bool("quick", false, "rough figures in a fraction of the time")
	file := flags.String("o", filepath.Join("build", "bench.json"), "write the rows to this `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	rows, err := measure(ctx, pattern, options{quick: *quick})
	printTable(out, rows)
	return errors.Join(err, writeRows(*file, rows), verdict(rows))
}

// measure runs what matches. One that fails does not keep the others from being
// measured.
func measure(ctx context.Context, only *regexp.Regexp, o options) ([]row, error) {
	rows := []row{}
	var errs []error
	for _, b := range benches() {
		wanted := make(map[string]bool)
		for _, name := range b.rows {
			if only.MatchString(name) {
				wanted[name] = true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		got, err := b.run(ctx, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", b.rows, err))
		}
		for _, r := range got {
			if wanted[r.Name] {
				rows = append(rows, r.judged())
			}
		}
	}
	return rows, errors.Join(errs...)
}

func verdict(rows []row) error {
	var errs []error
	for _, r := range rows {
		if !r.OK {
			errs = append(errs, fmt.Errorf("%s does not hold its limit", r.Name))
		}
	}
	return errors.Join(errs...)
}

func writeRows(file string, rows []row) error {
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

func printTable(out io.Writer, rows []row) {
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

func (r row) reference() string {
	if r.Than == "" {
		return number(r.Reference)
	}
	return number(r.Reference) + " " + r.Than
}

func (r row) limit() string {
	if r.Rule == informs {
		return string(r.Rule)
	}
	return string(r.Rule) + " " + number(&r.Limit)
}

// number prints three significant digits.
func number(v *float64) string {
	if v == nil {
		return "-"
	}
	if a := math.Abs(*v); a >= 1000 {
		return strconv.FormatFloat(*v, 'f', 0, 64)
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}
