// Package commandline measures the command line: its start, its first command and
// its memory.
package commandline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"

	"pilotfish/app/bench/peers"
	"pilotfish/app/bench/process"
	"pilotfish/app/bench/report"
	"pilotfish/backend/protocol"
)

// cliMemory limits the memory of the command line: agents start it for every
// step, and hooks start it too.
const cliMemory = 15 // MB

// Benches measure the command line.
func Benches() []report.Bench {
	return []report.Bench{
		{Rows: []string{"cli.start"}, Run: cliStart},
		{Rows: []string{"memory.cli"}, Run: cliResident},
	}
}

// cliStart measures whole processes, in turns.
func cliStart(ctx context.Context, o report.Options) ([]report.Row, error) {
	runs := 400
	if o.Quick {
		runs = 40
	}
	whole := func(name string, args ...string) (float64, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		start := time.Now()
		err := cmd.Run()
		return report.MS(time.Since(start)), err
	}
	var ours, bare []float64
	for range runs {
		reference, err := whole("/bin/true")
		if err != nil {
			return nil, fmt.Errorf("starting /bin/true: %w", err)
		}
		value, err := whole(peers.CliProgram(), "version")
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", peers.CliProgram(), err)
		}
		bare, ours = append(bare, reference), append(ours, value)
	}
	r := report.Row{Name: "cli.start", Unit: "ms", Value: report.Percentile(ours, 0.5), Rule: report.Informs}
	return []report.Row{r.With99(report.Percentile(ours, 0.99)).Beside(report.Percentile(bare, 0.5))}, nil
}

// cliResident measures the program while it waits for a reply, because that is
// the long part of its run.
func cliResident(ctx context.Context, o report.Options) ([]report.Row, error) {
	runs := 9
	if o.Quick {
		runs = 3
	}
	var sizes []float64
	for range runs {
		size, err := cliWaiting(ctx)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, size)
	}
	r := report.Row{Name: "memory.cli", Unit: "MB", Value: report.Percentile(sizes, 0.5), Limit: cliMemory, Rule: report.ValueAtMost}
	return []report.Row{r.With99(report.Percentile(sizes, 1))}, nil
}

// cliWaiting returns the resident memory, in MB, of a command whose reply does
// not arrive.
func cliWaiting(ctx context.Context) (float64, error) {
	asked := make(chan struct{}, 1)
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The server notices that the client is gone only after it has read the
		// body.
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer backend.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, peers.CliProgram(), "tabs")
	cmd.Env = append(os.Environ(), protocol.EnvURL+"="+backend.URL, protocol.EnvToken+"=a-token-of-the-benchmark")
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %s: %w", peers.CliProgram(), err)
	}
	defer func() { // our signal ended it, so its exit error is expected
		cancel()
		_ = cmd.Wait()
	}()
	select {
	case <-asked:
	case <-ctx.Done():
		return 0, errors.New("the command line never asked the backend")
	}
	return process.Resident(cmd.Process.Pid)
}
