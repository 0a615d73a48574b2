package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// Driver is one way to drive a browser: ours, or a peer's. Times are what the
// caller waits, in ms. A reply that reports a failure is an error.
type Driver interface {
	Name() string
	// Open loads a page.
	Open(ctx context.Context, url string) (took float64, err error)
	// Snapshot returns the text that a model would receive for the page.
	Snapshot(ctx context.Context) (text string, took float64, err error)
	// Click and Fill act on a ref of a snapshot.
	Click(ctx context.Context, ref string) (took float64, err error)
	Fill(ctx context.Context, ref, value string) (took float64, err error)
	// Screenshot takes a screenshot of the viewport; full of the whole page;
	// annotated with refs drawn on it.
	Screenshot(ctx context.Context, full, annotated bool) (took float64, err error)
	Close() error
}

// RefIn finds the ref of an element by its name in the text of any driver's
// snapshot.
func RefIn(text, name string) (string, error) {
	quoted := regexp.QuoteMeta(name)
	for _, form := range []string{
		`(?m)\buid=(\S+) \w+ "` + quoted + `"`,           // chrome-devtools-mcp
		`(?m)"` + quoted + `".*\[(?:[^\]]*, )?ref=(\w+)`, // playwright-mcp and agent-browser
		`(?m)^\s*(\S+) \w+ ` + quoted + `(?:$|\s)`,       // ours
	} {
		if m := regexp.MustCompile(form).FindStringSubmatch(text); m != nil {
			return m[1], nil
		}
	}
	return "", fmt.Errorf("%s has no ref in %.300q", name, text)
}

// Program is a command line that is started for every step: ours, or
// agent-browser's.
type Program struct {
	called string
	path   string
	env    []string
	Home   string
	at     string // the prefix of a ref
	end    func(context.Context) error
}

// NewProgram prepares our command line with an empty home. Its first command
// starts a headless app.
func NewProgram() (*Program, error) {
	home, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a home: %w", err)
	}
	p := &Program{called: Ours, path: CliProgram(), env: append(os.Environ(), protocol.EnvHome+"="+home), Home: home}
	p.end = func(ctx context.Context) error {
		_, _, err := p.Run(ctx, "app", "quit")
		if err == nil {
			err = waitForLock(filepath.Join(home, "state", "lock"))
		}
		return errors.Join(err, os.RemoveAll(home))
	}
	return p, nil
}

// program prepares agent-browser's command line.
func (p *Peers) program(env ...string) (*Program, error) {
	path, err := p.agentBrowserProgram()
	if err != nil {
		return nil, err
	}
	a := &Program{called: AgentBrowser, path: path, env: append(p.environ(), env...), Home: p.dir, at: "@"}
	a.end = func(ctx context.Context) error {
		_, _, err := a.Run(ctx, "close", "--all")
		return err
	}
	return a, nil
}

// Run runs one command and returns its output and the time of the whole process,
// in ms.
func (p *Program) Run(ctx context.Context, args ...string) (string, float64, error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = p.env
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := ms(time.Since(start))
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %.300s", p.called, args[0], err, out)
	}
	return string(out), took, err
}

// Name returns the name in the results.
func (p *Program) Name() string { return p.called }

// Close ends everything that was started, even when the measurement was
// cancelled.
func (p *Program) Close() error { return p.end(context.Background()) }

// Open loads a page.
func (p *Program) Open(ctx context.Context, url string) (float64, error) {
	verb := "goto"
	if p.called == AgentBrowser {
		verb = "open"
	}
	_, took, err := p.Run(ctx, verb, url)
	return took, err
}

// Snapshot returns the text that a model would receive.
func (p *Program) Snapshot(ctx context.Context) (string, float64, error) {
	return p.Run(ctx, "snapshot")
}

// Click clicks a ref.
func (p *Program) Click(ctx context.Context, ref string) (float64, error) {
	_, took, err := p.Run(ctx, "click", p.at+ref)
	return took, err
}

// Fill writes a value into a ref.
func (p *Program) Fill(ctx context.Context, ref, value string) (float64, error) {
	_, took, err := p.Run(ctx, "fill", p.at+ref, value)
	return took, err
}

// Screenshot takes a screenshot.
func (p *Program) Screenshot(ctx context.Context, full, annotated bool) (float64, error) {
	args := []string{"screenshot"}
	if full {
		args = append(args, "--full")
	}
	switch {
	case annotated && p.called == AgentBrowser:
		args = append(args, "--annotate")
	case annotated:
		args = append(args, "--annotated")
	}
	if p.called == AgentBrowser {
		args = append(args, filepath.Join(p.Home, "picture.png"))
	}
	_, took, err := p.Run(ctx, args...)
	return took, err
}

// ms returns a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// CliProgram is the path of our built command line.
func CliProgram() string { return filepath.Join("build", "bin", "pilotfish") }

// waitForLock returns when no process holds a lock.
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
