// Command bench measures the built Pilotfish and its references, interleaved in
// the same run, prints a table and writes build/bench.json. A row has a reference:
// a peer (another program that does the same) or a floor (what no program can do
// without, such as a bare browser). Times are judged only as ratios to it; absolute
// times are printed for information. The bench exits with 1 when a limit is
// exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"pilotfish/app/bench/product"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	act := func() error { return run(ctx, os.Args[1:], os.Stdout, benches()) }
	if filepath.Base(os.Args[0]) == product.TapName {
		act = func() error { return product.RunTapped(ctx, os.Args[1:]) }
	}
	err := act()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// benches are all measurements, in the order of the table.
func benches() []bench {
	return slices.Concat(terminalBenches(), productBenches(), actionBenches(), snapshotBenches(), pageBenches(), liveBenches(), elsewhereBenches())
}

func run(ctx context.Context, args []string, out io.Writer, all []bench) error {
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
	rows, err := measure(ctx, all, pattern, options{quick: *quick}, os.Stderr)
	if len(rows) == 0 && err == nil {
		return fmt.Errorf("no row matches %q", *only)
	}
	printRows(out, rows)
	return errors.Join(err, writeRows(*file, rows), verdict(rows))
}

// measure runs the benches that match. When one fails, the others are still
// measured. One with a row that misses its limit is run once more, and its second
// figures count: a disturbance of the machine passes, a step back stays. progress
// gets a line for each bench, because all of them take half an hour.
func measure(ctx context.Context, all []bench, only *regexp.Regexp, o options, progress io.Writer) ([]row, error) {
	rows := []row{}
	var errs []error
	for _, b := range all {
		if !slices.ContainsFunc(b.rows, only.MatchString) {
			continue
		}
		fmt.Fprintln(progress, time.Now().Format(time.TimeOnly), "measuring", strings.Join(b.rows, ", "))
		got, err := matching(ctx, b, only, o)
		if err == nil && verdict(got) != nil {
			missed := verdict(got)
			got, err = matching(ctx, b, only, o)
			for i := range got {
				got[i].Notes = append(got[i].Notes, "measured twice: "+strings.ReplaceAll(missed.Error(), "\n", ", "))
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", b.rows, err))
		}
		rows = append(rows, got...)
	}
	return rows, errors.Join(errs...)
}

// matching runs a bench, and returns the rows that match, judged.
func matching(ctx context.Context, b bench, only *regexp.Regexp, o options) ([]row, error) {
	rows, err := b.run(ctx, o)
	rows = slices.DeleteFunc(rows, func(r row) bool { return !only.MatchString(r.Name) })
	for i := range rows {
		rows[i] = rows[i].judged()
	}
	return rows, err
}
