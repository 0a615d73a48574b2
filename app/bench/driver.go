package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"pilotfish/backend/protocol"
)

// ours is the name that our own figures have beside the peers'.
const ours = "pilotfish"

// driver is one way to drive a browser: ours, or a peer's. Times are what the
// caller waits, in ms. A reply that says no is an error.
type driver interface {
	name() string
	// open loads a page.
	open(ctx context.Context, url string) (took float64, err error)
	// look returns the text that a model would read of the page.
	look(ctx context.Context) (text string, took float64, err error)
	// click and fill act on a ref of a look.
	click(ctx context.Context, ref string) (took float64, err error)
	fill(ctx context.Context, ref, value string) (took float64, err error)
	// picture takes one of what is in view; full is of the whole page,
	// annotated with refs on it.
	picture(ctx context.Context, full, annotated bool) (took float64, err error)
	close() error
}

// refIn finds the ref of a thing in the text of a look, whoever took it.
func refIn(text, name string) (string, error) {
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

// program is a command line that is started for every step: ours, or
// agent-browser's.
type program struct {
	called string
	path   string
	env    []string
	dir    string
	at     string // what stands before a ref
	end    func(context.Context) error
}

// newProgram is a headless app with an empty home, and our command line for it.
func newProgram() (*program, error) {
	home, err := os.MkdirTemp("", "pilotfish-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a home: %w", err)
	}
	p := &program{called: ours, path: cliProgram(), env: append(os.Environ(), protocol.EnvHome+"="+home), dir: home}
	p.end = func(ctx context.Context) error {
		_, _, err := p.run(ctx, "app", "quit")
		if err == nil {
			err = waitForLock(filepath.Join(home, "state", "lock"))
		}
		return errors.Join(err, os.RemoveAll(home))
	}
	return p, nil
}

// program is agent-browser's command line.
func (p *peers) program() (*program, error) {
	path, err := p.agentBrowserProgram()
	if err != nil {
		return nil, err
	}
	a := &program{called: agentBrowser, path: path, env: p.environ(), dir: p.dir, at: "@"}
	a.end = func(ctx context.Context) error {
		_, _, err := a.run(ctx, "close", "--all")
		return err
	}
	return a, nil
}

// run runs one command and returns what the whole process took.
func (p *program) run(ctx context.Context, args ...string) (string, float64, error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = p.env
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := millisSince(start)
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %.300s", p.called, args[0], err, out)
	}
	return string(out), took, err
}

func (p *program) name() string { return p.called }

// close ends what was started, also when the measurement was given up.
func (p *program) close() error { return p.end(context.Background()) }

func (p *program) open(ctx context.Context, url string) (float64, error) {
	verb := "goto"
	if p.called == agentBrowser {
		verb = "open"
	}
	_, took, err := p.run(ctx, verb, url)
	return took, err
}

func (p *program) look(ctx context.Context) (string, float64, error) { return p.run(ctx, "snapshot") }

func (p *program) click(ctx context.Context, ref string) (float64, error) {
	_, took, err := p.run(ctx, "click", p.at+ref)
	return took, err
}

func (p *program) fill(ctx context.Context, ref, value string) (float64, error) {
	_, took, err := p.run(ctx, "fill", p.at+ref, value)
	return took, err
}

func (p *program) picture(ctx context.Context, full, annotated bool) (float64, error) {
	args := []string{"screenshot"}
	if full {
		args = append(args, "--full")
	}
	switch {
	case annotated && p.called == agentBrowser:
		args = append(args, "--annotate")
	case annotated:
		args = append(args, "--annotated")
	}
	if p.called == agentBrowser {
		args = append(args, filepath.Join(p.dir, "picture.png"))
	}
	_, took, err := p.run(ctx, args...)
	return took, err
}

func millisSince(t time.Time) float64 { return float64(time.Since(t)) / float64(time.Millisecond) }
