package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"pilotfish/backend/protocol"
)

// cliMemory bounds the command line: an agent starts it for every step that it
// takes, and hooks start it too.
const cliMemory = 15 // MB

// cliBenches measure the command line.
func cliBenches() []bench {
	return []bench{
		{rows: []string{"cli.start"}, run: cliStart},
		{rows: []string{"memory.cli"}, run: cliResident},
	}
}

// cliProgram is the program as it was built.
func cliProgram() string { return filepath.Join("build", "bin", "pilotfish") }

// cliStart measures whole processes, by turns.
func cliStart(ctx context.Context, o options) ([]row, error) {
	runs := 400
	if o.quick {
		runs = 40
	}
	whole := func(name string, args ...string) (float64, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		start := time.Now()
		err := cmd.Run()
		return float64(time.Since(start)) / float64(time.Millisecond), err
	}
	var ours, bare []float64
	for range runs {
		reference, err := whole("/bin/true")
		if err != nil {
			return nil, fmt.Errorf("starting /bin/true: %w", err)
		}
		value, err := whole(cliProgram(), "version")
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", cliProgram(), err)
		}
		bare, ours = append(bare, reference), append(ours, value)
	}
	r := row{Name: "cli.start", Unit: "ms", Value: percentile(ours, 0.5), Rule: informs}
	return []row{r.with99(percentile(ours, 0.99)).beside(percentile(bare, 0.5))}, nil
}

// cliResident measures the program while it waits for a reply: that is when it
// lasts.
func cliResident(ctx context.Context, o options) ([]row, error) {
	runs := 9
	if o.quick {
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
	r := row{Name: "memory.cli", Unit: "MB", Value: percentile(sizes, 0.5), Limit: cliMemory, Rule: valueAtMost}
	return []row{r.with99(percentile(sizes, 1))}, nil
}

// cliWaiting is the resident memory, in MB, of a command whose reply does not
// come.
func cliWaiting(ctx context.Context) (float64, error) {
	asked := make(chan struct{}, 1)
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// The server sees that the caller is gone only after the body.
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer backend.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, cliProgram(), "tabs")
	cmd.Env = append(os.Environ(), protocol.EnvURL+"="+backend.URL, protocol.EnvToken+"=a-token-of-the-benchmark")
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %s: %w", cliProgram(), err)
	}
	defer func() { // it ended by our signal, which is no news
		cancel()
		_ = cmd.Wait()
	}()
	select {
	case <-asked:
	case <-ctx.Done():
		return 0, errors.New("the command line never asked the backend")
	}
	return residentOf(cmd.Process.Pid)
}

// residentOf is the resident memory of a process in MB.
func residentOf(pid int) (float64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of the command line: %w", err)
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmRSS:" {
			kilobytes, err := strconv.ParseFloat(string(fields[1]), 64)
			return kilobytes / 1000, err
		}
	}
	return 0, fmt.Errorf("process %d has no resident memory any more", pid)
}
