// Command bench measures Pilotfish and its references, interleaved in the same
// run, prints a table and writes build/bench.json. It exits with 1 when a limit
// is exceeded. Times are judged only as ratios to something measured in the same
// run; absolute times are printed for information.
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

	"pilotfish/app/bench/actions"
	"pilotfish/app/bench/activity"
	"pilotfish/app/bench/chat"
	"pilotfish/app/bench/commandline"
	"pilotfish/app/bench/panel"
	"pilotfish/app/bench/process"
	"pilotfish/app/bench/product"
	"pilotfish/app/bench/report"
	"pilotfish/app/bench/signins"
	"pilotfish/app/bench/snapshots"
	"pilotfish/app/bench/tabs"
	"pilotfish/app/bench/tasks"
	"pilotfish/app/bench/terminal"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	act := func() error { return run(ctx, os.Args[1:], os.Stdout) }
	if filepath.Base(os.Args[0]) == product.TapName {
		act = func() error { return product.RunTapped(ctx, os.Args[1:]) }
	}
	if filepath.Base(os.Args[0]) == chat.StamperName {
		act = func() error { return chat.Stamper(os.Stdin, os.Stdout) }
	}
	err := act()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// benches are all measurements, in the order of the table.
func benches() []report.Bench {
	return slices.Concat(
		terminal.Benches(), panel.Benches(), commandline.Benches(), snapshots.Schema(),
		actions.Benches(), actions.Again(), snapshots.MCP(), snapshots.Screenshots(),
		commandline.First(), actions.Pilot(), actions.Gate(), actions.Inspector(), actions.Live(), chat.Benches(), chat.Panel(),
		snapshots.Pages(), tasks.Benches(), tasks.Idle(), tabs.Benches(), panel.Reconnect(), activity.Benches(), signins.Benches(),
	)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch os.Getenv(process.RoleEnv) {
	case chat.Role:
		return chat.Serve(ctx, os.Stdin, out)
	case chat.TalkerRole:
		return chat.Talker(ctx, os.Stdin, out)
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
	rows, err := measure(ctx, pattern, report.Options{Quick: *quick})
	report.Print(out, rows)
	return errors.Join(err, report.Write(*file, rows), report.Verdict(rows))
}

// measure runs the benches that match. When one fails, the others are still
// measured.
func measure(ctx context.Context, only *regexp.Regexp, o report.Options) ([]report.Row, error) {
	rows := []report.Row{}
	var errs []error
	for _, b := range benches() {
		wanted := make(map[string]bool)
		for _, name := range b.Rows {
			if only.MatchString(name) {
				wanted[name] = true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		got, err := b.Run(ctx, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", b.Rows, err))
		}
		for _, r := range got {
			if wanted[r.Name] {
				rows = append(rows, r.Judged())
			}
		}
	}
	return rows, errors.Join(errs...)
}
