package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/product"
)

// liveLimit is the largest allowed ratio of a start, until the terminal answers a
// key, to the panel of an extension that does nothing. Five rounds of fifteen
// starts, on two cores with a load of 8 to 16, were at 1.27 to 1.38; the limit is
// a sixth more than the worst.
const liveLimit = 1.6

// starts measures from the start of the app's process until a prompt is visible in
// the panel's terminal (start.prompt), and until the terminal has shown the answer
// to a key pressed as soon as the prompt was there (start.live). The floors are
// measured in the same run: a bare Chromium from its start to the first frame of an
// empty page; the same with an extension that does nothing, to the first frame of
// its empty side panel (start.panel); and the app's program until its first line
// (start.program). Each start has a new profile.
func starts(ctx context.Context, o options) (rows []row, err error) {
	took := peers.Samples{}
	err = product.OnDesktop(ctx, func(s *product.Desktop) error {
		for range o.runs(15, 3) { // medians of seven differ by a tenth
			if err := startOnce(ctx, s, took); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	const page, panel = "an empty page", "an empty panel"
	bare, floor := percentile(took["page"], 0.5), percentile(took["panel"], 0.5)
	return []row{
		timed("start.prompt", took["prompt"]).beside(page, bare),
		timed("start.live", took["live"]).beside(panel, floor).atMost(liveLimit),
		timed("start.panel", took["panel"]).beside(page, bare),
		timed("start.program", took["program"]).beside(page, bare),
	}, nil
}

// startOnce starts each of them once.
func startOnce(ctx context.Context, s *product.Desktop, took peers.Samples) error {
	for name, panel := range map[string]bool{"page": false, "panel": true} {
		bare, err := s.StartBare(ctx, panel)
		if err != nil {
			return err
		}
		took.Add(name, bare.Drawn)
		if err := bare.Close(); err != nil {
			return err
		}
	}
	p, err := s.Start(ctx)
	if err != nil {
		return err
	}
	prompt, live, err := p.Answered(ctx, "ready>", "x", "ready> x")
	if err := errors.Join(err, p.Stop()); err != nil {
		return err
	}
	took.Add("prompt", prompt-product.Millis(p.Began))
	took.Add("live", live-product.Millis(p.Began))
	// The program prints its version and exits.
	cmd := exec.CommandContext(ctx, product.Program(), "-version")
	cmd.Env = s.Screen.Env()
	ms, err := wholeRun(cmd)
	took.Add("program", ms)
	return err
}

// wholeRun returns how long a process takes from its start to its end, in ms.
func wholeRun(cmd *exec.Cmd) (float64, error) {
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("running %s: %w", cmd.Path, err)
	}
	return float64(time.Since(began)) / float64(time.Millisecond), nil
}

// cliStart measures whole processes of the command line, which agents start for
// every step, and of the smallest program, in turns.
func cliStart(ctx context.Context, o options) ([]row, error) {
	const smallest = "/bin/true"
	took := peers.Samples{}
	for range o.runs(400, 40) {
		for name, cmd := range map[string]*exec.Cmd{
			smallest:   exec.CommandContext(ctx, smallest),
			peers.Ours: exec.CommandContext(ctx, peers.CliProgram(), "version"),
		} {
			ms, err := wholeRun(cmd)
			if err != nil {
				return nil, err
			}
			took.Add(name, ms)
		}
	}
	return []row{compared("cli.start", took)}, nil
}

// productBenches measure the whole product and its command line from their start.
func productBenches() []bench {
	return []bench{
		{rows: []string{"start.prompt", "start.live", "start.panel", "start.program"}, run: starts},
		{rows: []string{"terminal.reattach", "terminal.live"}, run: reattach},
		{rows: []string{"memory.app", "memory.tray", "memory.idle"}, run: memory},
		{rows: []string{"cli.start"}, run: cliStart},
		{rows: []string{"cli.first"}, run: cliFirst},
	}
}

// cliFirst measures the first command when nothing is running: it starts the app
// and the browser, and opens a page.
func cliFirst(ctx context.Context, o options) ([]row, error) {
	s := product.NewSite()
	defer s.Close()
	took := peers.Samples{}
	var missing []string
	for i := range o.runs(25, 5) {
		for _, e := range []peers.Entrant{peers.OurProgram(), peers.PeerProgram()} {
			if len(missing) > 0 && e.Name != peers.Ours {
				continue
			}
			ms, err := peers.First(ctx, e, s.Actions(e.Name, i))
			switch {
			case err == nil:
				took.Add(e.Name, ms)
			case e.Name == peers.Ours:
				return nil, err
			default:
				missing = append(missing, fmt.Sprintf("%s is left out: %v", e.Name, err))
				delete(took, e.Name)
			}
		}
	}
	r := compared("cli.first", took).atMost(1)
	r.Notes = missing
	return []row{r}, nil
}
