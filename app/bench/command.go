package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"pilotfish/backend/browser"
	"pilotfish/backend/command"
	"pilotfish/backend/mcp"
	"pilotfish/backend/protocol"
)

const (
	cliFirstMost = 900 // ms
	// toolsReference is what @playwright/mcp's tools/list had for 25 tools, in
	// characters.
	toolsReference = 20286
)

// commandBenches measure the ways to the registry.
func commandBenches() []bench {
	return []bench{
		{rows: []string{"cli.first"}, run: cliFirst},
		{rows: []string{"mcp.schema.chars"}, run: mcpSchema},
	}
}

// mcpSchema is the size of tools/list as a client gets it.
func mcpSchema(ctx context.Context, _ options) ([]row, error) {
	there, here := sdk.NewInMemoryTransports()
	server := mcp.NewServer(mcp.Config{
		Version: "bench", Specs: command.Specs(), Logger: slog.New(slog.DiscardHandler),
		Execute: func(context.Context, protocol.CommandRequest, func(protocol.Waiting)) protocol.CommandReply {
			return protocol.CommandReply{OK: true}
		},
	})
	if _, err := server.Connect(ctx, there, nil); err != nil {
		return nil, fmt.Errorf("starting the MCP server: %w", err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the MCP server: %w", err)
	}
	defer func() { _ = client.Close() }() // the server's end goes with it
	list, err := client.ListTools(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("listing the tools: %w", err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("measuring the tools: %w", err)
	}
	r := row{Name: "mcp.schema.chars", Unit: "chars", Value: float64(utf8.RuneCount(text)), Limit: protocol.MCPSchemaChars, Rule: valueAtMost}
	return []row{r.beside(toolsReference)}, nil
}

// cliFirst measures the first command when nothing runs, to its answer. Beside
// it stands a bare headless Chromium, to its first answer over the same kind of
// pipe.
func cliFirst(ctx context.Context, o options) ([]row, error) {
	runs := 25
	if o.quick {
		runs = 5
	}
	found, err := browser.Find("")
	if err != nil {
		return nil, fmt.Errorf("finding a browser: %w", err)
	}
	var ours, bare []float64
	for range runs {
		reference, err := bareBrowser(ctx, found.Path)
		if err != nil {
			return nil, err
		}
		value, err := firstCommand(ctx)
		if err != nil {
			return nil, err
		}
		bare, ours = append(bare, reference), append(ours, value)
	}
	r := row{Name: "cli.first", Unit: "ms", Value: percentile(ours, 0.5), Limit: cliFirstMost, Rule: valueAtMost}
	return []row{r.with99(percentile(ours, 1)).beside(percentile(bare, 0.5))}, nil
}

// firstCommand runs `pilotfish tabs` with an empty home, and ends what it
// started.
func firstCommand(ctx context.Context) (took float64, err error) {
	home, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return 0, fmt.Errorf("making a home: %w", err)
	}
	defer func() { _ = os.RemoveAll(home) }() // a temporary folder
	pilotfish := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, cliProgram(), args...)
		cmd.Env = append(os.Environ(), protocol.EnvHome+"="+home)
		return cmd.CombinedOutput()
	}
	start := time.Now()
	out, err := pilotfish("tabs")
	took = float64(time.Since(start)) / float64(time.Millisecond)
	if err == nil && !bytes.Contains(out, []byte("t1 ")) {
		err = fmt.Errorf("it answered %.200s", out)
	}
	if err != nil {
		return 0, fmt.Errorf("the first command: %w: %.500s", err, out)
	}
	return took, quitAndWait(home, pilotfish)
}

// quitAndWait ends the app and returns when its lock is free: the next run must
// not share the machine with its end.
func quitAndWait(home string, pilotfish func(...string) ([]byte, error)) error {
	if out, err := pilotfish("app", "quit"); err != nil {
		return fmt.Errorf("quitting: %w: %.500s", err, out)
	}
	return waitForLock(filepath.Join(home, "state", "lock"))
}

// waitForLock returns when nobody holds a lock.
func waitForLock(path string) error {
	lock, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the lock: %w", err)
	}
	defer lock.Close()
	for {
		if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// bareBrowser starts Chromium headless with an empty profile, and asks it over
// its pipe which tabs it has.
func bareBrowser(ctx context.Context, path string) (float64, error) {
	profile, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return 0, fmt.Errorf("making a profile: %w", err)
	}
	defer func() { _ = os.RemoveAll(profile) }() // a temporary folder
	asked, ask, err := os.Pipe()
	if err != nil {
		return 0, fmt.Errorf("making a pipe: %w", err)
	}
	defer ask.Close()
	answer, answered, err := os.Pipe()
	if err != nil {
		return 0, errors.Join(fmt.Errorf("making a pipe: %w", err), asked.Close())
	}
	defer answer.Close()
	args := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "about:blank",
	}
	if os.Getenv(protocol.EnvSandbox) == "1" {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.ExtraFiles = []*os.File{asked, answered}
	start := time.Now()
	err = cmd.Start()
	asked.Close()
	answered.Close()
	if err != nil {
		return 0, fmt.Errorf("starting a bare browser: %w", err)
	}
	_, err = ask.WriteString(`{"id":1,"method":"Target.getTargets"}` + "\x00")
	if err == nil {
		_, err = bufio.NewReader(answer).ReadBytes(0)
	}
	took := float64(time.Since(start)) / float64(time.Millisecond)
	if err == nil {
		_, err = ask.WriteString(`{"id":2,"method":"Browser.close"}` + "\x00")
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("asking a bare browser: %w", err), cmd.Process.Kill())
	}
	_ = cmd.Wait() // it closes as it likes
	return took, err
}
